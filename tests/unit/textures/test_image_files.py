from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from shaderlab.errors import InvalidAsset, WrongUse
from shaderlab.textures import image_files, texel_formats
from shaderlab.textures.stored import Stored
from tests.unit.textures.builders import RGBA8_SRGB, RGBA32F, dds, ktx2, radiance

DICE = np.random.default_rng(7)
PICTURE = DICE.integers(0, 256, (6, 9, 4), np.uint8)


def read(folder: Path, data: bytes, name: str = "picture") -> Stored:
    (folder / name).write_bytes(data)
    return image_files.read(folder / name)


def refusal(folder: Path, data: bytes, name: str = "picture") -> str:
    with pytest.raises(InvalidAsset) as caught:
        read(folder, data, name)
    text = str(caught.value)
    assert text.startswith(f"cannot read {folder / name}: ")
    assert len(text.splitlines()) == 1
    return text.partition(f"{name}: ")[2]


@pytest.mark.parametrize(
    ("kind", "name"), [("PNG", "a"), ("BMP", "a"), ("TGA", "a.tga"), ("WEBP", "a"), ("GIF", "a")]
)
def test_pictures_without_loss(tmp_path: Path, kind: str, name: str):
    opaque = PICTURE.copy()
    opaque[..., 3] = 255
    if kind == "GIF":
        opaque[...] = [10, 200, 30, 255]
    options = {"lossless": True} if kind == "WEBP" else {}
    PillowImage.fromarray(opaque).convert("RGB").save(tmp_path / name, kind, **options)
    found = image_files.read(tmp_path / name)
    assert found.levels[0].shape == (1, 1, 6, 9, 4)
    assert (found.levels[0][0, 0] == opaque).all()


def test_jpeg_and_alpha_and_grey(tmp_path: Path):
    PillowImage.new("RGB", (20, 10), (200, 100, 50)).save(tmp_path / "a.jpg")
    texels = image_files.read(tmp_path / "a.jpg").levels[0].astype(int)
    assert np.abs(texels - [200, 100, 50, 255]).max() <= 3
    PillowImage.fromarray(PICTURE).save(tmp_path / "a.png")
    assert (image_files.read(tmp_path / "a.png").levels[0][0, 0] == PICTURE).all()
    heights = (np.arange(54).reshape(6, 9) * 1200).astype(np.uint16)
    PillowImage.fromarray(heights).save(tmp_path / "grey.png")
    deep = image_files.read(tmp_path / "grey.png").levels[0]
    assert deep.dtype == np.float32
    assert np.allclose(deep[0, 0, ..., 0], heights / 65535)


def test_a_tall_picture_is_converted_in_strips(tmp_path: Path):
    tall = DICE.integers(0, 256, (700, 3, 3), np.uint8)
    PillowImage.fromarray(tall).save(tmp_path / "a.png")
    assert (image_files.read(tmp_path / "a.png").levels[0][0, 0, ..., :3] == tall).all()


def _png_header(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(100)))


@pytest.mark.parametrize(("width", "height"), [(100_000, 100_000), (16_000, 16_000)])
def test_a_picture_that_would_fill_the_memory_is_refused_by_its_header(tmp_path, width, height):
    reason = refusal(tmp_path, _png_header(width, height))
    assert reason.startswith(("it is too large", f"it is {width:,} x {height:,} texels"))


@pytest.mark.parametrize("zstd", [False, True])
def test_ktx2_levels(tmp_path: Path, zstd: bool):
    levels = [DICE.integers(0, 256, (1, 1, n, n, 4), np.uint8) for n in (4, 2, 1)]
    found = read(tmp_path, ktx2(levels, RGBA8_SRGB, zstd=zstd))
    assert found.srgb
    assert not found.is_cube
    assert all((a == b).all() for a, b in zip(found.levels, levels, strict=True))


def test_ktx2_cubes_layers_slices_and_floats(tmp_path: Path):
    cubes = DICE.integers(0, 256, (12, 1, 4, 4, 4), np.uint8)
    found = read(tmp_path, ktx2([cubes], faces=6, layers=2))
    assert found.is_cube
    assert (found.levels[0] == cubes).all()
    volume = DICE.random((1, 3, 4, 5, 4), np.float32)
    assert (read(tmp_path, ktx2([volume], RGBA32F)).levels[0] == volume).all()


def test_ktx2_components_that_are_missing(tmp_path: Path):
    red = DICE.integers(0, 256, (1, 1, 4, 4, 1), np.uint8)
    texels = read(tmp_path, ktx2([red], 9)).levels[0]
    assert (texels[..., :1] == red).all()
    assert (texels[..., 1:] == [0, 0, 255]).all()
    integers = DICE.integers(-9, 9, (1, 1, 4, 4, 2), np.int16)
    texels = read(tmp_path, ktx2([integers], 82)).levels[0]
    assert texels.dtype == np.int32
    assert (texels[..., :2] == integers).all()
    assert (texels[..., 2:] == [0, 1]).all()
    halves = DICE.random((1, 1, 4, 4, 4), np.float32).astype(np.float16)
    assert (read(tmp_path, ktx2([halves], 97)).levels[0] == halves).all()


