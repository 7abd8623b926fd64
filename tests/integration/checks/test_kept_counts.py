"""Counts kept and recalled are those that were counted; damaged ones are counted again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw, DrawState, Frame
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.textures import ImageFile, Texture
from shaderlab.studies.kept_counts import KeptCounts
from shaderlab.workers.device import DeviceWorker
from tests import kernels

TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < int(fragCoord.x); i++) sum += 0.1;
    fragColor = vec4(sum);
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[DeviceWorker]:
    info = discovery.discover().choose("llvmpipe")
    with closing(DeviceWorker(info)) as worker:
        yield worker


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_text(TEXT, "a.frag", None)


def test_what_was_kept_comes_back(device: DeviceWorker, program: Program, tmp_path: Path) -> None:
    kept = KeptCounts(tmp_path, device.info, ["glslang 1"])
    frame = Frame.of(Draw.of(program, (64, 48)))
    key = kept.key(frame, "0")
    assert key is not None
    assert kept.recall(key, program) is None
    form = optimized(program)
    counted = device.trace(frame.shown).result()
    of_form = device.trace(frame.shown.of_program(form)).result()
    kept.keep(key, counted, {Form.OPTIMIZED: (form, of_form)}, frozenset({Form.COMPILED}))
    recalled = kept.recall(key, program)
    assert recalled is not None
    written, others, impossible = recalled
    nan = {"slowdown": 0.0}
    assert replace(written, **nan) == replace(counted, **nan)
    made, trace = others[Form.OPTIMIZED]
    assert made == form
    assert replace(trace, **nan) == replace(of_form, **nan)
    assert impossible == {Form.COMPILED}

    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    for damaged in (b"", data[:-9], data[: len(data) // 2], b"\x00" * 64, data[:40] + data[41:]):
        path.write_bytes(damaged)
        assert kept.recall(key, program) is None
    path.write_bytes(data)
    other = compile_text(TEXT.replace("0.1;", "0.1, sum *= 2.0;").replace("int i", "int j = 0, i"),
                         "a.frag", None)  # fmt: skip
    assert kept.key(Frame.of(Draw.of(other, (64, 48))), "0") != key
    kept.forget_oldest(len(data) - 1)
    assert not path.exists()


def test_the_key_follows_content_not_time_stamps(
    device: DeviceWorker, program: Program, tmp_path: Path
) -> None:
    kept = KeptCounts(tmp_path / "counts", device.info, ["glslang 1"])
    image = tmp_path / "a.png"

    def key(content: bytes, stamp: tuple[int, int], size: tuple[int, int] = (64, 48)) -> str | None:
        image.write_bytes(content)
        given = {"iChannel0": Input(Texture(ImageFile(image, stamp)))}
        state = DrawState.of(size)
        draw = Draw(program, replace(state, inputs=Inputs(state.inputs.clock, textures=given)))
        return kept.key(Frame.of(draw), "0")

    first = key(b"a", (1, 1))
    assert first is not None
    assert key(b"a", (2, 1)) == first
    assert len({first, key(b"b", (1, 1)), key(b"a", (1, 1), (64, 49))}) == 3
    newer = KeptCounts(tmp_path / "counts", device.info, ["glslang 2"])
    assert newer.key(Frame.of(Draw.of(program)), "0") != kept.key(Frame.of(Draw.of(program)), "0")


def test_a_compute_shaders_counts_come_back(device: DeviceWorker, tmp_path: Path) -> None:
    kept = KeptCounts(tmp_path, device.info, ["glslang 1"])
    draw = Draw(kernels.program("lennard_jones"), DrawState())
    key = kept.key(Frame.of(draw), "0")
    assert key is not None
    counted = device.trace(draw).result()
    kept.keep(key, counted, {}, frozenset())
    recalled = kept.recall(key, draw.program)
    assert recalled is not None
    assert replace(recalled[0], slowdown=0.0) == replace(counted, slowdown=0.0)
    assert recalled[0].gathered == (("positions", 16 * 65_536),)
