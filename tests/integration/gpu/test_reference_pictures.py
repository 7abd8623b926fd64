"""Shaders with textures, uniforms and meshes look the same in an independent renderer."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from shaderlab.geometry.shapes import mesh_of
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.geometry import Body, Camera, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, ImageFile, Pattern, Texture, Wrap
from shaderlab.textures.sources import pixels

moderngl = pytest.importorskip("moderngl", reason="moderngl, the second renderer, is missing")
from tests.integration.gpu.opengl import OpenGL, Sampled  # noqa: E402

SHADERS = Path(__file__).with_name("pictures")
SIZE = (160, 120)
CAMERA = Camera(yaw=0.7, pitch=0.4, distance=2.8, vertical_fov=0.8)


@dataclass(frozen=True)
class Case:
    """What a shader is given: by name to shaderlab, and as bytes of std140 to the other."""

    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    block: bytes = b""
    textures: Mapping[str, Texture] = field(default_factory=dict)
    body: Body = Body.FULL_SCREEN


NOISE = Texture(Pattern.NOISE)
PHOTO = ImageFile(Path("photo.png"))
_WEIGHTS = (0.5, 0.25, -0.3, 0.2, 0.1)
_PALETTE = ((0.9, 0.2, 0.1), (0.2, 0.8, 0.3), (0.1, 0.3, 0.9), (0.8, 0.8, 0.2))
_LIGHTS = (
    ((0.2, 0.3, 0.2), 0.6, (1.0, 0.3, 0.2)),
    ((0.8, 0.6, 0.3), 0.5, (0.2, 1.0, 0.4)),
    ((0.5, 0.9, 0.1), 0.7, (0.3, 0.4, 1.0)),
)
_HUE = (0.6, 0.2, 0.1, 0.3, 0.7, 0.2, 0.1, 0.2, 0.8)
_TURN = (0.8, 0.6, -0.6, 0.8)
_SHIFT = (0.4, 0.1, 0.0, 0.0, 0.5, 0.2, 0.1, 0.0, 0.3, 0.2, 0.2, 0.2)
CASES = {
    "colours": Case(
        {"left": (0.1, 0.2, 0.6, 1.0), "right": (0.9, 0.5, 0.2), "power": (1.5,)},
        struct.pack("<8f", 0.1, 0.2, 0.6, 1.0, 0.9, 0.5, 0.2, 1.5),
    ),
    "matrices": Case(
        {"hue": _HUE, "turn": _TURN, "shift": _SHIFT},
        b"".join(struct.pack("<3f4x", *_HUE[n : n + 3]) for n in (0, 3, 6))
        + b"".join(struct.pack("<2f8x", *_TURN[n : n + 2]) for n in (0, 2))
        + b"".join(struct.pack("<3f4x", *_SHIFT[n : n + 3]) for n in (0, 3, 6, 9)),
    ),
    "arrays": Case(
        {"weights": _WEIGHTS, "palette": sum(_PALETTE, ())},
        b"".join(struct.pack("<f12x", each) for each in _WEIGHTS)
        + b"".join(struct.pack("<3f4x", *each) for each in _PALETTE),
    ),
    "integers": Case(
        {"steps": (25,), "mask": (15,), "inverted": (1,), "cells": (20, 15)},
        struct.pack("<iIIxxxxii", 25, 15, 1, 20, 15),
    ),
    "structs": Case(
        {
            f"scene.lights[{n}].{name}": value if isinstance(value, tuple) else (value,)
            for n, light in enumerate(_LIGHTS)
            for name, value in zip(("place", "power", "tint"), light, strict=True)
        }
        | {"scene.ambient": (0.1,)},
        b"".join(struct.pack("<3ff3f4x", *at, power, *tint) for at, power, tint in _LIGHTS)
        + struct.pack("<f12x", 0.1),
    ),
    "turned_noise": Case(textures={"noise": NOISE}),
    "fetched": Case(textures={"near": Texture(Pattern.NORMAL_MAP, Filter.NEAREST, Wrap.CLAMP)}),
    "levels": Case(textures={"noise": Texture(Pattern.NOISE, Filter.MIPMAP)}),
    "mirrored": Case(textures={"image": Texture(PHOTO, Filter.LINEAR, Wrap.REPEAT)}),
    "volume": Case(textures={"volume": Texture(Pattern.NOISE)}),
    "cube_map": Case(textures={"sky": Texture(Pattern.GRADIENT)}),
    "layers": Case(textures={"sheets": NOISE}),
    "codes": Case(textures={"codes": NOISE, "others": Texture(Pattern.GRADIENT)}),
    "compared": Case(textures={"depths": Texture(Pattern.NORMAL_MAP, Filter.NEAREST, Wrap.REPEAT)}),
    "encoded": Case(
        textures={
            "photo": Texture(ImageFile(PHOTO.path, srgb=True)),
            "bumps": Texture(Pattern.NORMAL_MAP),
        }
    ),
    "lit": Case(
        {"lamp": (2.0, 3.0, 1.5), "shine": (20.0,), "onlooker": (1.5, 1.0, 2.0)},
        struct.pack("<7f4x", 2.0, 3.0, 1.5, 20.0, 1.5, 1.0, 2.0),
        body=Body.SPHERE,
    ),
    "facets": Case(textures={"squares": Texture(Pattern.CHECKER, Filter.MIPMAP)}, body=Body.TORUS),
    "outlined": Case(body=Body.CUBE),
    "pierced": Case(body=Body.POT),
    "bumpy": Case(textures={"bumps": Texture(Pattern.NORMAL_MAP)}, body=Body.CUBE),
    "straight": Case(body=Body.QUAD),
}


def test_there_are_twenty_one():
    assert len(CASES) == 21
    assert {path.stem for path in SHADERS.glob("*.frag")} == set(CASES)


@pytest.fixture(scope="module")
def opengl() -> OpenGL:
    try:
        made = OpenGL()
    except Exception as error:  # noqa: BLE001, whatever the platform's libraries raise
        pytest.skip(f"no OpenGL without a window here: {error}")
    if "llvmpipe" not in made.renderer:
        pytest.skip(f"{made.renderer} is no software driver")
    return made


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smooth picture of odd size."""
    rows, columns = np.mgrid[0:27, 0:41]
    waves = [
        np.sin(columns / a) * np.cos(rows / b) * 120 + 128 for a, b in ((3, 5), (7, 4), (5, 9))
    ]
    path = tmp_path_factory.mktemp("pictures") / "photo.png"
    PillowImage.fromarray(np.stack(waves, axis=2).astype(np.uint8)).save(path)
    return path


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_those_of_an_independent_renderer(
    name: str, device, compiled, picture, opengl: OpenGL, photo: Path
):
    """99 % of pixels within 2/255, and no picture is empty."""
    case = CASES[name]
    text = (SHADERS / f"{name}.frag").read_text("utf-8")
    program = compiled(text)
    textures = {n: _at(texture, photo) for n, texture in case.textures.items()}
    inputs = Inputs(
        values={n: Input(value, Source.SET) for n, value in case.values.items()},
        textures={n: Input(texture, Source.SET) for n, texture in textures.items()},
    )
    state = DrawState(inputs, Geometry(case.body, CAMERA), Attachments(SIZE))
    ours = picture(device, Draw(program, state))
    sampled = {}
    for resource in program.interface.resources:
        if resource.image is not None:
            texture = textures[resource.name]
            sampled[resource.descriptor.binding] = Sampled(
                pixels(texture, resource.image), resource.image.glsl, texture.filter, texture.wrap
            )
    mesh = mesh_of(case.body)
    theirs = opengl.picture(text, SIZE, mesh, _to_clip(case.body), case.block, sampled)
    assert theirs[..., :3].std() > 5
    difference = np.abs(ours.astype(int) - theirs).max(axis=2)
    share = (difference <= 2).mean()
    assert share >= 0.99, f"{share:.2%} of pixels within 2/255, the worst by {difference.max()}"