def test_packed_floats(tmp_path: Path):
    # 1.0, 2.0 and 0.5: exponents 15, 16 and 14 of 5 bits above 6, 6 and 5 bits.
    small = np.uint32(15 << 6 | (16 << 6) << 11 | (14 << 5) << 22)
    texel = read(tmp_path, ktx2([small.reshape(1, 1, 1, 1, 1)], 122)).levels[0].ravel()
    assert texel.tolist() == [1.0, 2.0, 0.5, 1.0]
    # Mantissas of 256, 128 and 64 over 2**9, times 2**(17 - 15).
    shared = np.uint32(256 | 128 << 9 | 64 << 18 | 17 << 27)
    texel = read(tmp_path, ktx2([shared.reshape(1, 1, 1, 1, 1)], 123)).levels[0].ravel()
    assert texel.tolist() == [2.0, 1.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (12, 0, "Basis Universal textures are not read"),
        (12, 160, "VkFormat 160 are not read"),
        (20, 100_000, "it is 100,000 x 4 texels"),
        (20, 0, "it is 0 x 4 texels"),
        (24, 2**32 - 1, "the limit is 16,384"),
        (32, 16_385, "layers"),
        (36, 3, "it has 3 faces"),
        (40, 4, "more than its size allows"),
        (40, 2**31, "more than its size allows"),
        (44, 1, "Basis Universal"),
        (44, 9, "is unknown"),
        (44, 2, "cannot be decompressed"),
        (44, 3, "cannot be decompressed"),
        (80, 2**31, "ends beyond the file"),
        (88, 63, "does not have the 64 bytes"),
    ],
)
def test_ktx2_that_contradicts_itself(tmp_path: Path, at: int, value: int, reason: str):
    data = bytearray(ktx2([DICE.integers(0, 256, (1, 1, 4, 4, 4), np.uint8)]))
    struct.pack_into("<I", data, at, value)
    assert reason in refusal(tmp_path, bytes(data))


def test_a_level_that_inflates_beyond_its_size_is_refused(tmp_path: Path):
    data = bytearray(ktx2([np.zeros((1, 1, 64, 64, 4), np.uint8)], zstd=True))
    struct.pack_into("<2I", data, 20, 4, 4)
    struct.pack_into("<Q", data, 80 + 16, 64)
    assert "level 0" in refusal(tmp_path, bytes(data))


def test_formats_of_direct3d_have_their_bytes_per_texel():
    sizes = {2: 16, 6: 12, 10: 8, 16: 8, 28: 4, 30: 4, 34: 4, 41: 4, 49: 2, 54: 2, 56: 2, 61: 1}
    found = {number: texel_formats.DXGI[number].nbytes((1, 1, 1)) for number in sizes}
    assert found == sizes


def test_dds_by_masks(tmp_path: Path):
    texels = DICE.integers(0, 256, (4, 5, 4), np.uint8)
    found = read(tmp_path, dds(texels.tobytes(), (5, 4))).levels[0][0, 0]
    assert (found == texels[..., [2, 1, 0, 3]]).all()
    packed = np.array([[0xF800, 0x07E0, 0x001F]], "<u2")
    masks = (0xF800, 0x7E0, 0x1F, 0)
    found = read(tmp_path, dds(packed.tobytes(), (3, 1), bits=16, masks=masks)).levels[0][0, 0, 0]
    assert found.tolist() == [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]


def test_dds_cubes_with_levels(tmp_path: Path):
    faces = [[DICE.integers(0, 256, (n, n, 4), np.uint8) for n in (4, 2, 1)] for _ in range(6)]
    data = b"".join(level.tobytes() for face in faces for level in face)
    legacy = dds(data, (4, 4), levels=3, cube=True, masks=(0xFF, 0xFF00, 0xFF0000, 0xFF000000))
    modern = dds(data, (4, 4), levels=3, extended=(28, 3, 4, 1, 0))
    for whole in (legacy, modern):
        found = read(tmp_path, whole)
        assert found.is_cube
        for n, face in enumerate(faces):
            for level, texels in enumerate(face):
                assert (found.levels[level][n, 0] == texels).all()


def test_blocks(tmp_path: Path):
    """One block of two colours: red where the bits are 0, blue where they are 1."""
    block = struct.pack("<2HI", 0xF800, 0x001F, 0x55555500)
    found = read(tmp_path, dds(block, (4, 4), four_cc=b"DXT1")).levels[0][0, 0]
    assert (found[0] == [255, 0, 0, 255]).all()
    assert (found[1:] == [0, 0, 255, 255]).all()
    cut = read(tmp_path, dds(block, (3, 2), four_cc=b"DXT1")).levels[0]
    assert cut.shape == (1, 1, 2, 3, 4)
    assert (cut[0, 0] == found[:2, :3]).all()
    # BC4: all bits 0 choose the first of its two values.
    grey = read(tmp_path, dds(bytes([77, 3]) + bytes(6), (4, 4), four_cc=b"ATI1")).levels[0]
    assert (grey == [77, 0, 0, 255]).all()
    both = bytes([77, 3]) + bytes(6) + bytes([99, 3]) + bytes(6)
    pair = read(tmp_path, ktx2([np.frombuffer(both, np.uint8).reshape(1, 1, 1, 1, 16)], 141))
    assert (pair.levels[0] == [77, 99, 0, 255]).all()


