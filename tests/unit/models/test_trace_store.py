from __future__ import annotations

from models.laboratory.trace_store import TraceStore
from shaderlab.errors import ShaderTimeout
from shaderlab.spirv.trace import BlockCount, Trace

BLOCKS = (
    BlockCount(4, "%4", 5, 786_432, (), {"OpLoad": 2, "OpBranch": 1}, 24_576),
    BlockCount(4, "%4", 9, 2**40, (), {"OpReturn": 1}, None),
)
TRACE = Trace("made-by-hand", (64, 48), 2.5, 7, BLOCKS, float("nan"))


def test_a_trace_comes_back_in_another_run(tmp_path):
    TraceStore(tmp_path).put("aBc", TRACE)
    again = TraceStore(tmp_path).get("aBc")
    assert (again.device, again.size, again.time_s, again.frame) == (
        "made-by-hand",
        (64, 48),
        2.5,
        7,
    )
    assert again.blocks == BLOCKS


def test_ids_that_differ_in_case_only_are_two_shaders(tmp_path):
    store = TraceStore(tmp_path)
    store.put("abc", TRACE)
    assert store.holds("abc")
    assert not store.holds("aBc")


def test_a_shader_without_trace_keeps_its_reason(tmp_path):
    store = TraceStore(tmp_path)
    store.put("abc", ShaderTimeout("took over 60 s"))
    assert store.get("abc") == "ShaderTimeout: took over 60 s"