def _at(texture: Texture, photo: Path) -> Texture:
    """With the file in its place."""
    source = texture.source
    if not isinstance(source, ImageFile):
        return texture
    return Texture(ImageFile(photo, srgb=source.srgb), texture.filter, texture.wrap)


def _to_clip(body: Body) -> np.ndarray:
    """4x4: the camera again, from textbook formulas; y down, depth from 0 to 1."""
    if body is Body.FULL_SCREEN:
        return np.eye(4)
    yaw, pitch, distance = CAMERA.yaw, CAMERA.pitch, CAMERA.distance
    turn_yaw = np.array(
        [[math.cos(yaw), 0, -math.sin(yaw)], [0, 1, 0], [math.sin(yaw), 0, math.cos(yaw)]]
    )
    turn_pitch = np.array(
        [[1, 0, 0], [0, math.cos(pitch), -math.sin(pitch)], [0, math.sin(pitch), math.cos(pitch)]]
    )
    view = np.eye(4)
    view[:3, :3] = turn_pitch @ turn_yaw
    view[2, 3] = -distance
    near, far = 0.1, 100.0
    scale = 1 / math.tan(CAMERA.vertical_fov / 2)
    aspect = SIZE[0] / SIZE[1]
    projection = np.zeros((4, 4))
    projection[0, 0], projection[1, 1] = scale / aspect, -scale
    projection[2, 2:] = -far / (far - near), -far * near / (far - near)
    projection[3, 2] = -1
    return projection @ view


def test_a_different_picture_is_noticed(opengl: OpenGL):
    """The comparison can fail: one uniform changed by a tenth."""
    text = (SHADERS / "colours.frag").read_text("utf-8")
    mesh = mesh_of(Body.FULL_SCREEN)
    first = opengl.picture(text, SIZE, mesh, np.eye(4), CASES["colours"].block, {})
    other = struct.pack("<8f", 0.1, 0.2, 0.6, 1.0, 0.9, 0.5, 0.3, 1.5)
    second = opengl.picture(text, SIZE, mesh, np.eye(4), other, {})
    assert (np.abs(first.astype(int) - second).max(axis=2) <= 2).mean() < 0.9


def test_shaders_read_nothing_else():
    """Every block and sampler of the texts is in the table."""
    for name, case in CASES.items():
        text = (SHADERS / f"{name}.frag").read_text("utf-8")
        assert set(re.findall(r"sampler\w+ (\w+);", text)) == set(case.textures)
        assert bool(case.block) == ("uniform " in re.sub(r"uniform [iu]?sampler", "", text))
