from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage

from shaderlab.errors import InvalidAsset
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Pattern, Texture
from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures import cubes
from shaderlab.textures.sources import pixels
from shaderlab.textures.texels import chain
from tests.unit.textures.builders import RGBA8_SRGB, ktx2

DICE = np.random.default_rng(7)
DTYPES = {Component.FLOAT: np.uint8, Component.INT: np.int32, Component.UINT: np.uint32}


def image(
    dimension: Dimension = Dimension.D2,
    component: Component = Component.FLOAT,
    *,
    arrayed: bool = False,
    multisampled: bool = False,
    depth: bool = False,
) -> Image:
    return Image(component, 32, dimension, depth, arrayed, multisampled, True)


@pytest.mark.parametrize("component", DTYPES)
@pytest.mark.parametrize("dimension", Dimension)
@pytest.mark.parametrize("pattern", Pattern)
def test_every_pattern_exists_for_every_image(pattern, dimension, component):
    for arrayed in (False, True):
        found = pixels(Texture(pattern), image(dimension, component, arrayed=arrayed))
        (level,) = found.levels
        assert level.dtype == DTYPES[component]
        assert level.shape[4] == 4
        if dimension is Dimension.CUBE:
            assert found.layers % 6 == 0
            assert level.shape[2] == level.shape[3]
        elif not arrayed:
            assert found.layers == 1
        if dimension in (Dimension.D1, Dimension.BUFFER):
            assert found.size[1:] == (1, 1)
        assert level.min() >= 0
        assert level.max() <= 255


def test_black_is_one_opaque_texel():
    found = pixels(Texture(), image())
    assert found.levels[0].reshape(-1).tolist() == [0, 0, 0, 255]
    assert pixels(Texture(), image(Dimension.CUBE)).layers == 6


def test_a_pass_shows_nothing_before_it_ran():
    assert not pixels(Texture(PassPicture("A")), image()).levels[0].any()


def test_noise_is_the_same_each_time_and_uniform():
    first, second = (pixels(Texture(Pattern.NOISE), image()).levels[0] for _ in range(2))
    assert (first == second).all()
    shares = np.bincount(first.ravel(), minlength=256) / first.size
    assert np.abs(shares * 256 - 1).max() < 0.2


def test_blue_noise_lacks_low_frequencies():
    tile = pixels(Texture(Pattern.BLUE_NOISE), image()).levels[0][0, 0, :64, :64]
    volume = pixels(Texture(Pattern.BLUE_NOISE), image(Dimension.D3)).levels[0][0]
    assert (volume[0] == tile[: volume.shape[1], : volume.shape[2]]).all()
    assert (volume[1] != volume[0]).mean() > 0.9
    for channel in range(4):
        assert np.bincount(tile[..., channel].ravel(), minlength=256).std() < 1
        spectrum = np.abs(np.fft.fft2(tile[..., channel] / 255 - 0.5)) ** 2
        frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(64), np.fft.fftfreq(64)))
        low = spectrum[(frequency > 0) & (frequency < 0.1)].mean()
        high = spectrum[frequency > 0.35].mean()
        assert low < high / 20


def test_the_gradient_has_red_along_u_green_along_v_blue_along_w():
    (level,) = pixels(Texture(Pattern.GRADIENT), image(Dimension.D3)).levels
    for axis, channel in ((3, 0), (2, 1), (1, 2)):
        rising = np.diff(level[..., channel].astype(int), axis=axis)
        assert (rising > 0).all()
        for other in {1, 2, 3} - {axis}:
            assert not np.diff(level[..., channel].astype(int), axis=other).any()


def test_the_normal_map_holds_unit_vectors_that_average_upwards():
    (level,) = pixels(Texture(Pattern.NORMAL_MAP), image(depth=True)).levels
    vectors = level[..., :3] * 2 - 1
    assert np.linalg.norm(vectors, axis=-1) == pytest.approx(1.0, abs=1e-4)
    assert vectors.mean(axis=(0, 1, 2, 3))[:2] == pytest.approx(0.0, abs=1e-3)
    assert vectors[..., 2].min() > 0.5


