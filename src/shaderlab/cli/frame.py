"""The draw that the options of a command describe."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shaderlab import files
from shaderlab.cli import options
from shaderlab.cli.launching import launched
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.projects.communities import project_in
from shaderlab.projects.manner import reading_of
from shaderlab.projects.project import Project
from shaderlab.projects.reading import read, stamp
from shaderlab.scene.assignments import assigned, texture_named
from shaderlab.scene.defaults import listed
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.geometry import Body, MeshFile
from shaderlab.scene.inputs import Input, Inputs, Numbers, Source
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.scene.textures import ImageFile, Pattern, Texture
from shaderlab.spirv.analysis.origins import INDEX
from shaderlab.textures import image_files

_MESHES = (".glb", ".gltf")
_MOST_BYTES = 1 << 30
"""Of a named file; whatever reads it has its own limit."""


def frame_state(arguments: argparse.Namespace, start: DrawState | None = None) -> DrawState:
    """`start`, else the canonical run, at the size, time and frame that were given."""
    state = start or DrawState()
    given = getattr(arguments, "given", ())
    if not math.isfinite(arguments.time):
        raise WrongUse(f"--time must be finite, not {arguments.time}")
    if "size" in given:
        state = replace(state, attachments=replace(state.attachments, size=arguments.size))
    if "time" in given or "frame" in given:
        clock = state.inputs.uniforms
        time_s = arguments.time if "time" in given else clock.time_s
        frame = arguments.frame if "frame" in given else clock.frame
        new = Input(replace(clock, time_s=time_s, frame=frame), Source.SET)
        state = replace(state, inputs=replace(state.inputs, clock=new))
    return state


def drawn(arguments: argparse.Namespace, program: Program, vertex: Program | None = None) -> Draw:
    """A program, and its vertex stage, with what the project, if any, and the options give them.

    Raises WrongUse, with the inputs that exist, for what they do not have.
    """
    project = opened_project(arguments)
    state = frame_state(arguments, project.state if project else None)
    if arguments.geometry is not None:
        shape = _shape(arguments.geometry)
        state = replace(state, geometry=replace(state.geometry, shape=shape))
    if arguments.vertices is not None:
        if vertex is None:
            raise WrongUse("--vertices is for a vertex shader: name one with --vertex")
        state = replace(state, geometry=replace(state.geometry, vertices=arguments.vertices))
    state = launched(arguments, program, state)
    draw = Draw(program, state, vertex)
    if arguments.values or arguments.textures:
        known = listed(draw)
        inputs = _with_values(state.inputs, known, arguments.values)
        inputs = _with_textures(inputs, known, arguments.textures)
        draw = replace(draw, state=replace(state, inputs=inputs))
    return draw


def vertex_path(arguments: argparse.Namespace) -> Path | None:
    """The vertex shader that the options, else the project, name."""
    project = opened_project(arguments)
    return arguments.vertex or (project.vertex if project else None)


def opened_project(arguments: argparse.Namespace) -> Project | None:
    """The project that was named, read once.  Raises WrongUse, also for one of another shader."""
    if getattr(arguments, "project", None) is None:
        return None
    known = getattr(arguments, "opened", None)
    if known is None:
        known = arguments.opened = read(arguments.project)
        shader = getattr(arguments, "file", None)
        if shader is not None and known.shader != shader.resolve():
            raise WrongUse(
                f"{arguments.project} is a project of {known.shader.name}, not of {shader}"
            )
    return known


def take_project(arguments: argparse.Namespace) -> None:
    """Where the file that is named is itself a project, open it and name its shader instead; where
    it describes a frame of several passes, that is its project.

    Raises WrongUse where there is no such file, before any worker is started for it.
    """
    path = getattr(arguments, "file", None)
    if path is not None:
        files.open_regular(path, sys.maxsize).close()
    if path is None or not hasattr(arguments, "project"):
        return
    if path.suffix.lower() != ".toml":
        described = None if arguments.project is not None else project_in(path)
        language = getattr(arguments, "language", None)
        if described is not None and language in (None, described.language):
            arguments.project, arguments.opened = path, described
            arguments.file = path if path.resolve() == described.shader else described.shader
        return
    if arguments.project is not None:
        raise WrongUse(f"{path.name} is a project itself: omit --project")
    arguments.project, arguments.file = path, None
    project = opened_project(arguments)
    assert project is not None
    arguments.file = project.shader


def reading(arguments: argparse.Namespace) -> Reading:
    """How the text is read: as the options say, else as the project does."""
    found = options.reading(arguments)
    project = opened_project(arguments)
    if project is None:
        return found
    its = reading_of(project, arguments.project.name)
    return Reading(
        found.language or its.language,
        found.stage or its.stage,
        found.entry or its.entry,
        (*its.defines, *found.defines),
        (*found.search, *its.search),
        its.whole,
    )


def vertex_reading(arguments: argparse.Namespace) -> Reading:
    """How the text of the vertex stage is read: its language and entry point are recognised."""
    return replace(reading(arguments), language=None, stage=Stage.VERTEX, entry="")


def _shape(text: str) -> Body | MeshFile:
    if text in set(Body):
        return Body(text)
    path = Path(text)
    if path.suffix.lower() not in _MESHES:
        raise WrongUse(f"--geometry {text[:80]}: expected {', '.join(Body)} or a glTF file")
    return MeshFile(_existing(path), stamp(path))


def _existing(path: Path) -> Path:
    with files.open_regular(path, _MOST_BYTES):
        return path.resolve()


def _with_values(
    inputs: Inputs, listed: Sequence[ShaderInput], assignments: Sequence[tuple[str, str]]
) -> Inputs:
    given: dict[str, Numbers] = {}
    for name, text in assignments:
        full, value = assigned(listed, name, text, given)
        given[full] = value
    new = {name: Input(value, Source.SET) for name, value in given.items()}
    return replace(inputs, values={**inputs.values, **new})


def _with_textures(
    inputs: Inputs, listed: Sequence[ShaderInput], assignments: Sequence[tuple[str, str]]
) -> Inputs:
    new = {}
    defaults = {each.name: each.value for each in listed if isinstance(each.value, Texture)}
    for name, text in assignments:
        full = texture_named(listed, name)
        before = inputs.textures.get(full)
        how = before.value if before else defaults.get(INDEX.sub("", full), Texture())
        new[full] = Input(replace(how, source=_texture(text)), Source.SET)
    return replace(inputs, textures={**inputs.textures, **new})


def _texture(text: str) -> Pattern | ImageFile:
    if text in set(Pattern):
        return Pattern(text)
    path = Path(text)
    if not path.exists() and not path.suffix:
        raise WrongUse(f'"{text[:80]}" is not an image file or one of {", ".join(Pattern)}')
    return ImageFile(_existing(path), stamp(path), size=image_files.size(path))
