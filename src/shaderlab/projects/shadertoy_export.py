"""Shadertoy's own exports: the JSON of its API and of its "export" button.

Untrusted: only what is named below is read, everything is bounded, and no path of the file is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend import source_text
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Texture, Wrap

MAX_BYTES = 4 << 20
"""Largest export read; the site's largest are a tenth of it."""


class PassKind(StrEnum):
    """What a pass draws, by Shadertoy's own words."""

    IMAGE = "image"
    BUFFER = "buffer"
    CUBEMAP = "cubemap"
    SOUND = "sound"


@dataclass(frozen=True)
class Channel:
    """One `iChannel` of a pass."""

    texture: Texture
    sampler: str
    """GLSL type: `sampler2D`, `samplerCube`, `sampler3D`."""
    stands_for: str = ""
    """What of the site the texture stands in for, as `a video`; empty where nothing is missing."""


@dataclass(frozen=True)
class ExportedPass:
    """One pass as its author wrote it."""

    name: str
    """`Image`, `Buffer A`, `Cube A`, `Sound`."""
    kind: PassKind
    code: str
    channels: tuple[Channel | None, Channel | None, Channel | None, Channel | None]

    def text(self, before: str = "") -> str:
        """What compiles: `before`, the types of its channels, its code."""
        for number, channel in enumerate(self.channels):
            if channel is not None and channel.sampler != "sampler2D":
                before += f"uniform {channel.sampler} iChannel{number};\n"
        return before + self.code


@dataclass(frozen=True)
class Export:
    """A shader with all its passes, in the order Shadertoy draws them: buffers, cube, image."""

    name: str
    common: str
    """The text of its Common tab; empty without one."""
    passes: tuple[ExportedPass, ...]


class _Sampler(msgspec.Struct):
    filter: str = "linear"
    wrap: str = "clamp"


class _Input(msgspec.Struct):
    id: str | int | None = None
    channel: int = -1
    type: str | None = None
    ctype: str | None = None
    sampler: _Sampler | None = None


class _Output(msgspec.Struct):
    id: str | int | None = None


class _Pass(msgspec.Struct):
    type: str
    code: str
    name: str = ""
    inputs: list[_Input] = []
    outputs: list[_Output] = []


class _Info(msgspec.Struct):
    name: str = ""


class _Shader(msgspec.Struct):
    renderpass: list[_Pass]
    info: _Info = msgspec.field(default_factory=_Info)


class _Answer(msgspec.Struct):
    """What the site's API sends around a shader."""

    Shader: _Shader


_LETTERED = re.compile(r"(?:buf|buffer|cube|cubemap) ?([a-d])", re.I)
_ORDER = (PassKind.BUFFER, PassKind.CUBEMAP, PassKind.IMAGE, PassKind.SOUND)
_SAMPLERS = {"cubemap": "samplerCube", "volume": "sampler3D"}
_STAND_INS = {
    "texture": (Pattern.NOISE, "a texture of the site"),
    "volume": (Pattern.NOISE, "a volume of the site"),
    "cubemap": (Pattern.GRADIENT, "a cube map of the site"),
    "keyboard": (Pattern.KEYBOARD, ""),
    "video": (Pattern.GRADIENT, "a video"),
    "webcam": (Pattern.GRADIENT, "a webcam"),
    "music": (Pattern.NOISE, "music"),
    "musicstream": (Pattern.NOISE, "music"),
    "mic": (Pattern.NOISE, "a microphone"),
}
"""What a texture of the site is replaced by: a pattern whose values vary as its would."""


def read(path: Path) -> Export:
    """The export in a file.  Raises WrongUse, with the place in the JSON that is wrong."""
    return parse(files.read_bytes(path, MAX_BYTES), path.stem)


