"""Presets of RetroArch (`.slangp`): shaders that draw one after the other.

libretro's documentation, "Slang shader development": each pass reads the game's frame, what passes
before it drew, and of all passes what they drew in the frame before.  The game stands still, so its
earlier frames are like the present one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import Language
from shaderlab.locations import resources
from shaderlab.projects.communities.presets import Preset
from shaderlab.projects.project import SHOWN_PASS, Project, ProjectPass
from shaderlab.projects.sizes import LARGEST
from shaderlab.scene.draw import Attachments, ColourFormat, DrawState
from shaderlab.scene.inputs import Input, Inputs, Numbers, Source, anywhere
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Pattern, Texture, Wrap

_MOST_PASSES, _MOST_TEXTURES = 64, 64
_MAX_BYTES = 1 << 20
_HISTORY = 8
"""Frames of the game before the present one; more would look the same."""
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(name|format)[ \t]+(\w+)", re.M)
_SCALES = ("source", "viewport", "absolute")
_WRAPS = {
    "clamp_to_border": Wrap.BORDER,
    "clamp_to_edge": Wrap.CLAMP,
    "repeat": Wrap.REPEAT,
    "mirrored_repeat": Wrap.MIRROR,
}
_STILL = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Of a vertex stage whose positions are where they shall be."""


@dataclass(frozen=True)
class _Pass:
    """One pass as the preset has it."""

    shader: Path
    alias: str
    colour: ColourFormat
    scales: tuple[tuple[str, float], tuple[str, float]]
    """Of width and height: what it multiplies, or `absolute`."""
    cycle: int
    """`frame_count_mod`."""
    sampled: Texture
    """How what it reads first is read."""


def recognises(path: Path, _text: str | None = None) -> bool:
    return path.suffix.lower() == ".slangp"


def project(path: Path, _text: str | None = None) -> Project:
    """Raises WrongUse, with the entry that is wrong, for a preset that cannot be followed."""
    preset = Preset(path)
    passes = list(_passes(preset))
    pictures = _pictures(preset)
    names = _names(passes)
    settings = {
        anywhere(name): Input((value,), Source.PROJECT) for name, value in preset.settings().items()
    }
    values = {anywhere("MVP"): Input(_STILL, Source.TEXT), **settings}
    made = [
        ProjectPass(
            names[number],
            each.shader,
            DrawState(
                Inputs(values=values, textures=_read(passes, names, number) | pictures),
                attachments=Attachments(colour=each.colour),
            ),
            each.shader,
        )
        for number, each in enumerate(passes)
    ]
    *earlier, shown = made
    sizes = tuple((name, given.value) for name, given in pictures.items())
    return Project(
        shown.shader,
        language=Language.LIBRETRO,
        includes=(preset.root,),
        state=shown.state,
        passes=tuple(earlier),
        vertex=shown.vertex,
        rule=PresetRule(path.name, tuple(passes), sizes),
    )


