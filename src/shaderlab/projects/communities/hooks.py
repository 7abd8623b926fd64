"""Hooks of mpv and libplacebo: stages that draw one after the other into named pictures.

mpv's manual, "Custom shaders"; libplacebo's documentation, "Custom shaders".  Every picture that is
hooked is the film's, of one size; the film and the window get the sizes at which the stages run and
the last one leaves the picture that is shown.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.dialects.mpv import HOOKS, Block, blocks, refusal
from shaderlab.frontend.reading import Language
from shaderlab.projects.communities.presets import as_number
from shaderlab.projects.project import SHOWN_PASS, Project, ProjectPass
from shaderlab.projects.sizes import LARGEST
from shaderlab.scene.draw import Attachments, ColourFormat, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, NoisePicture, PassPicture, Pattern, Texture, Wrap

_MAX_BYTES = 4 << 20
_MOST_PASSES = 64
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\xa0\u2028\u2029]")
_MOST_WORDS = 64
"""Of an expression."""
_RATIOS = ((0.5, 1.0), (1.0, 1.0), (0.25, 1.0), (1.0, 2.0), (1.0, 0.5), (0.5, 0.5), (2.0, 1.0))
"""Sizes of film and window by that of the picture, as they are tried."""
_OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": math.fmod,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True)
class _Run:
    """One stage at one hook."""

    stage: int
    hook: str
    name: str
    binds: tuple[str, ...]
    saves: str
    width: str
    height: str
    when: str


def recognises(path: Path, text: str | None = None) -> bool:
    if path.suffix.lower() not in (".glsl", ".hook"):
        return False
    try:
        text = _text(path, text)
    except WrongUse:
        return False
    stages = _stages(text)
    # One stage at one hook that needs no frame is a shader like any other.
    is_more = any(len(each.head["HOOK"]) > 1 for each in stages)
    return bool(stages) and (is_more or bool(refusal(text, is_one=False)))


def project(path: Path, text: str | None = None) -> Project:
    """Raises WrongUse for what no frame holds, and where the stages have no sizes they run at."""
    text = _text(path, text)
    if lacks := refusal(text, is_one=True):
        raise WrongUse(f"{path.name}: {lacks}")
    rule = HookRule(
        path.name, tuple(_runs(path.name, text)), _parameters(text), _data(path.name, text)
    )
    runs = rule.running(DrawState().size)
    made = [
        ProjectPass(
            each.name,
            path.resolve(),
            DrawState(
                Inputs(textures=rule.textures(runs, number)),
                attachments=Attachments(colour=ColourFormat.RGBA16F),
            ),
            entry=str(each.stage),
        )
        for number, each in enumerate(runs)
    ]
    *earlier, shown = made
    return Project(
        path.resolve(),
        language=Language.MPV,
        entry=shown.entry,
        state=shown.state,
        passes=tuple(earlier),
        rule=rule,
    )


@dataclass(frozen=True)
class HookRule:
    """Sizes by the expressions of the stages; parameters that the user set hold for all."""

    file: str
    runs: tuple[_Run, ...]
    parameters: tuple[tuple[str, float], ...]
    data: tuple[tuple[str, tuple[int, int]], ...]
    """Textures that the text brings, with width and height."""

    def states(self, project: Project, shown: DrawState) -> tuple[DrawState, ...]:
        """`FrameRule.states`."""
        chosen = (Source.SET, Source.PROJECT)
        given = {n: each for n, each in shown.inputs.values.items() if each.source in chosen}
        numbers = {name: each.value[0] for name, each in given.items()}
        runs, film, window, sizes = self._laid_out(shown.size, numbers)
        names = [each.name for each in runs]
        if [*names[:-1], SHOWN_PASS] != [*(each.name for each in project.passes), SHOWN_PASS]:
            raise WrongUse(f"{self.file}: at this size, or with these values, other stages run")
        found = []
        for number, (its, size) in enumerate(zip(runs, sizes, strict=True)):
            state = project.passes[number].state if number < len(project.passes) else shown
            held = {"shaderlab_size": size, "input_size": film, "target_size": window}
            for name in {"HOOKED", *its.binds} & {"HOOKED", *HOOKS}:
                by = _latest(runs, number, its.hook if name == "HOOKED" else name)
                held[f"{name}_size"] = film if by is None else sizes[by]
            values = {n: Input(tuple(map(float, each)), Source.TEXT) for n, each in held.items()}
            inputs = replace(
                state.inputs,
                clock=shown.inputs.clock,
                values={**state.inputs.values, **given, **values},
            )
            attachments = replace(state.attachments, size=size)
            found.append(replace(state, inputs=inputs, attachments=attachments))
        return tuple(found)

    def running(self, size: tuple[int, int]) -> list[_Run]:
        """The stages that run where the last one's picture has this size; the last one is named
        as the shown pass."""
        return self._laid_out(size, {})[0]

    def textures(self, runs: list[_Run], at: int) -> dict[str, Input[Texture]]:
        """What the stage reads; of data a stand-in of its size, which is seen as a default."""
        found: dict[str, Input[Texture]] = {}
        data = dict(self.data)
        clamped = Texture(Pattern.GRADIENT, Filter.LINEAR, Wrap.CLAMP)
        for name in {"HOOKED", *runs[at].binds}:
            hook = runs[at].hook if name == "HOOKED" else name
            by = _latest(runs, at, hook)
            if by is not None:
                picture = replace(clamped, source=PassPicture(runs[by].name))
                found[f"{name}_raw"] = Input(picture, Source.TEXT)
            elif name in data:
                stand_in = Texture(NoisePicture(data[name]), Filter.NEAREST, Wrap.CLAMP)
                found[name] = Input(stand_in, Source.DEFAULT)
            else:
                found[f"{name}_raw"] = Input(clamped, Source.DEFAULT)
        return found

    def _laid_out(
        self, size: tuple[int, int], given: Mapping[str, float]
    ) -> tuple[list[_Run], tuple[int, int], tuple[int, int], list[tuple[int, int]]]:
        """Stages, size of the film and of the window, and of each stage's picture."""
        for film_part, window_part in _RATIOS:
            film = max(1, int(size[0] * film_part)), max(1, int(size[1] * film_part))
            window = int(size[0] * window_part), int(size[1] * window_part)
            runs, sizes = self._drawn(film, window, {**dict(self.parameters), **given})
            # A film has whole pixels: where half of an odd size is meant, one is lacking.
            near = max(1.0 / film_part, 1.0)
            if runs and all(abs(a - b) < near for a, b in zip(sizes[-1], size, strict=True)):
                sizes[-1] = size
                return [*runs[:-1], replace(runs[-1], name=SHOWN_PASS)], film, window, sizes
        raise WrongUse(
            f"{self.file}: no size of the film was found at which its stages run and leave a "
            f"picture of {size[0]} x {size[1]}; sizes that are a multiple of 16 suit most"
        )

    def _drawn(
        self, film: tuple[int, int], window: tuple[int, int], numbers: Mapping[str, float]
    ) -> tuple[list[_Run], list[tuple[int, int]]]:
        known = dict.fromkeys(HOOKS, film) | {"OUTPUT": window} | dict(self.data)
        runs, sizes = [], []
        for each in self.runs:
            known["HOOKED"] = known[each.hook]
            names = dict(numbers)
            for name, (width, height) in known.items():
                names |= {f"{name}.w": width, f"{name}.width": width}
                names |= {f"{name}.h": height, f"{name}.height": height}
            where = f"{self.file}: stage {each.stage}"
            if each.when and not _value(each.when, names, f"{where}: WHEN"):
                continue
            lacking = [name for name in each.binds if name not in known]
            if lacking:
                raise WrongUse(f"{where}: it binds {lacking[0]}, which nothing before it saves")
            sides = [
                _side(_value(each.width, names, f"{where}: WIDTH"), f"{where}: WIDTH"),
                _side(_value(each.height, names, f"{where}: HEIGHT"), f"{where}: HEIGHT"),
            ]
            known[each.saves] = sides[0], sides[1]
            runs.append(each)
            sizes.append((sides[0], sides[1]))
        return runs, sizes


