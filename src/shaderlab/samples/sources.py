"""Is a text the source of the program that was measured?  It is, where it compiles to that program.

A sample's id does not depend on its text, so anybody could put another text, or another licence,
beside what was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.samples.operations import static_opcodes
from shaderlab.samples.sample import ProgramRecord

FOREIGN = "program.text: is not the source of the program that was measured"

_NOT_CODE = ("OpLine", "OpNoLine", "OpName", "OpMemberName", "OpString", "OpModuleProcessed")
_NOT_CODE_BEGINS = "OpSource"


class Standing(Enum):
    """Of a sample's text."""

    VERIFIED = "verified"
    """It compiles to the program that was measured."""
    UNVERIFIED = "unverified"
    """It could not be compiled here, or compiles to the same instructions in another order or with
    other names, as another version of the compiler makes them: a note, not a fact."""
    FOREIGN = "foreign"
    """It compiles to another program."""


class Sources:
    """Compiles the texts of samples, each once."""

    def __init__(self, compile: Callable[[str], Program] | None = None):
        """`compile` may raise ShaderlabError; without it no text can be verified."""
        self._compile = compile
        self._known: dict[tuple[str, str], Standing] = {}
        self.counts: Counter[Standing] = Counter()
        """Of the texts asked for, each program and text once."""

    def standing(self, program: ProgramRecord) -> Standing:
        """Of the program's text, which is there."""
        assert program.text is not None
        key = (program.digest, program.text)
        if key not in self._known:
            self._known[key] = self._find(program, program.text)
            self.counts[self._known[key]] += 1
        return self._known[key]

    def is_foreign(self, program: ProgramRecord) -> bool:
        """Whether there is a text, and it is of another program."""
        return program.text is not None and self.standing(program) is Standing.FOREIGN

    def _find(self, program: ProgramRecord, text: str) -> Standing:
        if self._compile is None:
            return Standing.UNVERIFIED
        try:
            compiled = self._compile(text)
            if compiled.digest == program.digest:
                return Standing.VERIFIED
            same = _code(static_opcodes(compiled.module)) == _code(program.opcodes)
        except ShaderlabError:
            return Standing.UNVERIFIED
        return Standing.UNVERIFIED if same else Standing.FOREIGN


def _code(opcodes: Mapping[str, int]) -> dict[str, int]:
    """The instructions that are no names and no places in a source."""
    return {
        name: n
        for name, n in opcodes.items()
        if name not in _NOT_CODE and not name.startswith(_NOT_CODE_BEGINS)
    }
