"""`Project`: a shader, how it is read, and what it is drawn with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from shaderlab.scene.draw import DrawState

SUFFIX = ".shaderlab.toml"
SHOWN_PASS = "Image"
"""What the shader itself is called among the passes."""


Text = tuple[Path, str]
"""A file, and where its stage begins; empty: as the project says."""


@dataclass(frozen=True)
class ProjectPass:
    """One pass of several; what it leaves open is the project's."""

    name: str
    shader: Path
    state: DrawState
    """With inputs and a size of its own."""
    vertex: Path | None = None
    """A text of the vertex stage that it is drawn with."""
    entry: str = ""
    """Where its stage begins, in a text of several."""

    @property
    def text(self) -> Text:
        return self.shader, self.entry


class FrameRule(Protocol):
    """How the passes of a frame follow from what is shown: their sizes, and what names them."""

    def states(self, project: Project, shown: DrawState) -> tuple[DrawState, ...]:
        """Of the passes in their order, then of the shader itself, where that is drawn as `shown`.

        Raises WrongUse for a size that no picture has.
        """
        ...


@dataclass(frozen=True)
class Project:
    """All that a project file keeps.  Paths are absolute and inside the file's folder."""

    shader: Path
    language: str = ""
    """As `--language` takes it; empty: recognised."""
    stage: str = ""
    entry: str = ""
    defines: tuple[tuple[str, str], ...] = ()
    """Macros: names and replacements."""
    includes: tuple[Path, ...] = ()
    """Folders that includes are looked up in."""
    state: DrawState = field(default_factory=DrawState)
    passes: tuple[ProjectPass, ...] = ()
    """In the order they run, before the shader itself."""
    vertex: Path | None = None
    """A text of the vertex stage that the shader itself is drawn with."""
    captured: Path | None = None
    """Lines of the captured draw that `state` begins from (`captures.opening`)."""
    rule: FrameRule | None = None
    """Of a frame that a text of another community describes; None: passes are as they stand."""

    @property
    def text(self) -> Text:
        """Of the shader itself."""
        return self.shader, ""


def beside(shader: Path) -> Path:
    """Where the project of a shader is kept: `julia.frag` has `julia.shaderlab.toml`."""
    return shader.with_name(shader.stem + SUFFIX)
