"""Defaults that decide: what nobody chose, and what a branch, a loop or an index depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
from shaderlab.spirv.analysis.influence import Decision, Effect, Effects, Influence, influence
from shaderlab.spirv.trace import SourceLine

_SHOWN = 4
_SENTENCES = 8
_NOTHING = Influence({})
_IN = {
    Effect.LOOP: ("loop in", "loops in"),
    Effect.BRANCH: ("branch in", "branches in"),
    Effect.RESULT: ("result of", "results of"),
}


class DecidingDefault(NamedTuple):
    """An input whose default, which may be a guess, changes what runs."""

    name: str
    value: str
    """As shown: `0`, `1, 1, 1`, `gradient`."""
    effects: Effects
    elements: tuple[int, ...] = ()
    """Of an array: those that decide, where it is not all."""

    @property
    def line(self) -> int:
        """The first line of the document that depends on it; 0 where none does."""
        return next((at.line for at in self.effects if at and not at.file), 0)

    @property
    def changes_flow(self) -> bool:
        """Whether what runs depends on it, rather than a result alone."""
        return any(each is not Effect.RESULT for each in self.effects.values())

    @property
    def sentence(self) -> str:
        """`The loop in line 12 depends on 'steps', guessed as 0`."""
        return self._sentence([f"the {each}" for each in affected(self.effects)])

    @property
    def sentence_here(self) -> str:
        """The same beside the first line of the document that depends on it: `This loop …`."""
        here = SourceLine("", self.line)
        if here not in self.effects:
            return self.sentence
        others = {at: each for at, each in self.effects.items() if at != here}
        return self._sentence(
            [f"this {self.effects[here]}", *(f"the {each}" for each in affected(others))]
        )

    def _sentence(self, dependent: Sequence[str]) -> str:
        which = f"[{', '.join(map(str, self.elements))}]" if self.elements else ""
        *first, last = dependent
        what = f"{', '.join(first)} and {last}" if first else last
        verb = "depends" if len(_at_lines(self.effects)) == 1 else "depend"
        return (
            f"{what[0].upper()}{what[1:]} {verb} on '{self.name}{which}', guessed as {self.value}"
        )


def affected(effects: Effects) -> list[str]:
    """`loop in line 12`, `results of lines 3, 4`: one for each kind of effect."""
    found: dict[Effect, list[SourceLine]] = {}
    for at, effect in _at_lines(effects).items():
        found.setdefault(effect, []).extend([at] if at else [])
    return [
        f"{_IN[effect][len(found[effect]) > 1]} {_places(found[effect])}"
        if found[effect]
        else effect.value
        for effect in Effect
        if effect in found
    ]


def _at_lines(effects: Effects) -> Effects:
    """Those at lines; all of them where the module does not say."""
    return {at: each for at, each in effects.items() if at} or effects


Found = Callable[[Program], Influence]
"""What each input of a program decides."""


def deciding_defaults(draw: Draw, of: Found | None = None) -> tuple[DecidingDefault, ...]:
    """Those of a draw, in the order of declaration; `of`: by default `decisions`.

    Values that follow from a name for certain, as `iTime`'s does, are none.
    """
    of = of or decisions
    found = _deciding(_inputs_of(draw, draw.program), draw.program, of)
    if draw.vertex is None:
        return found
    its = _deciding(_inputs_of(draw, draw.vertex), draw.vertex, of)
    return with_vertex_stage(found, its, draw.vertex.name)


def unsettled_stages(draw: Draw) -> tuple[Program, ...]:
    """Those of a draw's stages that have inputs nobody settled."""
    return tuple(
        each
        for each in (draw.program, draw.vertex)
        if each is not None and any(its.is_unsettled for its in _inputs_of(draw, each))
    )


def with_vertex_stage(
    found: tuple[DecidingDefault, ...], its: Iterable[DecidingDefault], file: str
) -> tuple[DecidingDefault, ...]:
    """Those of the fragment stage, then what decides in the vertex stage alone, whose own text is
    the file."""
    known = {each.name for each in found}
    return found + tuple(
        each._replace(
            effects={
                at and SourceLine(at.file or file, at.line): effect
                for at, effect in each.effects.items()
            }
        )
        for each in its
        if each.name not in known
    )


def _deciding(
    inputs: Sequence[ShaderInput], program: Program, of: Found
) -> tuple[DecidingDefault, ...]:
    if not any(each.is_unsettled for each in inputs):
        return ()
    return decided_among(inputs, of(program))


def decided_among(inputs: Iterable[ShaderInput], found: Influence) -> tuple[DecidingDefault, ...]:
    """Those of a program's inputs with their present values; `found`: what each decides."""
    unsettled = (each for each in inputs if each.is_unsettled)
    return tuple(
        DecidingDefault(each.name, shown_value(each), decision.effects, left)
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
    found = f"{counted} invocations" if counted else "8 on llvmpipe, 4 on SwiftShader"
    sizes = sizes or ("" if counted else "most GPUs have 32 or 64")
    places = _places(lines) if lines else "the program"
    return (
        f"{places[0].upper()}{places[1:]} depend{'' if len(lines) > 1 else 's'} on the subgroup "
        f"size: counted with {found}{f'; {sizes}' if sizes else ''}",
    )


def sentences(defaults: Iterable[DecidingDefault]) -> tuple[str, ...]:
    """One for each of the first eight defaults; the last says how many more there are."""
    found = [each.sentence for each in defaults]
    more = len(found) - _SENTENCES
    if more > 0:
        found[_SENTENCES:] = [f"{more} more guessed inputs have effects (`shaderlab inputs`)"]
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
        if not isinstance(source, PassPicture):
            return source.value
        return f"pass {source.name}" + (", the frame before" if source.before else "")
    if each.value is None:
        return ""
    if is_filled(each.meaning):
        return each.meaning.name if each.meaning else ""
    if each.type == "bool":
        return "true" if any(each.value) else "false"
    numbers = ", ".join(f"{number:g}" for number in each.value[:_SHOWN])
    return numbers + (", …" if len(each.value) > _SHOWN else "")


def _places(lines: Sequence[SourceLine]) -> str:
    shown = ", ".join(f"{at.file}:{at.line}" if at.file else str(at.line) for at in lines[:_SHOWN])
    return f"line{'s' if len(lines) > 1 else ''} {shown}{', …' if len(lines) > _SHOWN else ''}"
