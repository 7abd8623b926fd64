"""What a name to sweep is of a shader: an input, a constant of its text, or a macro."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.source_text import unify_line_ends
from shaderlab.scene.assignments import assigned
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.studies.axes import Axis
from shaderlab.studies.constants import Constant, constants, mentions, with_values
from shaderlab.workers.compiler import CompilerWorker

_LISTED = 12
"""Names that a message lists."""


@dataclass(frozen=True)
class SweptText:
    """A shader's text and how it is read."""

    text: str
    name: str
    folder: Path | None = None
    """Where it includes from."""
    reading: Reading = RECOGNISED

    @classmethod
    def of(cls, program: Program, folder: Path | None, reading: Reading) -> SweptText:
        return cls(unify_line_ends(program.text), program.name, folder, reading)


@dataclass(frozen=True)
class Changers:
    """How the axes' names change a variant."""

    inputs: frozenset[str]
    constants: Mapping[str, Constant]
    macros: frozenset[str]

    def compiled(
        self, of: SweptText, given: Mapping[str, str], compiler: CompilerWorker
    ) -> Program | None:
        """With these values in place; None where no name changes the text.

        Raises CompileFailed.
        """
        fixed = {self.constants[name]: given[name] for name in self.constants}
        macros = tuple((name, given[name]) for name in sorted(self.macros))
        if not fixed and not macros:
            return None
        kept = tuple(each for each in of.reading.defines if each[0] not in self.macros)
        reading = replace(of.reading, defines=(*kept, *macros))
        text = with_values(of.text, fixed)
        return compiler.compile(text, of.name, of.folder, reading).result()


def changers(text: str, axes: Sequence[Axis], known: Sequence[ShaderInput]) -> Changers:
    """Of the axes' names; `known`: inputs that can be set.

    Raises WrongUse for a name that is nothing of the shader's, and for bad values.
    """
    of_text = constants(text)
    names = {each.name for each in known if each.numeric is not None and each.value is not None}
    inputs, chosen, macros = set[str](), dict[str, Constant](), set[str]()
    for axis in axes:
        if axis.name in of_text and axis.name not in names:
            chosen[axis.name] = constant = of_text[axis.name]
            for value in axis.values:
                constant.written(value)
            continue
        try:
            for value in axis.values:
                assigned(known, axis.name, value, {})
        except WrongUse as error:
            if axis.name.isidentifier() and mentions(text, axis.name) and axis.name not in names:
                macros.add(axis.name)
                continue
            raise _unknown(axis.name, of_text, names, error) from None
        inputs.add(axis.name)
    return Changers(frozenset(inputs), chosen, frozenset(macros))


def _unknown(
    name: str, of_text: Mapping[str, Constant], inputs: set[str], error: WrongUse
) -> WrongUse:
    if any(each == name or each.endswith(f".{name}") for each in inputs):
        return error
    there = [*of_text, *sorted(inputs)]
    shown = ", ".join(there[:_LISTED]) or "none"
    more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
    return WrongUse(
        f"{name} is not a #define, constant or input of the shader, which has {shown}{more}"
    )
