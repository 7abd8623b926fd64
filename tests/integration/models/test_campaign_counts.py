"""Counts of compiled programs, from a data set on disk and from traces kept since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.laboratory import untraced
from models.laboratory.campaign_counts import CampaignCounts
from models.laboratory.trace_store import TraceStore
from shaderlab.errors import ShaderTimeout
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.forms import Form
from shaderlab.samples import exchange, recording
from shaderlab.samples.traces import counted
from shaderlab.training.shader_data import SIZE
from tests.unit.samples.builders import sample

TEXT = """
float twice(float x) { return sin(x) + x; }
float never(float x) { return cos(x); }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < 50; i++) sum += twice(fragCoord.x * float(i));
    fragColor = vec4(sum);
}
"""


@pytest.fixture(scope="module")
def written():
    return compile_text(TEXT, "loop", None)


@pytest.fixture(scope="module")
def after(written):
    return optimized(written)


@pytest.fixture(scope="module")
def recorded(written, after):
    """What a campaign would have recorded of both."""
    records = [
        recording.trace_record(program.module, untraced.once_each(program))
        for program in (written, after)
    ]
    return sample("loop", size=SIZE, trace=records[0], optimized=records[1])


@pytest.fixture(scope="module")
def campaign(recorded, tmp_path_factory):
    path = tmp_path_factory.mktemp("campaign") / "made-up.parquet"
    assert exchange.write([recorded], path) == 1
    return path


def test_a_record_gives_back_the_trace_it_was_made_from(written, recorded):
    before = untraced.once_each(written)
    back = counted(recorded.trace, recorded.inputs, written)
    assert back.blocks == before.blocks
    assert (back.size, back.time_s, back.frame) == (SIZE, 1.0, 1)


def test_a_campaign_knows_the_program_and_what_was_made_of_it(campaign, written, after):
    counts = CampaignCounts([campaign])
    assert counts.of("loop", written).blocks == untraced.once_each(written).blocks
    assert counts.of("loop", after, Form.OPTIMIZED).blocks == untraced.once_each(after).blocks
    assert counts.of("loop", after) is None, "counts of other blocks"
    assert counts.of("other", written) is None


def test_as_many_blocks_of_other_operations_are_another_programs(campaign):
    other = compile_text(TEXT.replace("sin(x)", "cos(x)"), "loop", None)
    assert CampaignCounts([campaign]).of("loop", other) is None


def test_frames_of_another_instant_do_not_count(recorded, written, tmp_path):
    late = replace(recorded, inputs=replace(recorded.inputs, time_s=2.0))
    exchange.write([recording.identified(late)], tmp_path / "late.parquet")
    assert CampaignCounts([tmp_path / "late.parquet"]).of("loop", written) is None


def test_what_no_campaign_counted_comes_from_the_traces_kept(written, after, tmp_path):
    counts = CampaignCounts([], TraceStore(tmp_path))
    assert not counts.tried("loop")
    trace = untraced.once_each(written)
    counts.keep("loop", trace)
    counts.keep("loop", ShaderTimeout("took over 60 s"), Form.OPTIMIZED)
    again = CampaignCounts([], TraceStore(tmp_path))
    assert again.tried("loop")
    assert [each.count for each in again.of("loop", written).blocks] == [
        each.count for each in trace.blocks
    ]
    assert again.tried("loop", Form.OPTIMIZED)
    assert again.of("loop", after, Form.OPTIMIZED) is None
