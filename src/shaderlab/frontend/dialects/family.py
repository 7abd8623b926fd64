"""What a family of dialects answers, and the text it is asked about."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shaderlab.frontend import scanner
from shaderlab.frontend.program import Diagnostic, Dialect, Given
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage, named_in
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.frontend.toolchain.interface import VULKAN, Compilation, Rules
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

LINE_NAMES = "#extension GL_GOOGLE_cpp_style_line_directive : enable"
"""Allows `#line` to name files."""
_SHOWN = 4
"""Names in a note."""
_LOCAL_SIZE = re.compile(r"\blayout\s*\([^()]*\blocal_size_[xyz](?:_id)?\b[^()]*\)\s*in\s*;")


@dataclass(frozen=True)
class Text:
    """A shader's text, and what is known about it before it is understood."""

    name: str
    """Of its file, without folders."""
    text: str
    """With includes in place and LF line ends."""
    reading: Reading
    beside: bytes = b""
    """Contents of the `.json` file of the same name beside it, where there is one."""

    @cached_property
    def code(self) -> str:
        """The text with comments and strings blanked."""
        return scanner.blank(self.text)

    @cached_property
    def bare(self) -> str:
        """The text without comments: editing one changes nothing that is compiled."""
        return scanner.without_comments(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier of the code."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.code))

    @property
    def stage(self) -> Stage:
        return self.reading.stage or Stage.FRAGMENT

    @property
    def suffix(self) -> str:
        """What follows the last dot of its name, in lower case."""
        return self.name.rpartition(".")[2].lower() if "." in self.name else ""

    @property
    def defines(self) -> str:
        """The user's macros as directives, each with its line end."""
        return "".join(f"#define {name} {value}\n" for name, value in self.reading.defines)


@dataclass(frozen=True)
class Attempt:
    """One way to compile a text; a family may have several, likeliest first."""

    dialect: Dialect
    source: str
    """What glslang is given."""
    rules: Rules = VULKAN
    entry: str = "main"
    """Of the module."""
    remark: str = ""
    """How to say that this way was taken because another failed; its message is appended."""

    @property
    def is_checked(self) -> bool:
        """Whether the module is validated: glslang is not always right beyond Vulkan GLSL."""
        return self.rules != VULKAN

    def compiled(self) -> Compilation:
        """Raises MissingTool, ShaderTimeout."""
        return toolchain().compile(self.source, self.rules)


class Family(ABC):
    """The dialects that are read alike."""

    language: Language

    @abstractmethod
    def recognises(self, text: Text) -> bool:
        """Whether the text is one of its own."""

    @abstractmethod
    def attempts(self, text: Text) -> Iterable[Attempt]:
        """Ways to compile it; asked for one after the other until one succeeds."""

    def given(self, text: Text) -> Mapping[str, Given]:  # noqa: ARG002
        """What the text says about the values of its inputs."""
        return {}

    def left_out(self, text: Text) -> Diagnostic | None:  # noqa: ARG002
        """A note on what of the text is not in the program; None where all of it is."""
        return None

    def is_part(self, text: Text) -> bool:  # noqa: ARG002
        """Whether what is left out is drawn in every frame of the author's."""
        return False

    def entry_points(self, text: Text) -> tuple[str, ...]:  # noqa: ARG002
        """Functions that the stage may begin with; empty where there is no choice."""
        return ()

    def stage(self, text: Text) -> Stage:
        """The stage of a text whose reader did not say: fragment, unless it is a compute shader."""
        named = named_in(text.name)
        is_compute = named is Stage.COMPUTE or (named is None and _LOCAL_SIZE.search(text.code))
        return Stage.COMPUTE if is_compute else Stage.FRAGMENT

    def hint(self, text: Text) -> str:  # noqa: ARG002
        """What may help where no attempt succeeds; empty where nothing is known."""
        return ""


def not_included(names: Sequence[str]) -> str:
    """`A and B are not included`: how a note ends on what is not in the program."""
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    *first, last = [*names[:_SHOWN], *more]
    return f"{', '.join(first)} and {last} are not included" if first else f"{last} is not included"


def version_line(text: str) -> tuple[int, str]:
    """Index of the line with `#version` and its argument; (-1, "") where there is none."""
    for directive in scanner.directives(text):
        if directive.name == "version":
            return directive.line, directive.argument
    return -1, ""


def without_line(text: str, index: int) -> str:
    """The text with one line emptied."""
    lines = text.split("\n")
    lines[index] = ""
    return "\n".join(lines)


def below(version: str, prelude: str, text: str, extensions: str = "") -> str:
    """The text under a version and a prelude, its lines counted from 1 as the document's."""
    return (
        f'#version {version}\n{extensions}{LINE_NAMES}\n#line 1 "{PRELUDE}"\n{prelude}'
        f'#line 1 "{DOCUMENT}"\n{text}\n'
    )