@dataclass(frozen=True)
class PresetRule:
    """Sizes follow from the game's frame, the pass before and the picture that is shown; what the
    user set holds for every pass."""

    file: str
    passes: tuple[_Pass, ...]
    pictures: tuple[tuple[str, Texture], ...]
    """The preset's own textures."""

    def states(self, project: Project, shown: DrawState) -> tuple[DrawState, ...]:
        """`FrameRule.states`."""
        chosen = {n: each for n, each in shown.inputs.textures.items() if each.source is Source.SET}
        game = chosen.get("Original") or (chosen.get("Source") if not project.passes else None)
        original = game.value.size(shown.size) if game else _GAME.size(shown.size)
        textures = dict.fromkeys(_originals(), game) if game else {}
        given = {
            anywhere(name.rpartition(".")[2]): each
            for name, each in shown.inputs.values.items()
            if each.source in (Source.SET, Source.PROJECT) and not name.startswith(anywhere(""))
        }
        sizes = self._sizes(original, shown.size)
        states = [*(each.state for each in project.passes), shown]
        found = []
        for number, (own, its, state) in enumerate(zip(self.passes, sizes, states, strict=True)):
            held = {
                anywhere(name): Input(value, Source.TEXT)
                for name, value in self._held(number, sizes, original, shown.size).items()
            }
            read = state.inputs.textures
            if number == 0:
                textures |= {"Source": game} if game else {}
            clock = replace(shown.inputs.uniforms, frames_in_cycle=own.cycle)
            inputs = replace(
                state.inputs,
                clock=replace(shown.inputs.clock, value=clock),
                values={**state.inputs.values, **held, **given},
                textures={**read, **{n: t for n, t in textures.items() if n in read}},
            )
            textures.pop("Source", None)
            attachments = replace(state.attachments, size=its)
            found.append(replace(state, inputs=inputs, attachments=attachments))
        return tuple(found)

    def _sizes(self, original: tuple[int, int], viewport: tuple[int, int]) -> list[tuple[int, int]]:
        before, found = original, []
        for number, each in enumerate(self.passes):
            sides = []
            for axis, (kind, scale) in enumerate(each.scales):
                whole = {"source": before[axis], "viewport": viewport[axis], "absolute": 1}[kind]
                side = max(1, int(whole * scale + 0.5))
                if side > LARGEST:
                    raise WrongUse(
                        f"{self.file}: scale{number}: {side:,} pixels; a side has 1 to {LARGEST:,}"
                    )
                sides.append(side)
            before = sides[0], sides[1]
            found.append(before)
        return found

    def _held(
        self,
        number: int,
        sizes: list[tuple[int, int]],
        original: tuple[int, int],
        viewport: tuple[int, int],
    ) -> Mapping[str, Numbers]:
        """What the names that mean sizes hold in one pass."""
        found = {
            "SourceSize": sizes[number - 1] if number else original,
            "OriginalSize": original,
            "OutputSize": sizes[number],
            "FinalViewportSize": viewport,
            **{f"OriginalHistorySize{back}": original for back in range(_HISTORY + 1)},
        }
        for other, size in enumerate(sizes):
            alias = self.passes[other].alias
            found |= {f"PassOutputSize{other}": size, f"PassFeedbackSize{other}": size}
            found |= {f"{alias}Size": size, f"{alias}FeedbackSize": size} if alias else {}
        found |= {f"{name}Size": texture.size(viewport) for name, texture in self.pictures}
        return {
            name: (float(width), float(height), 1.0 / max(1, width), 1.0 / max(1, height))
            for name, (width, height) in found.items()
        }


_GAME = Texture(Pattern.GAME)


def _originals() -> Iterator[str]:
    yield "Original"
    yield from (f"OriginalHistory{back}" for back in range(_HISTORY + 1))


def _passes(preset: Preset) -> Iterator[_Pass]:
    count = preset.number("shaders", 0.0)
    if count < 1:
        raise preset.wrong("shaders", "it names no shader")
    if count > _MOST_PASSES:
        raise preset.wrong("shaders", f"{count:,.0f} passes; at most {_MOST_PASSES} are drawn")
    is_framed = False
    for number in range(int(count)):
        key = f"shader{number}"
        if not preset.text(key):
            raise preset.wrong(key, "it is missing")
        shader = preset.file(key)
        if shader is None:
            raise preset.wrong(key, f'there is no file "{preset.text(key)[:80]}"')
        said = dict(
            _PRAGMA.findall(files.read_bytes(shader, _MAX_BYTES).decode("utf-8", "replace"))
        )
        is_framed = any(preset.text(f"scale_type{axis}{number}") for axis in ("", "_x", "_y"))
        is_last = number + 1 == count
        yield _Pass(
            shader,
            preset.text(f"alias{number}") or said.get("name", ""),
            _colour(preset, number, said.get("format", ""), is_framed=is_framed, is_last=is_last),
            _scales(preset, number, "viewport" if is_last else "source"),
            int(min(max(preset.number(f"frame_count_mod{number}", 0.0), 0.0), 1e9)),
            _sampled(
                preset.flag(f"filter_linear{number}"),
                preset.flag(f"mipmap_input{number}"),
                preset.text(f"wrap_mode{number}"),
            ),
        )
    if is_framed:  # the last pass draws into a picture, which is then shown
        whole = ("viewport", 1.0)
        stock = resources() / "libretro" / "stock.slang"
        sampled = Texture(filter=Filter.NEAREST, wrap=Wrap.CLAMP)
        yield _Pass(stock, "", ColourFormat.RGBA8, (whole, whole), 0, sampled)


