from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import WrongUse
from shaderlab.scene.fixed_functions import ColourTarget
from shaderlab.scene.target_pictures import thumbnail
from tests.unit.captures.builders import contents


def target(path: Path, name: str, data: bytes) -> ColourTarget:
    held = contents(path, data)
    return ColourTarget(name, held, 0xF, None, None, held)


def test_a_picture_is_made_smaller_by_leaving_out_texels(tmp_path: Path):
    texels = np.zeros((6, 8, 4), np.uint8)
    texels[..., 2] = np.arange(8) * 10  # blue, in the order B, G, R, A third is red
    found = thumbnail(target(tmp_path / "p", "B8G8R8A8_UNORM", texels.tobytes()), (8, 6), (4, 4))
    assert found is not None
    assert found.shape == (3, 4, 4)
    assert found[0, :, 0].tolist() == [0, 20, 40, 60]
    assert (found[..., 3] == 255).all()


def test_one_channel_is_grey_and_numbers_are_cut_off(tmp_path: Path):
    data = np.array([[0.5, 2.0, -1.0, np.nan]], np.float32).tobytes()
    found = thumbnail(target(tmp_path / "p", "R32_SFLOAT", data), (4, 1), (100, 100))
    assert found is not None
    assert found[0, :, :3].tolist() == [[128] * 3, [255] * 3, [0] * 3, [0] * 3]


@pytest.mark.parametrize("name", ["R8G8B8A8_UINT", "BC1_RGBA_UNORM_BLOCK", "R64_SFLOAT"])
def test_formats_that_are_no_picture_have_none(tmp_path: Path, name: str):
    assert thumbnail(target(tmp_path / "p", name, bytes(64)), (4, 4), (4, 4)) is None


def test_damaged_contents_are_refused(tmp_path: Path):
    made = target(tmp_path / "p", "R8G8B8A8_UNORM", bytes(64))
    (tmp_path / "p").write_bytes(b"short")
    with pytest.raises(WrongUse):
        thumbnail(made, (4, 4), (4, 4))
