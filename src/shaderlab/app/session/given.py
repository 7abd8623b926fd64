"""What was given for a program's inputs, and the program together with it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from shaderlab.frontend.program import Program
from shaderlab.scene.inputs import Input


@dataclass(frozen=True)
class GivenProgram:
    """A program and what it was given: together they may end a worker where neither else does."""

    program: Program
    given: str
    """Of all values and textures."""

    @property
    def name(self) -> str:
        return self.program.name

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.program.digest} {self.given}".encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"{self.program.fingerprint} {self.given}".encode()).hexdigest()


@dataclass(frozen=True)
class Declared:
    """An input of the program."""

    type: str
    count: int
    """Numbers in all; 0 for a texture."""


@dataclass(frozen=True)
class Kept:
    """Something given for a name."""

    input: Input
    type: str = ""
    """That the name had: another type is another input.  Empty for what a file gave."""

    def suits(self, declared: Declared | None) -> bool:
        if declared is None or self.type not in ("", declared.type):
            return False
        value = self.input.value
        return len(value) == declared.count if isinstance(value, tuple) else not declared.count