def parse(data: bytes, name: str) -> Export:
    """The export in `data`; `name` where it has none of its own.  Raises WrongUse."""
    shader = _decoded(data, name)
    names = _pass_names(shader.renderpass, name)
    by_output: dict[str, str] = {}
    for each, own in zip(shader.renderpass, names, strict=True):
        for output in each.outputs:
            if output.id is not None and own:
                by_output.setdefault(str(output.id), own)
    common: list[str] = []
    passes: list[ExportedPass] = []
    for each, own in zip(shader.renderpass, names, strict=True):
        text = source_text.unify_line_ends(each.code)
        if each.type == "common":
            common.append(text)
        else:
            channels = _channels(each, by_output)
            passes.append(ExportedPass(own, PassKind(each.type), text, channels))
    if not any(each.kind is PassKind.IMAGE for each in passes):
        raise WrongUse(f"{name}: this Shadertoy export has no image pass")
    passes.sort(key=lambda each: (_ORDER.index(each.kind), each.name))
    return Export(shader.info.name or name, "\n".join(common), tuple(passes))


def _decoded(data: bytes, name: str) -> _Shader:
    problem = ""
    for kind in (_Shader, _Answer, list[_Shader], list[_Answer]):
        try:
            found = msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problem = problem or str(error)
            continue
        if isinstance(found, list):
            if len(found) != 1:
                raise WrongUse(
                    f"{name}: this export holds {len(found)} shaders; save the one you want alone"
                )
            found = found[0]
        return found.Shader if isinstance(found, _Answer) else found
    raise WrongUse(f"{name}: this is not a Shadertoy export: {problem}")


def _pass_names(passes: Sequence[_Pass], name: str) -> list[str]:
    """By pass: what it is called; empty for the common text.

    The letters of buffers follow their own names where these are the site's, else their order.
    """
    counted = {kind: 0 for kind in PassKind}
    found: list[str] = []
    for each in passes:
        if each.type == "common":
            found.append("")
            continue
        if each.type not in set(PassKind):
            raise WrongUse(f'{name}: "{each.type[:40]}" is not a kind of Shadertoy pass')
        kind = PassKind(each.type)
        counted[kind] += 1
        word = {"image": "Image", "buffer": "Buffer", "cubemap": "Cube", "sound": "Sound"}[kind]
        numbered = kind in (PassKind.BUFFER, PassKind.CUBEMAP)
        if counted[kind] > (4 if kind is PassKind.BUFFER else 1):
            raise WrongUse(f"{name}: more {word} passes than Shadertoy has")
        letter = _LETTERED.fullmatch(each.name.strip())
        own = f"{word} {letter[1].upper()}" if letter else ""
        taken = {own_name for own_name in found if own_name}
        if numbered and (not own or own in taken):
            own = next(f"{word} {free}" for free in "ABCD" if f"{word} {free}" not in taken)
        found.append(own if numbered else word)
    return found


def _channels(
    each: _Pass, by_output: dict[str, str]
) -> tuple[Channel | None, Channel | None, Channel | None, Channel | None]:
    found: list[Channel | None] = [None] * 4
    for entry in each.inputs:
        if 0 <= entry.channel < 4:
            found[entry.channel] = _channel(entry, by_output)
    return found[0], found[1], found[2], found[3]


def _channel(entry: _Input, by_output: dict[str, str]) -> Channel:
    kind = entry.type or entry.ctype or ""
    sampler = entry.sampler or _Sampler()
    how = {
        "filter": Filter(sampler.filter) if sampler.filter in set(Filter) else Filter.LINEAR,
        "wrap": Wrap(sampler.wrap) if sampler.wrap in set(Wrap) else Wrap.CLAMP,
    }
    source = by_output.get(str(entry.id))
    if source is not None and kind in ("buffer", "cubemap"):
        glsl = "samplerCube" if source.startswith("Cube") else "sampler2D"
        return Channel(Texture(PassPicture(source), **how), glsl)
    if kind == "buffer":
        return Channel(Texture(Pattern.BLACK, **how), "sampler2D", "a buffer the export lacks")
    pattern, stands_for = _STAND_INS.get(kind, (Pattern.BLACK, f"an input of type {kind[:20]}"))
    return Channel(Texture(pattern, **how), _SAMPLERS.get(kind, "sampler2D"), stands_for)