def _text(path: Path, text: str | None) -> str:
    if text is None:
        text = files.read_bytes(path, _MAX_BYTES).decode("utf-8", "replace")
    return _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def _stages(text: str) -> list[Block]:
    return [block for block in blocks(text) if "HOOK" in block.head]


def _runs(file: str, text: str) -> list[_Run]:
    found = []
    for number, block in enumerate(_stages(text), 1):
        head = block.head
        describes = re.sub(r"[^\w ()+.,-]", " ", head.get("DESC", [""])[0]).strip()[:48]
        for hook in head["HOOK"]:
            if hook not in HOOKS:
                known = ", ".join(HOOKS)
                raise WrongUse(f'{file}: stage {number}: HOOK "{hook[:40]}" is not one of {known}')
            many = hook if len(head["HOOK"]) > 1 else ""
            found.append(
                _Run(
                    number,
                    hook,
                    " ".join(filter(None, (str(number), describes, many))),
                    tuple(name for name in dict.fromkeys(head.get("BIND", ())) if name != "HOOKED"),
                    head.get("SAVE", [hook])[0],
                    head.get("WIDTH", ["HOOKED.w"])[0],
                    head.get("HEIGHT", ["HOOKED.h"])[0],
                    head.get("WHEN", [""])[0],
                )
            )
    if len(found) > _MOST_PASSES:
        raise WrongUse(f"{file}: {len(found)} stages; at most {_MOST_PASSES} are drawn")
    return sorted(found, key=lambda each: HOOKS.index(each.hook))


