"""`Source`: what is to be compiled."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from shaderlab.frontend import scanner
from shaderlab.frontend.reading import RECOGNISED, Reading


@dataclass(frozen=True)
class Source:
    """A text, or the SPIR-V module at `path`."""

    text: str
    name: str
    folder: Path | None
    path: Path | None = None
    module_digest: str = ""
    """SHA-256, hex, of a module's bytes; empty where it is not known."""
    reading: Reading = RECOGNISED
    """What the text's project says about it."""

    @cached_property
    def digest(self) -> str:
        """Hash of the module, or of what of the text is code and of where its includes are."""
        if self.path is not None:
            return self.module_digest
        blank = scanner.blank(self.text, strings=False)
        code = "\n".join(line.rstrip() for line in blank.split("\n") if line.strip())
        manner = "" if self.reading == RECOGNISED else repr(self.reading)
        data = f"{self.folder}\0{manner}{code}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(data).hexdigest()

    @property
    def as_read(self) -> tuple[str | Path, str, Path | None, Reading]:
        """Text or module, name, folder and reading, as the compiler's worker takes them."""
        return self.path or self.text, self.name, self.folder, self.reading

    @property
    def fingerprint(self) -> str:
        return self.digest
