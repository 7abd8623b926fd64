from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shaderlab.errors import InvalidModel
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import comparison, shader_data
from shaderlab.training.shader_data import SHADERS, SIZE, TIMES, UNTRACED, TimedShader

SHADER = CountedShader(
    "aBc",
    {"OpFAdd": 2**40, "OpLoad": 7},
    Example(
        {
            Execution.JUMPING: {"varying:OpFAdd": 3.0e12, "uniform:Sin": 1.5},
            Execution.HOISTING: {"varying:OpFAdd": 2.0e12},
            Execution.PREDICATING: {"varying:OpFAdd": 4.0e12, "uniform:Cos": 2.5},
        },
        np.arange(len(CONTEXT)) / 3,
    ),
    True,
    True,
)
FULL = TimedShader("aBc", "rtx3060", (1024, 768), 2e-5, -1e-6, 1.9e-5, True)
QUARTER = TimedShader("aBc", "llvmpipe", (512, 384), 3e-3, None, None, None)


def test_what_was_written_comes_back(tmp_path):
    shader_data.write(tmp_path, [SHADER], [FULL, QUARTER])
    shaders, times = shader_data.read(tmp_path)
    (shader,) = shaders.values()
    assert (shader.id, shader.executed) == ("aBc", SHADER.executed)
    assert shader.reads_uninitialised
    assert shader.divides_by_zero
    assert shader.example.spent == SHADER.example.spent
    np.testing.assert_array_equal(shader.example.context, SHADER.example.context)
    assert times == {"rtx3060": (FULL,), "llvmpipe": (QUARTER,)}


def test_a_smaller_picture_s_time_grows_with_the_pixels():
    assert FULL.full_s == FULL.time_s
    assert QUARTER.full_s == pytest.approx(4 * QUARTER.time_s)


def test_times_of_unknown_shaders_are_left_out(tmp_path):
    stray = TimedShader("other", "rtx3060", (1024, 768), 2e-5, None, None, None)
    shader_data.write(tmp_path, [SHADER], [FULL, stray])
    assert shader_data.read(tmp_path)[1] == {"rtx3060": (FULL,)}


def test_files_of_another_form_are_refused(tmp_path):
    with pytest.raises(InvalidModel, match=SHADERS):
        shader_data.read(tmp_path)
    shader_data.write(tmp_path, [SHADER], [FULL])
    (tmp_path / TIMES).write_bytes(b"PAR1 but nothing else")
    with pytest.raises(InvalidModel, match=TIMES):
        shader_data.read(tmp_path)
    pq.write_table(pa.table({"id": ["aBc"]}), tmp_path / TIMES)
    with pytest.raises(InvalidModel, match="columns"):
        shader_data.read(tmp_path)


def test_the_committed_samples_hold_no_text():
    shaders, times = shader_data.read(comparison.data_folder())
    assert len(shaders) > 1500
    assert {"llvmpipe", "rtx3060", "rx6600xt"} <= set(times)
    assert all(len(shader_id) <= 8 for shader_id in shaders)
    assert all(1e-6 < each.time_s < 10 for timed in times.values() for each in timed)
    schema = pq.read_schema(comparison.data_folder() / SHADERS)
    texts = [field.name for field in schema if field.type == pa.string()]
    assert texts == ["id"]


def test_counts_without_a_trace_are_read_in_place_of_the_traced(tmp_path):
    shader_data.write(tmp_path, [SHADER], [FULL])
    untraced = replace(SHADER, executed={"OpFAdd": 1})
    shader_data.write_shaders(tmp_path / UNTRACED, [untraced])
    shaders, times = shader_data.read(tmp_path, UNTRACED)
    assert shaders["aBc"].executed == {"OpFAdd": 1}
    assert times == {"rtx3060": (FULL,)}
    assert shader_data.read(tmp_path)[0]["aBc"].executed == SHADER.executed


def test_every_committed_shader_has_counts_without_a_trace():
    """Of the same blocks: every opcode that ran is one the untraced counts hold."""
    traced, _ = shader_data.read(comparison.data_folder())
    untraced, _ = shader_data.read(comparison.data_folder(), UNTRACED)
    assert untraced.keys() == traced.keys()
    pixels = SIZE[0] * SIZE[1]
    for shader_id, shader in untraced.items():
        assert all(n % pixels == 0 for n in shader.executed.values())
        assert {name for name, n in traced[shader_id].executed.items() if n} <= set(shader.executed)
        assert shader.reads_uninitialised == traced[shader_id].reads_uninitialised