def test_what_is_compared_is_a_float():
    assert pixels(Texture(Pattern.CHECKER), image(depth=True)).dtype == np.float32


@pytest.mark.parametrize("dimension", Dimension)
def test_levels_only_where_they_are_used(dimension: Dimension):
    texture = Texture(Pattern.CHECKER, Filter.MIPMAP)
    levels = pixels(texture, image(dimension)).levels
    if dimension is Dimension.BUFFER:
        assert len(levels) == 1
        return
    assert levels[-1].shape[1:4] == (1, 1, 1)
    assert len(levels) == max(levels[0].shape[1:4]).bit_length()
    assert np.abs(levels[-1][..., :3].astype(int) - 128).max() <= 1
    assert len(pixels(Texture(Pattern.CHECKER), image(dimension)).levels) == 1
    assert len(pixels(texture, image(dimension, multisampled=True)).levels) == 1


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(st.integers(1, 2), st.integers(1, 5), st.integers(1, 40), st.integers(1, 40)),
    st.booleans(),
)
def test_every_level_has_the_mean_of_the_first(shape: tuple[int, ...], deep: bool):
    """Boxes that cover the same area weigh every texel alike."""
    level = DICE.random((*shape, 4), np.float32)
    levels = chain(level if deep else (level * 255).astype(np.uint8))
    expected = levels[0].mean(axis=(1, 2, 3))
    for number, each in enumerate(levels):
        assert each.shape[1:4] == tuple(max(1, side >> number) for side in shape[1:])
        tolerance = 1e-4 if deep else 0.5 * number + 0.01
        assert np.abs(each.mean(axis=(1, 2, 3)) - expected).max() <= tolerance


def test_large_levels_are_made_in_blocks_without_seams():
    level = DICE.random((1, 1, 701, 1203, 4), np.float32)
    half = chain(level)[1]
    rows = np.arange(350)[:, None, None]
    # The same by columns after rows, in one piece.
    size = 701
    before, after = (350 - rows) / size, (rows + 1) / size
    tall = (
        level[0, 0, 0:-1:2] * before + level[0, 0, 1::2] * (350 / size) + level[0, 0, 2::2] * after
    )
    columns = np.arange(601)[None, :, None]
    size = 1203
    before, after = (601 - columns) / size, (columns + 1) / size
    whole = tall[:, 0:-1:2] * before + tall[:, 1::2] * (601 / size) + tall[:, 2::2] * after
    assert np.allclose(half[0, 0], whole, atol=1e-5)


def test_encoded_colours_are_averaged_as_light():
    level = np.zeros((1, 1, 2, 2, 4), np.uint8)
    level[0, 0, 0] = 255
    assert chain(level)[1].ravel().tolist() == [128] * 4
    assert chain(level, srgb=True)[1].ravel().tolist() == [188, 188, 188, 128]


def saved(folder: Path, texels: np.ndarray) -> ImageFile:
    PillowImage.fromarray(texels).save(folder / "picture.png")
    return ImageFile(folder / "picture.png")


def test_a_picture_is_flipped_and_encoded_as_asked(tmp_path: Path):
    texels = DICE.integers(0, 256, (4, 6, 4), np.uint8)
    source = saved(tmp_path, texels)
    plain = pixels(Texture(source), image())
    assert (plain.levels[0][0, 0] == texels).all()
    assert not plain.srgb
    flipped = pixels(Texture(ImageFile(source.path, flipped=True, srgb=True)), image())
    assert (flipped.levels[0][0, 0] == texels[::-1]).all()
    assert flipped.srgb


@pytest.mark.parametrize("component", [Component.INT, Component.UINT])
def test_integers_are_the_codes_of_the_file(tmp_path: Path, component: Component):
    texels = DICE.integers(0, 256, (4, 6, 4), np.uint8)
    found = pixels(Texture(saved(tmp_path, texels)), image(component=component))
    assert found.dtype == DTYPES[component]
    assert (found.levels[0][0, 0] == texels).all()
    assert not found.srgb


