"""A station closed while a shader is under way, and one whose device cannot count."""

from __future__ import annotations

import hashlib
from contextlib import closing
from itertools import pairwise

import pytest

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort, Traced
from shaderlab.campaigns.station import Options, Station
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import Abandoned, DeviceLost
from shaderlab.gpu.discovery import discover
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Texture, Wrap
from tests import kernels
from tests.integration.campaigns.shaders import SOUND

TEXT = SOUND["loop1"]
SHADER = Shader("loop1", hashlib.sha256(TEXT.encode()).hexdigest(), text=TEXT)
OPTIONS = Options(DrawState.of((64, 48)), Effort(trials=3, trial_s=0.005, deadline_s=30.0))


class ClosedAtItsSecondTrace(Station):
    traces = 0

    def trace(self, draw: Draw) -> Traced:
        self.traces += 1
        if self.traces == 2:
            self.close()
        return super().trace(draw)


class WithoutTraces(Station):
    def trace(self, draw: Draw) -> Traced:
        raise DeviceLost("cannot count")


def test_closing_it_is_no_fault_of_the_shader() -> None:
    info = discover().choose("llvmpipe")
    with closing(ClosedAtItsSecondTrace(info, OPTIONS, Turns())) as station:
        with pytest.raises(Abandoned):
            station.sample(SHADER)
        assert station.traces == 2
        with pytest.raises(Abandoned):
            station.sample(SHADER)


def test_times_are_kept_without_counts() -> None:
    info = discover().choose("llvmpipe")
    with closing(WithoutTraces(info, OPTIONS, Turns())) as station:
        sample = station.sample(SHADER)
    assert sample.timing.time_s > 0
    assert sample.trace is None
    assert sample.optimized is None


def test_a_child_is_replaced_after_its_share_of_shaders(monkeypatch) -> None:
    monkeypatch.setattr("shaderlab.campaigns.station._WORKER_SHADERS", 2)
    info = discover().choose("llvmpipe")
    with closing(Station(info, OPTIONS, Turns())) as station:
        children = []
        for _ in range(5):
            station.prepare(SHADER)
            children.append(station._worker)
    assert [a is b for a, b in pairwise(children)] == [True, False, True, False]


def test_textures_are_noise_and_the_row_says_so() -> None:
    text = (
        "void mainImage(out vec4 c, vec2 p)"
        "{ c = texture(iChannel0, p / 8.0) + texelFetch(iChannel1, ivec2(p), 0); }"
    )
    textures = {
        "iChannel0": Texture(Pattern.NOISE, Filter.MIPMAP),
        "iChannel1": Texture(PassPicture("Buffer A"), Filter.LINEAR, Wrap.CLAMP),
    }
    shader = Shader("toy Image", "key", text=text, textures=textures)
    info = discover().choose("llvmpipe")
    with closing(Station(info, OPTIONS, Turns())) as station:
        sample = station.sample(shader)
    assert sample.timing.compile_s is not None
    assert sample.timing.compile_s > 0
    assert sample.schema == 4
    assert sample.picture == "varied"
    assert sample.textures is not None
    held = [(t.name, t.holds, (t.width, t.height), t.levels, t.format) for t in sample.textures]
    assert held == [
        ("iChannel0", "noise", (256, 256), 9, "rgba8"),
        ("iChannel1", "noise", (64, 48), 1, "rgba32f"),
    ]


def test_a_compute_shader_is_a_sample_with_its_launch() -> None:
    path = kernels.FOLDER / "spmv_csr_scalar.comp"
    info = discover().choose("llvmpipe")
    shader = Shader("spmv", hashlib.sha256(path.read_bytes()).hexdigest(), path=path)
    with closing(Station(info, OPTIONS, Turns())) as station:
        sample = station.sample(shader)
    assert sample.timing.time_s > 0
    assert sample.launch is not None
    assert sample.launch.groups == (1024, 1, 1)
    assert {each.name: each.elements for each in sample.launch.buffers}["columns"] == 8 * 65_536
    assert sample.trace is not None
    assert sample.optimized is not None
    assert sample.picture is None