@pytest.mark.parametrize("number", [98, 95, 83, 77, 74])
def test_any_bits_are_some_blocks(tmp_path: Path, number: int):
    blocks = DICE.bytes(16 * 4)
    found = read(tmp_path, dds(blocks, (8, 8), extended=(number, 3, 0, 1, 0)))
    assert found.levels[0].shape == (1, 1, 8, 8, 4)
    assert ("cut off at 1" in found.note) == (number == 95)


def test_radiance(tmp_path: Path):
    codes = np.array([[[128, 64, 0, 129], [255, 1, 2, 0]] * 5] * 3, np.uint8)
    codes[1, 2:7] = [128, 128, 128, 130]
    for runs in (True, False):
        texels = read(tmp_path, radiance(codes, runs=runs)).levels[0]
        assert texels.shape == (1, 1, 3, 10, 4)
        assert texels[0, 0, 0, 0].tolist() == [1.0, 0.5, 0.0, 1.0]
        assert texels[0, 0, 0, 1].tolist() == [0.0, 0.0, 0.0, 1.0]
        assert texels[0, 0, 1, 4].tolist() == [2.0, 2.0, 2.0, 1.0]


def test_old_repetitions_of_radiance(tmp_path: Path):
    head = b"#?RGBE\n\n+Y 2 +X 4\n"
    rows = bytes([128, 0, 0, 129, 1, 1, 1, 3]) + bytes([0, 128, 0, 129, 1, 1, 1, 3])
    texels = read(tmp_path, head + rows).levels[0][0, 0]
    assert (texels[1] == [1, 0, 0, 1]).all()  # its first row is the bottom one
    assert (texels[0] == [0, 1, 0, 1]).all()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"#?RADIANCE\n", "header has no end"),
        (b"#?RADIANCE\n\n-Y 4 +X\n", "does not say its size"),
        (b"#?RADIANCE\n\n-Y 100000 +X 100000\n", "it is 100,000 x 100,000 texels"),
        (b"#?RADIANCE\n\n-Y 9999 +X 9999\n", "8,388,608 of 16 bytes are read"),
        (b"#?RADIANCE\n\n-Y 1 +X 9\n\2\2\0\7", "another width"),
        (b"#?RADIANCE\n\n-Y 1 +X 9\n\2\2\0\x09\x00\x00", "run of no texels"),
        (b"#?RADIANCE\n\n-Y 1 +X 9\n\2\2\0\x09\xff\x00", "more texels"),
        (b"#?RADIANCE\n\n-Y 1 +X 9\n\2\2\0\x09\x09\x00", "ends within"),
        (b"#?RADIANCE\n\n-Y 1 +X 9\n\1\1\1\xff", "beyond its end"),
        (b"#?RADIANCE\n\n-Y 2 +X 2\nabc", "ends within"),
        (b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 2\n", "are XYZ"),
        (b"\x76\x2f\x31\x01rest", "OpenEXR files are not read; PNG,"),
        (b"\xabKTX 11\xbb\r\n\x1a\n", "KTX of version 1"),
        (b"", "not one of PNG"),
        (b"no picture at all", "not one of PNG"),
        (b"DDS ", "ends within its header"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not one of PNG"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, data: bytes, reason: str):
    assert reason in refusal(tmp_path, data)


def test_dds_that_contradicts_itself(tmp_path: Path):
    assert "instead of 64" in refusal(tmp_path, dds(bytes(63), (4, 4)))
    assert "texels" in refusal(tmp_path, dds(b"", (100_000, 100_000)))
    assert "runs of bits" in refusal(tmp_path, dds(bytes(64), (4, 4), masks=(5, 2, 0, 0)))
    assert "runs of bits" in refusal(
        tmp_path, dds(bytes(64), (4, 4), bits=8, masks=(0xF00, 0, 0, 0))
    )
    assert "no components" in refusal(tmp_path, dds(bytes(64), (4, 4), masks=(0, 0, 0, 0)))
    assert "have 7 bits" in refusal(tmp_path, dds(bytes(64), (4, 4), bits=7))
    assert "DXGI_FORMAT 999" in refusal(
        tmp_path, dds(bytes(64), (4, 4), extended=(999, 3, 0, 1, 0))
    )
    many = dds(bytes(64), (4, 4), extended=(28, 3, 0, 2**32 - 1, 0))
    assert "layers" in refusal(tmp_path, many)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.png")
    for path in (tmp_path / "pipe.png", tmp_path, tmp_path / "absent.png", Path("/dev/zero")):
        with pytest.raises(WrongUse, match="cannot read"):
            image_files.read(path)
