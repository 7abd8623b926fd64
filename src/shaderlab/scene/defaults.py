"""Defaults that decide: what nobody chose, and what a branch, a loop or an index depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from shaderlab.errors import InvalidModule
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.scene.binding import Binding
from shaderlab.scene.draw import Draw
from shaderlab.scene.launch_meanings import is_filled
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.scene.textures import ImageFile, NoisePicture, PassPicture, Pattern, Texture
from shaderlab.spirv.analysis.influence import Decision, Influence, influence
from shaderlab.spirv.trace import SourceLine

_SHOWN = 4
_SENTENCES = 8
_NOTHING = Influence({})


class DecidingDefault(NamedTuple):
    """An input whose default, which may be a guess, changes what runs."""

    name: str
    value: str
    """As shown: `0`, `1, 1, 1`, `gradient`."""
    lines: tuple[SourceLine, ...]
    """Ascending; empty where the module does not say."""
    elements: tuple[int, ...] = ()
    """Of an array: those that decide, where it is not all."""

    @property
    def sentence(self) -> str:
        """`steps = 0 is a default and decides line 12`."""
        return f"{self._start} {_places(self.lines)}"

    def sentence_at(self, line: int) -> str:
        """The same beside a line of the document, whose number it leaves out; 0 for no line."""
        if not line:
            return self.sentence
        others = [each for each in self.lines if each != SourceLine("", line)]
        return f"{self._start} this line{f' and {_places(others)}' if others else ''}"

    @property
    def _start(self) -> str:
        which = f"[{', '.join(map(str, self.elements))}]" if self.elements else ""
        return f"{self.name}{which} = {self.value} is a default and decides"


def deciding_defaults(draw: Draw) -> tuple[DecidingDefault, ...]:
    """Those of a draw, in the order of declaration.

    Values that follow from a name for certain, as `iTime`'s does, are none.
    """
    found = _deciding(_inputs_of(draw, draw.program), draw.program)
    if draw.vertex is None:
        return found
    its = _deciding(_inputs_of(draw, draw.vertex), draw.vertex)
    return with_vertex_stage(found, its, draw.vertex.name)


def with_vertex_stage(
    found: tuple[DecidingDefault, ...], its: Iterable[DecidingDefault], file: str
) -> tuple[DecidingDefault, ...]:
    """Those of the fragment stage, then what decides in the vertex stage alone, whose own text is
    the file."""
    known = {each.name for each in found}
    return found + tuple(
        each._replace(lines=tuple(SourceLine(at.file or file, at.line) for at in each.lines))
        for each in its
        if each.name not in known
    )


def _deciding(inputs: Sequence[ShaderInput], program: Program) -> tuple[DecidingDefault, ...]:
    if not any(each.is_unsettled for each in inputs):
        return ()
    return decided_among(inputs, decisions(program))


def decided_among(inputs: Iterable[ShaderInput], found: Influence) -> tuple[DecidingDefault, ...]:
    """Those of a program's inputs with their present values; `found`: what each decides."""
    unsettled = (each for each in inputs if each.is_unsettled)
    return tuple(
        DecidingDefault(each.name, shown_value(each), decision.lines, left)
        for each in unsettled
        if (decision := decided_by(found, each)) is not None
        and ((left := _left(each, decision)) or not decision.elements)
    )


def _left(each: ShaderInput, decision: Decision) -> tuple[int, ...]:
    """The elements that decide and that nobody chose."""
    return tuple(n for n in decision.elements if n not in each.chosen)


def assumptions(draw: Draw) -> tuple[str, ...]:
    """What a draw takes for granted: a sentence for each default that decides."""
    return sentences(deciding_defaults(draw))