def _latest(runs: list[_Run], at: int, picture: str) -> int | None:
    """Which stage before drew a picture last; None where none did."""
    return next((n for n in reversed(range(at)) if runs[n].saves == picture), None)


def _parameters(text: str) -> tuple[tuple[str, float], ...]:
    lines = text.split("\n")
    found = {}
    for block in blocks(text):
        for name in block.head.get("PARAM", ())[:1]:
            value = as_number(" ".join(lines[block.begin : block.end]).strip())
            if value is not None:
                found[name] = value
    return tuple(sorted(found.items()))


def _data(file: str, text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """Raises WrongUse for a texture that no device holds."""
    found = []
    for block in blocks(text):
        for name in block.head.get("TEXTURE", ())[:1]:
            sides = [as_number(each) or 0.0 for each in block.head.get("SIZE", [""])[0].split()]
            if not 1 <= len(sides) <= 3 or not all(1 <= side <= LARGEST for side in sides):
                raise WrongUse(
                    f"{file}: TEXTURE {name[:40]}: SIZE must have 1 to 3 sides of 1 to {LARGEST:,}"
                )
            found.append((name, (int(sides[0]), int((*sides, 1.0)[1]))))
    return tuple(found)


def _side(value: float, where: str) -> int:
    side = math.floor(value + 0.5) if math.isfinite(value) else 0
    if not 1 <= side <= LARGEST:
        raise WrongUse(f"{where}: {value:g} pixels; a side has 1 to {LARGEST:,}")
    return side


def _value(text: str, names: Mapping[str, float], where: str) -> float:
    """Of an expression in reverse Polish notation.  Raises WrongUse."""
    words = text.split()
    stack: list[float] = []
    try:
        for word in words[: _MOST_WORDS + 1]:
            number = as_number(word)
            if number is None and word in names:
                number = float(names[word])
            if number is not None:
                stack.append(number)
            elif word == "!":
                stack.append(float(not stack.pop()))
            else:
                second, first = stack.pop(), stack.pop()
                stack.append(float(_OPERATORS[word](first, second)))
        (found,) = stack
    except (KeyError, IndexError, ValueError, ArithmeticError):
        found = math.nan
    if len(words) > _MOST_WORDS or math.isnan(found):
        raise WrongUse(f'{where}: cannot compute "{text[:80]}"')
    return found
