"""The inputs and outputs of a replayed program, by stage."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from shaderlab.gpu.radv.nir import Instruction, Source

LETTERS = "xyzwefghijklmnop"
"""Of a vector's components."""

Operand = Callable[[Source, int, str], str]
"""A component of a source as an expression of a type."""


class Surroundings(ABC):
    """Those of one program.

    Methods return None for what is the same in every stage, and raise UnreadableNir for what is not
    replayed.
    """

    @property
    @abstractmethod
    def declarations(self) -> list[str]:
        """Lines of GLSL before the program."""

    @abstractmethod
    def letter(self, instruction: Instruction) -> str | None:
        """The type of what an instruction gives."""

    @abstractmethod
    def value(self, instruction: Instruction, c: int, operand: Operand) -> str | None:
        """Component `c` of what an intrinsic gives, as an expression of its type."""

    @abstractmethod
    def statements(self, instruction: Instruction, operand: Operand) -> list[str] | None:
        """What an intrinsic does beside, or in place of, giving a value."""

    def expression(self, instruction: Instruction, c: int, operand: Operand) -> str | None:  # noqa: ARG002
        """Component `c` of what is no intrinsic, as an expression of its type."""
        return None


def index(instruction: Instruction, name: str) -> int:
    """One of an intrinsic's indices; 0 where it has none."""
    found = re.search(rf"\b{name}=(\d+)", instruction.indices)
    return int(found[1]) if found else 0


def write_mask(indices: str) -> Iterator[int]:
    """The components that are stored."""
    _, _, rest = indices.partition("wrmask=")
    for letter in rest:
        if letter not in LETTERS:
            return
        yield LETTERS.index(letter)