@pytest.mark.parametrize("dimension", Dimension)
@pytest.mark.parametrize("arrayed", [False, True])
@pytest.mark.parametrize("size", [(5, 3), (24, 4), (4, 24), (16, 12), (12, 16), (16, 8), (16, 4)])
def test_any_picture_fits_any_image(tmp_path: Path, dimension: Dimension, arrayed, size):
    width, height = size
    source = saved(tmp_path, DICE.integers(0, 256, (height, width, 4), np.uint8))
    found = pixels(Texture(source, Filter.MIPMAP), image(dimension, arrayed=arrayed))
    if dimension is Dimension.CUBE:
        assert found.layers == 6
        assert found.size[0] == found.size[1]
        assert found.note.startswith("picture.png: ")
    if dimension is Dimension.D1:
        assert found.size == (width, 1, 1)
        assert "only the first of its" in found.note
    if dimension is Dimension.D3:
        assert (found.size[2] > 1) == (size == (16, 4))


def test_a_strip_of_squares_becomes_slices(tmp_path: Path):
    volume = DICE.integers(0, 256, (4, 4, 4, 4), np.uint8)
    across = np.concatenate(list(volume), axis=1)
    for strip in (across, volume.reshape(16, 4, 4)):
        found = pixels(Texture(saved(tmp_path, strip)), image(Dimension.D3))
        assert (found.levels[0][0] == volume).all()


def test_a_cross_and_a_strip_hold_the_same_faces():
    faces = DICE.integers(0, 256, (6, 2, 2, 4), np.uint8)
    right, left, top, bottom, front, back = faces
    none = np.zeros_like(right)
    wide = np.concatenate(
        [
            np.concatenate([none, top, none, none], axis=1),
            np.concatenate([left, front, right, back], axis=1),
            np.concatenate([none, bottom, none, none], axis=1),
        ]
    )
    tall = np.concatenate(
        [
            np.concatenate([none, top, none], axis=1),
            np.concatenate([left, front, right], axis=1),
            np.concatenate([none, bottom, none], axis=1),
            np.concatenate([none, back[::-1, ::-1], none], axis=1),
        ]
    )
    strip = np.concatenate(list(faces), axis=1)
    for picture in (wide, tall, strip, np.concatenate(list(faces))):
        assert (cubes.faces_of(picture)[0] == faces).all()


def test_a_panorama_has_its_top_above_and_its_middle_ahead():
    picture = np.zeros((64, 128, 4), np.uint8)
    picture[:8, :, 1] = 255
    picture[24:40, 60:68, 0] = 255
    faces, _ = cubes.faces_of(picture)
    side = faces.shape[1]
    assert faces[2, side // 2, side // 2, 1] == 255  # +y
    assert faces[5, side // 2, side // 2, 0] == 255  # -z
    assert not faces[4, side // 2, side // 2].any()


def test_cube_directions_are_those_of_vulkan():
    ways = cubes.directions(3)
    middles = ways[:, 1, 1]
    assert np.allclose(
        middles, [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    )
    # Of +z, columns grow along +x and rows along -y; of +y, rows along +z.
    assert ways[4, 1, 2][0] > 0 > ways[4, 2, 1][1]
    assert ways[2, 2, 1][2] > 0


def test_stored_levels_are_kept(tmp_path: Path):
    levels = [DICE.integers(0, 256, (2, 1, n, n, 4), np.uint8) for n in (4, 2, 1)]
    (tmp_path / "a.ktx2").write_bytes(ktx2(levels, RGBA8_SRGB, layers=2))
    texture = Texture(ImageFile(tmp_path / "a.ktx2"), Filter.MIPMAP)
    found = pixels(texture, image(arrayed=True))
    assert found.srgb
    assert all((a == b).all() for a, b in zip(found.levels, levels, strict=True))
    single = pixels(texture, image())
    assert single.layers == 1
    assert single.note == "a.ktx2: only the first of its 2 layers is read"


def test_what_grows_too_large_as_integers_is_refused(tmp_path: Path):
    PillowImage.new("RGB", (4096, 2049)).save(tmp_path / "wide.png")
    texture = Texture(ImageFile(tmp_path / "wide.png"))
    assert pixels(texture, image()).size == (4096, 2049, 1)
    with pytest.raises(InvalidAsset, match="4,096 x 2,049 texels, of which 8,388,608"):
        pixels(texture, image(component=Component.INT))
