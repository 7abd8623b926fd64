"""Programs as several Mesas' RADV listed them, replayed without any RADV."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu.radv.replay import replay
from shaderlab.gpu.radv.tables import constant_data
from shaderlab.gpu.vulkan.device import Device
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.textures import Filter, Pattern, Texture
from tests.radv_listings import SHADERS, VERSIONS, text_of

SIZE = (64, 48)
TEXTURES = {
    "iChannel0": Input(Texture(Pattern.NOISE)),
    "iChannel1": Input(Texture(Pattern.GRADIENT, Filter.MIPMAP)),
    "iChannel2": Input(Texture(Pattern.CHECKER)),
}
"""Each its own: a texture taken for another changes the picture."""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SHADERS)
def test_a_recorded_listing_draws_the_shader_s_picture(
    llvmpipe: Device,
    compiled: Callable[[str], Program],
    picture: Callable[..., np.ndarray],
    version: str,
    name: str,
) -> None:
    written = compiled(SHADERS[name])
    listing, constants = text_of(version, name)
    resources = written.interface.resources
    text = replay(listing, constant_data(written.module, constants), resources=resources).text
    again = optimized(compile_text(text, "replayed", None)).bound_as(written)
    state = DrawState(Inputs(textures=TEXTURES), attachments=Attachments(SIZE))
    expected = picture(llvmpipe, Draw(written, state)).astype(int)
    drawn = picture(llvmpipe, Draw(again, state)).astype(int)
    assert expected[..., :3].std() > 1, "a picture to compare"
    assert np.mean(np.abs(drawn - expected).max(axis=2) > 3) < 0.02
