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
from shaderlab.scene.draw import Draw
from tests.radv_listings import SHADERS, VERSIONS, text_of

SIZE = (64, 48)


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
    text = replay(listing, constant_data(written.module, constants)).text
    again = optimized(compile_text(text, "replayed", None)).bound_as(written)
    expected = picture(llvmpipe, Draw.of(written, SIZE)).astype(int)
    drawn = picture(llvmpipe, Draw.of(again, SIZE)).astype(int)
    assert expected[..., :3].std() > 1, "a picture to compare"
    assert np.mean(np.abs(drawn - expected).max(axis=2) > 3) < 0.02
