"""RetroArch's presets as they are written: `key = value` lines, and others that they refer to.

RetroArch's documentation, "Shader presets"; what it leaves open is as in `video_shader_parse.c`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from shaderlab import files
from shaderlab.errors import WrongUse

_MAX_BYTES = 1 << 20
_MOST_FILES = 64
_DEEPEST = 16
_REFERENCE = re.compile(r"#[ \t]*reference[ \t]+(.+)")
_ENTRY = re.compile(r"""\s*([\w.\-]+)\s*=\s*(?:"([^"\n]*)"|([^\s"#][^\s#]*))?""")
_OF_THE_PASSES = re.compile(
    r"(?:shaders|textures|parameters|feedback_pass)|(?:shader|scale|scale_x|scale_y|scale_type|"
    r"scale_type_x|scale_type_y|filter_linear|float_framebuffer|srgb_framebuffer|mipmap_input|"
    r"wrap_mode|alias|frame_count_mod)\d+"
)
_COLLECTION = re.compile(r"(?:slang|glsl)[-_]?shaders|shaders[-_](?:slang|glsl)", re.I)


@dataclass(frozen=True)
class Entry:
    """One value, and the folder that paths in it begin at."""

    text: str
    folder: Path


class Preset:
    """The entries of a preset, with those of the presets it refers to."""

    def __init__(self, path: Path):
        """Raises WrongUse for a file that cannot be read, and for references without an end."""
        self.name = path.name
        own = path.resolve()
        self.root = next((each for each in own.parents if _is_collection(each)), own.parent)
        """The folder that all files of the preset are in."""
        self._read = 0
        self.entries = self._merged(own, ())

    def text(self, key: str) -> str:
        """Empty where there is no such entry."""
        entry = self.entries.get(key)
        return entry.text if entry else ""

    def number(self, key: str, default: float) -> float:
        """Raises WrongUse for what is no number."""
        text = self.text(key)
        if not text:
            return default
        value = as_number(text)
        if value is None:
            raise self.wrong(key, f'"{text[:40]}" is not a number')
        return value

    def flag(self, key: str) -> bool:
        return self.text(key).lower() in ("true", "1")

    def settings(self) -> Mapping[str, float]:
        """Every number that describes no pass: values of parameters."""
        numbers = {name: as_number(each.text) for name, each in self.entries.items()}
        return {
            name: number
            for name, number in numbers.items()
            if number is not None and not _OF_THE_PASSES.fullmatch(name)
        }

    def file(self, key: str) -> Path | None:
        """The file that an entry names; None where there is none.

        Raises WrongUse for a path that leads out of `root`.
        """
        entry = self.entries[key]
        return self._file(f"{self.name}: {key}", entry.text, entry.folder)

    def wrong(self, key: str, what: str) -> WrongUse:
        return WrongUse(f"{self.name}: {key}: {what}")

    def _file(self, where: str, written: str, folder: Path) -> Path | None:
        path = PureWindowsPath(written)  # whose parts either stroke divides
        shown = written[:80]
        try:
            found = folder.joinpath(*path.parts).resolve()
            is_inside = found.is_relative_to(self.root) and not (path.drive or path.root)
            is_there = is_inside and found.is_file()
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            return None
        if not is_inside:
            raise WrongUse(
                f'{where}: "{shown}" is outside the preset\'s folder, {self.root.name}; where both '
                "belong together, a .git folder or the name slang-shaders says so"
            )
        return found if is_there else None

    def _merged(self, path: Path, above: tuple[Path, ...]) -> dict[str, Entry]:
        """What a file says over what its references say; passes are those of the first one."""
        if path in above:
            names = " -> ".join(each.name for each in (*above[above.index(path) :], path))
            raise WrongUse(f"{self.name}: presets refer to each other: {names}")
        self._read += 1
        if len(above) > _DEEPEST or self._read > _MOST_FILES:
            raise WrongUse(
                f"{self.name}: it refers to more than {_MOST_FILES} presets, or more than "
                f"{_DEEPEST} one after the other"
            )
        references, own = _parsed(path)
        found: dict[str, Entry] = {}
        for number, written in enumerate(references):
            other = self._file(f"{self.name}: #reference", written, path.parent)
            if other is None:
                raise WrongUse(f'{self.name}: #reference: there is no file "{written[:80]}"')
            its = self._merged(other, (*above, path))
            found |= its if number == 0 else _without_passes(its)
        return found | (_without_passes(own) if references else own)


def _without_passes(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    return {name: each for name, each in entries.items() if not _OF_THE_PASSES.fullmatch(name)}


def _parsed(path: Path) -> tuple[list[str], dict[str, Entry]]:
    text = files.read_bytes(path, _MAX_BYTES).decode("utf-8", "replace").lstrip("\ufeff")
    references: list[str] = []
    found: dict[str, Entry] = {}
    for line in text.splitlines():
        if match := _REFERENCE.match(line):
            references.append(match[1].strip().strip('"'))
        elif not line.lstrip().startswith(("#", "//")) and (match := _ENTRY.match(line)):
            found.setdefault(match[1], Entry((match[2] or match[3] or "").strip(), path.parent))
    return references, found


def as_number(text: str) -> float | None:
    """None for what is no number of ordinary size."""
    found = re.fullmatch(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)f?", text[:40])
    number = float(found[1]) if found else None
    return number if number is not None and abs(number) < 1e30 else None


def _is_collection(folder: Path) -> bool:
    return bool(_COLLECTION.search(folder.name)) or (folder / ".git").exists()
