"""A Shadertoy with its passes as a project: from the site's export, or from a folder of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend import source_text
from shaderlab.projects import shadertoy_export, writing
from shaderlab.projects.project import SUFFIX, Project, ProjectPass
from shaderlab.projects.shadertoy_export import Channel, Export, ExportedPass, PassKind
from shaderlab.scene.draw import Attachments, ColourFormat, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, PassPicture, Texture, Wrap

_COMMON = "Common.glsl"
_CUBE_SIZE = (1024, 1024)
"""Of each face, as Shadertoy has it."""
_MOST_FILES = 1000
_TEXTS = frozenset({"", "glsl", "frag", "fs", "txt"})
_PASS_FILE = re.compile(r"(?:.*[ ._-])?(?:(image|common)|buf(?:fer)?[ ._-]?([a-d]))", re.I)


@dataclass(frozen=True)
class Imported:
    """What an import wrote."""

    project: Path
    written: tuple[Path, ...]
    """The shaders, the project file last."""
    notes: tuple[str, ...]
    """What was left out, guessed or replaced."""


def from_export(source: Path, project: Path) -> Imported:
    """Write an export's passes beside `project` and the project itself.

    Raises WrongUse, also where a file of another text is there: nothing is overwritten.
    """
    return _written(shadertoy_export.read(source), project, ())


def from_folder(folder: Path, project: Path) -> Imported:
    """The same of a folder with `Image`, `Buffer A` to `D` and `Common` as texts.

    Nothing there says what the channels read: `iChannel0` is taken to be Buffer A, and so on.
    Raises WrongUse.
    """
    found: dict[str, Path] = {}
    for number, path in enumerate(sorted(folder.iterdir())):
        if number == _MOST_FILES:
            raise WrongUse(f"{folder.name} has more than {_MOST_FILES} files")
        match = _PASS_FILE.fullmatch(path.stem)
        if match is None or path.suffix.lower().lstrip(".") not in _TEXTS or not path.is_file():
            continue
        name = match[1].title() if match[1] else f"Buffer {match[2].upper()}"
        if name in found:
            raise WrongUse(f"{found[name].name} and {path.name} are both {name}: remove one")
        found[name] = path
    if "Image" not in found:
        raise WrongUse(f"{folder.name} has no Image.glsl: that pass is what Shadertoy shows")
    texts = {name: _text(path) for name, path in found.items()}
    common = texts.pop("Common", "")
    buffers = sorted(name for name in texts if name != "Image")
    channels: list[Channel | None] = [None] * 4
    for number, name in enumerate(buffers):
        picture = Texture(PassPicture(name), Filter.LINEAR, Wrap.CLAMP)
        channels[number] = Channel(picture, "sampler2D")
    four = (channels[0], channels[1], channels[2], channels[3])
    passes = tuple(
        ExportedPass(
            name, PassKind.IMAGE if name == "Image" else PassKind.BUFFER, texts[name], four
        )
        for name in (*buffers, "Image")
    )
    guess = "iChannel0 to iChannel3 are taken to be the buffers in order: change [pass.textures]"
    return _written(Export(folder.name, common, passes), project, (guess,) if buffers else ())


def _text(path: Path) -> str:
    data = files.read_bytes(path, source_text.MAX_BYTES)
    return source_text.unify_line_ends(source_text.decode(data, path.name))


def _written(export: Export, project: Path, notes: tuple[str, ...]) -> Imported:
    drawn = [each for each in export.passes if each.kind is not PassKind.SOUND]
    found = [*notes, *_notes(export)]
    stem = project.name.removesuffix(SUFFIX).removesuffix(".toml")
    folder = project.parent
    texts: dict[Path, str] = {}
    common = folder / f"{stem} {_COMMON}"
    if export.common:
        texts[common] = export.common
    paths = {each.name: folder / f"{stem} {each.name}.glsl" for each in drawn}
    head = f'#include "{common.name}"\n' if export.common else ""
    for each in drawn:
        texts[paths[each.name]] = each.text(head)
    for path, text in texts.items():
        if path.exists() and _text(path) != text:
            raise WrongUse(f"{path.name} is there already with another text: choose another name")
    *before, image = drawn
    made = Project(
        paths[image.name],
        language="shadertoy",
        state=DrawState(_inputs(image)),
        passes=tuple(ProjectPass(each.name, paths[each.name], _state(each)) for each in before),
    )
    texts[project] = writing.text(project, made)
    files.save_all({path: text.encode() for path, text in texts.items()})
    return Imported(project, tuple(texts), tuple(found))


def _state(each: ExportedPass) -> DrawState:
    size = _CUBE_SIZE if each.kind is PassKind.CUBEMAP else DrawState().size
    return DrawState(_inputs(each), attachments=Attachments(size, colour=ColourFormat.RGBA32F))


def _inputs(each: ExportedPass) -> Inputs:
    return Inputs(
        textures={
            f"iChannel{number}": Input(channel.texture, Source.PROJECT)
            for number, channel in enumerate(each.channels)
            if channel is not None
        }
    )


def _notes(export: Export) -> Sequence[str]:
    found = []
    for each in export.passes:
        if each.kind is PassKind.SOUND:
            found.append("the Sound pass is not included: shaderlab renders images only")
        for number, channel in enumerate(each.channels):
            if channel is not None and channel.stands_for:
                found.append(
                    f"{each.name}, iChannel{number}: {channel.texture.source} stands for "
                    f"{channel.stands_for}"
                )
    return found