def _colour(
    preset: Preset, number: int, said: str, *, is_framed: bool, is_last: bool
) -> ColourFormat:
    """`said`: the format that the shader's text asks for."""
    if is_framed and preset.flag(f"srgb_framebuffer{number}"):
        return ColourFormat.RGBA8_SRGB
    if is_framed and preset.flag(f"float_framebuffer{number}"):
        return ColourFormat.RGBA16F
    if is_last and not is_framed:
        return ColourFormat.RGBA8
    if said.endswith("_SRGB"):
        return ColourFormat.RGBA8_SRGB
    if "32" in said and said.endswith("_SFLOAT"):
        return ColourFormat.RGBA32F
    has_more = said.endswith("_SFLOAT") or said.startswith("A2B10")
    return ColourFormat.RGBA16F if has_more else ColourFormat.RGBA8


def _scales(
    preset: Preset, number: int, default: str
) -> tuple[tuple[str, float], tuple[str, float]]:
    both = preset.text(f"scale_type{number}")
    given = [both or preset.text(f"scale_type_{axis}{number}") for axis in "xy"]
    if not any(given):
        return (default, 1.0), (default, 1.0)
    found = []
    for axis, kind in zip("xy", given, strict=True):
        if kind not in ("", *_SCALES):
            known = ", ".join(_SCALES)
            raise preset.wrong(f"scale_type{number}", f'"{kind[:40]}" is not one of {known}')
        key = f"scale{number}" if preset.text(f"scale{number}") else f"scale_{axis}{number}"
        found.append((kind or "source", preset.number(key, 1.0)))
    return found[0], found[1]


def _sampled(is_linear: bool, has_levels: bool, wrap: str) -> Texture:
    filter_ = Filter.LINEAR if is_linear else Filter.NEAREST
    return Texture(
        filter=Filter.MIPMAP if has_levels else filter_,
        wrap=_WRAPS.get(wrap.lower(), Wrap.BORDER),
    )


def _names(passes: list[_Pass]) -> list[str]:
    """Of each pass: its alias, else its number and its file; the last one's is the frame's."""
    aliases = [each.alias for each in passes]
    names = [
        alias if alias and alias != SHOWN_PASS and aliases.count(alias) == 1
        else f"{number} {passes[number].shader.stem}"
        for number, alias in enumerate(aliases)
    ]  # fmt: skip
    return [*names[:-1], SHOWN_PASS]


def _read(passes: list[_Pass], names: list[str], at: int) -> dict[str, Input[Texture]]:
    """By name, what pass `at` can read of the game and of passes.

    A picture is sampled as the pass after the one that drew it says of its own input.
    """
    game = replace(passes[0].sampled, source=Pattern.GAME)
    found = dict.fromkeys(_originals(), game)
    found["Source"] = game
    for other, name in enumerate(names[:-1]):
        sampled = passes[other + 1].sampled
        before = replace(passes[other].sampled, source=PassPicture(name, before=True))
        found[f"PassFeedback{other}"] = before
        if passes[other].alias:
            found[f"{passes[other].alias}Feedback"] = before
        if other < at:
            latest = replace(sampled, source=PassPicture(name))
            found[f"PassOutput{other}"] = latest
            if passes[other].alias:
                found[passes[other].alias] = latest
    if at:
        found["Source"] = replace(passes[at].sampled, source=PassPicture(names[at - 1]))
    return {name: Input(texture, Source.TEXT) for name, texture in found.items()}


def _pictures(preset: Preset) -> dict[str, Input[Texture]]:
    """The preset's own textures.  One whose file is missing shows a pattern, as a default does."""
    # Loaded with a picture only: the window starts without Pillow.
    from shaderlab.projects.reading import stamp
    from shaderlab.textures import image_files

    names = [each.strip() for each in preset.text("textures").split(";") if each.strip()]
    if len(names) > _MOST_TEXTURES:
        raise preset.wrong("textures", f"{len(names):,} textures; at most {_MOST_TEXTURES}")
    found = {}
    for name in names:
        if not preset.text(name):
            raise preset.wrong(name, "it is missing, and is one of the textures")
        sampled = _sampled(
            preset.flag(f"{name}_linear"),
            preset.flag(f"{name}_mipmap"),
            preset.text(f"{name}_wrap_mode"),
        )
        image = preset.file(name)
        if image is None:
            found[name] = Input(replace(sampled, source=Pattern.GRADIENT), Source.DEFAULT)
        else:
            source = ImageFile(image, stamp(image), size=image_files.size(image))
            found[name] = Input(replace(sampled, source=source), Source.PROJECT)
    return found