def subgroup_sentence(program: Program, counted: int | None, sizes: str = "") -> tuple[str, ...]:
    """Where what runs depends on the size of subgroups; or nothing.

    `counted`: `Trace.subgroup`; `sizes`: what is said of another device's, `this target has 64`.
    """
    lines = decisions(program).subgroup
    if lines is None:
        return ()
    found = (
        f"are of subgroups of {counted} invocations"
        if counted
        else "hold for the device that counted (8 on llvmpipe, 4 on SwiftShader)"
    )
    sizes = sizes or ("" if counted else "most GPUs have 32 or 64")
    return (
        f"the subgroup size decides {_places(lines)}: the counts {found}"
        + (f"; {sizes}" if sizes else ""),
    )


def sentences(defaults: Iterable[DecidingDefault]) -> tuple[str, ...]:
    """One for each of the first eight defaults; the last says how many more there are."""
    found = [each.sentence for each in defaults]
    more = len(found) - _SENTENCES
    if more > 0:
        found[_SENTENCES:] = [f"{more} more defaults decide what runs (`shaderlab inputs`)"]
    return tuple(found)


def listed(draw: Draw) -> tuple[ShaderInput, ...]:
    """Every input of a draw with its value: the fragment stage's, then what only the vertex stage
    has."""
    vertex = _inputs_of(draw, draw.vertex) if draw.vertex is not None else ()
    return of_both_stages(_inputs_of(draw, draw.program), vertex)


def of_both_stages(
    fragment: tuple[ShaderInput, ...], vertex: tuple[ShaderInput, ...] = ()
) -> tuple[ShaderInput, ...]:
    """Those of the fragment stage, then what only the vertex stage has."""
    known = {each.name for each in fragment if each.kind is not InputKind.VARYING}
    return fragment + tuple(
        replace(each, kind=InputKind.ATTRIBUTE) if each.kind is InputKind.VARYING else each
        for each in vertex
        if each.name not in known
    )


def _inputs_of(draw: Draw, program: Program) -> tuple[ShaderInput, ...]:
    """Of one of its stages."""
    return Binding.of(program).listed(draw.inputs, draw.extent, draw.state.geometry.camera)


def decided_by(found: Influence, each: ShaderInput) -> Decision | None:
    """What an input decides with its present value."""
    is_zero = isinstance(each.value, tuple) and each.is_unsettled and not any(each.value)
    return found.of(each.declared or each.name, is_zero=is_zero)


def decisions(program: Program) -> Influence:
    """What each input of a program decides; nothing where the module cannot be analysed."""
    return _decisions(_Keyed(program.digest, program.entry_point, program.stage, program))


class _Keyed(NamedTuple):
    """A program that is equal to those of the same code."""

    digest: str
    entry_point: str
    stage: Stage
    program: Program

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self[:3] == other[:3]

    def __hash__(self) -> int:
        return hash(self[:3])


@lru_cache(maxsize=16)
def _decisions(key: _Keyed) -> Influence:
    program = key.program
    try:
        return influence(program.module, program.entry(), program.interface)
    except InvalidModule:
        return _NOTHING


def shown_value(each: ShaderInput) -> str:
    """The value in a few words."""
    if isinstance(each.value, Texture):
        source = each.value.source
        if isinstance(source, ImageFile):
            return source.path.name
        if isinstance(source, NoisePicture):
            return Pattern.NOISE.value
        return f"pass {source.name}" if isinstance(source, PassPicture) else source.value
    if each.value is None:
        return ""
    if is_filled(each.meaning):
        return each.meaning.name if each.meaning else ""
    if each.type == "bool":
        return "true" if any(each.value) else "false"
    numbers = ", ".join(f"{number:g}" for number in each.value[:_SHOWN])
    return numbers + (", …" if len(each.value) > _SHOWN else "")


def _places(lines: Sequence[SourceLine]) -> str:
    if not lines:
        return "what runs"
    shown = ", ".join(f"{at.file}:{at.line}" if at.file else str(at.line) for at in lines[:_SHOWN])
    return f"line{'s' if len(lines) > 1 else ''} {shown}{', …' if len(lines) > _SHOWN else ''}"
