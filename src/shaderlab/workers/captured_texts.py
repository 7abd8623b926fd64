"""A captured shader as a file to edit: a text that compiles to the same bindings, else its module.

The files are the user's: what was edited in one stays there when the capture is opened again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import files, locations
from shaderlab.captures.frame import CapturedShader
from shaderlab.captures.shader_texts import Origin, texts
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.stage import Stage
from shaderlab.scene.contents import Contents
from shaderlab.spirv.module import Module

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.workers.compiler import CompilerWorker


@dataclass(frozen=True)
class EditableShader:
    """A file with a captured shader."""

    path: Path
    origin: Origin
    base: Program
    """What its text compiled to before anybody edited it; of a module without text its own."""


def folder_of(capture_digest: str) -> Path:
    """Where the texts of one capture lie."""
    return locations.user_data() / "frames" / capture_digest


def editable(
    compiler: CompilerWorker, shader: CapturedShader, folder: Path, stage: Stage = Stage.FRAGMENT
) -> EditableShader:
    """Write the shader to a file in `folder`, unless it is there.  Waits for compilers.

    Raises WrongUse for a folder that cannot be written to, InvalidModule, and as
    `CompilerWorker.load_module`.
    """
    spirv = shader.module.read()
    files.make_folder(folder)
    entry = re.sub(r"\W+", "_", shader.entry_point)[:40]
    stem = f"{entry}-{shader.module.digest[:12]}"
    captured = compiler.load_module(spirv, stem, stage, shader.entry_point).result()
    for text in texts(Module.parse(spirv), shader.entry_point, stage):
        path = folder / f"{stem}{text.suffix}"
        try:
            base = compiler.compile(text.text, path.name, folder).result()
        except ShaderlabError:
            continue
        if base.stage is stage and _binds_as(captured, base):
            if not path.exists():
                files.save(path, text.text.encode())
            return EditableShader(path, text.origin, base)
    path = folder / f"{stem}.spv"
    files.save(path, spirv)
    return EditableShader(path, Origin.ASSEMBLY, captured)


def recorded_text(text: Contents, folder: Path) -> Path:
    """Write GLSL that a capture of OpenGL has to a file in `folder`, unless it is there.

    Raises WrongUse for a folder that cannot be written to, ShaderlabError for lost contents.
    """
    files.make_folder(folder)
    path = folder / f"glsl-{text.digest[:12]}.frag"
    if not path.exists():
        files.save(path, text.read())
    return path


def _binds_as(captured: Program, made: Program) -> bool:
    """Whether it reads nothing that the captured one does not declare, and writes as much."""
    there = {each.descriptor for each in captured.interface.resources}
    needed = {each.descriptor for each in made.interface.resources}
    written = {each.location for each in made.interface.outputs}
    return needed <= there and written == {each.location for each in captured.interface.outputs}
