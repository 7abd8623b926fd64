"""ISF files of several passes (https://docs.isf.video/ref_multipass.html).

One text is drawn once for each entry of PASSES, with its number in PASSINDEX, into the picture that
the entry names.  A picture that no earlier pass of the frame has drawn is that of the frame before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.dialects.isf import Header, IsfPass, header_of
from shaderlab.frontend.reading import Language
from shaderlab.projects.project import SHOWN_PASS, Project, ProjectPass
from shaderlab.projects.sizes import SizeText
from shaderlab.scene.draw import Attachments, ColourFormat, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Texture, Wrap

_SUFFIXES = (".fs", ".frag", ".isf")
_MAX_BYTES = 1 << 20
_MOST_PASSES = 64


def recognises(path: Path, text: str | None = None) -> bool:
    if path.suffix.lower() not in _SUFFIXES:
        return False
    header = _header(path, text)
    return header is not None and len(header.passes) > 1


def project(path: Path, text: str | None = None) -> Project:
    """Raises WrongUse where a size cannot be computed or there are too many passes."""
    header = _header(path, text)
    assert header is not None
    if len(header.passes) > _MOST_PASSES:
        raise WrongUse(
            f"{path.name}: {len(header.passes)} passes; at most {_MOST_PASSES} are drawn"
        )
    names = _names(header.passes)
    imported = _imported(header, path)
    numbers = {name: given.value for name, given in header.given.items()}
    parameters = {
        name: float(value) for name, value in numbers.items() if isinstance(value, int | float)
    }
    made = [
        ProjectPass(
            name,
            path.resolve(),
            DrawState(
                Inputs(
                    values={"PASSINDEX": Input((float(number),), Source.TEXT)},
                    textures=imported | _pictures(header.passes, names, number),
                ),
                attachments=Attachments(
                    colour=ColourFormat.RGBA32F if each.is_float else ColourFormat.RGBA8
                ),
            ),
        )
        for number, (name, each) in enumerate(zip(names, header.passes, strict=True))
    ]
    *earlier, shown = made
    where = (f"{path.name}: PASSES[{number}]" for number in range(len(made)))
    rule = IsfRule(tuple(map(_size, header.passes, where)), tuple(sorted(parameters.items())))
    return Project(
        path.resolve(),
        language=Language.ISF,
        state=shown.state,
        passes=tuple(earlier),
        rule=rule,
    )


@dataclass(frozen=True)
class IsfRule:
    """All passes have the same inputs but PASSINDEX, and sizes by expressions."""

    sizes: tuple[tuple[SizeText, SizeText], ...]
    """Of each pass: width, height."""
    parameters: tuple[tuple[str, float], ...]
    """Values of the inputs that expressions may name, where none is given."""

    def states(self, project: Project, shown: DrawState) -> tuple[DrawState, ...]:
        """`FrameRule.states`."""
        given = shown.inputs
        numbers = {name: each.value[0] for name, each in given.values.items()}
        names = {
            **dict(self.parameters),
            **numbers,
            "WIDTH": shown.size[0],
            "HEIGHT": shown.size[1],
        }
        *sizes, last = ((each[0].pixels(names), each[1].pixels(names)) for each in self.sizes)
        if last != shown.size:
            own, whole = ("{} x {}".format(*each) for each in (last, shown.size))
            raise WrongUse(
                f"{self.sizes[-1][0].where}: {own} pixels, but the last pass is what is shown, and "
                f"is drawn at the frame's size only, {whole}"
            )
        found = []
        for each, size in zip(project.passes, sizes, strict=True):
            own = each.state.inputs
            inputs = replace(
                own,
                clock=given.clock,
                values={**given.values, **own.values},
                textures={**given.textures, **own.textures},
            )
            attachments = replace(each.state.attachments, size=size)
            found.append(replace(each.state, inputs=inputs, attachments=attachments))
        return *found, shown


def _header(path: Path, text: str | None) -> Header | None:
    try:
        if text is None:
            text = files.read_bytes(path, _MAX_BYTES).decode("utf-8", "replace")
        return header_of(text)
    except WrongUse:
        return None


def _names(passes: list[IsfPass]) -> list[str]:
    """Of each pass: the picture it draws, with its number where another pass draws it too or none
    is named; the last one's is the frame's."""
    targets = [each.target for each in passes]
    names = [
        target if target and targets.count(target) == 1 else f"{target or 'pass'} {number}"
        for number, target in enumerate(targets)
    ]
    return [*names[:-1], SHOWN_PASS]


def _pictures(passes: list[IsfPass], names: list[str], at: int) -> dict[str, Input[Texture]]:
    """By name, what each picture is while pass `at` draws: of the last pass before it that drew it,
    else of the frame before."""
    found: dict[str, Input[Texture]] = {}
    for target in dict.fromkeys(each.target for each in passes if each.target):
        by = [number for number, each in enumerate(passes) if each.target == target]
        latest = [number for number in by if number < at] or by
        picture = Texture(PassPicture(names[latest[-1]]), Filter.LINEAR, Wrap.CLAMP)
        found[target] = Input(picture, Source.TEXT)
    return found


def _imported(header: Header, path: Path) -> dict[str, Input[Texture]]:
    """Images that lie beside the file; others keep a pattern, and say so as any default does."""
    # Loaded with a picture only: the window starts without Pillow.
    from shaderlab.projects.reading import stamp
    from shaderlab.textures import image_files

    folder = path.resolve().parent
    found: dict[str, Input[Texture]] = {}
    for name, written in header.imported.items():
        try:
            image = (folder / written).resolve()
            is_there = image.is_relative_to(folder) and image.is_file()
        except (OSError, ValueError):  # a name that no file can have
            continue
        if is_there:
            source = ImageFile(image, stamp(image), size=image_files.size(image))
            found[name] = Input(Texture(source, Filter.LINEAR, Wrap.CLAMP), Source.TEXT)
    return found


def _size(each: IsfPass, where: str) -> tuple[SizeText, SizeText]:
    return (
        SizeText(each.width or "$WIDTH", f"{where}: WIDTH"),
        SizeText(each.height or "$HEIGHT", f"{where}: HEIGHT"),
    )
