"""What a data set is like."""

from __future__ import annotations

import pytest

from shaderlab import locations
from shaderlab.samples import exchange
from shaderlab.samples.statistics import (
    CLASSES,
    PUBLISHED,
    Spread,
    class_of,
    reasons,
    shares,
    statistics,
)
from shaderlab.samples.store import Store


def test_opcodes_have_the_specifications_classes():
    assert class_of("OpLoad") == "Memory"
    assert class_of("OpDot") == "Arithmetic"
    assert class_of("OpSelectionMerge") == "Control-Flow"
    assert class_of("OpVectorShuffle") == "Composite"
    assert class_of("OpExtInst") == "Extension"
    assert class_of("OpConvertSToF") == "Others"
    assert class_of("OpFunctionCall") == "Others"
    for declares in ("OpTypeFloat", "OpConstant", "OpDecorate", "OpName", "OpFunction"):
        assert class_of(declares) is None


def test_shares_are_of_what_runs_and_sum_to_one():
    found = shares({"OpLoad": 6, "OpFMul": 3, "OpConvertSToF": 1, "OpTypeFloat": 1000})
    assert found == {
        "Memory": 0.6, "Arithmetic": 0.3, "Control-Flow": 0.0, "Composite": 0.0, "Extension": 0.0,
        "Others": 0.1,
    }  # fmt: skip
    assert shares({"OpTypeFloat": 3}) == {}


def test_no_values_have_no_percentiles():
    assert Spread.of([]) == Spread(0, {})


def test_what_a_campaign_left_out_is_counted_by_kind_of_reason(tmp_path):
    path = tmp_path / "store"
    with Store(path) as store:
        for number, reason in enumerate(("compile: a", "compile: b", "too slow: 3 s")):
            store.begin(f"job {number}", f"s{number}", "llvmpipe")
            store.rejected(f"job {number}", reason)
    assert reasons(path) == {"compile": 2, "too slow": 1}
    assert reasons(locations.models() / "datasets" / "llvmpipe-512x384.parquet") == {}


@pytest.fixture(scope="module")
def committed():
    path = locations.models() / "datasets" / "swiftshader-512x384-second.parquet"
    (found,) = statistics(exchange.accepted(path))
    return found


def test_static_shares_of_a_committed_set_are_the_published_ones_within_two_points(committed):
    assert tuple(committed.static_shares) == CLASSES
    assert sum(committed.static_shares.values()) == pytest.approx(1)
    for name, share in committed.static_shares.items():
        assert share == pytest.approx(PUBLISHED["static_shares"][name], abs=0.02), name


def test_every_row_falls_into_a_decade_and_no_step_gains_rows(committed):
    rows = [step.rows for step in committed.steps]
    assert rows == sorted(rows, reverse=True)
    assert sum(committed.decades.values()) == rows[0] == committed.time_s.n
    assert list(committed.decades) == list(
        range(min(committed.decades), max(committed.decades) + 1)
    )
    assert set(committed.sparse) == {e for e, count in committed.decades.items() if count < 20}
    assert list(committed.time_s.percentiles.values()) == sorted(
        committed.time_s.percentiles.values()
    )


def test_the_length_in_tokens_of_a_committed_set_is_about_the_published(committed):
    """Its shaders are a sample of the published collection, without the slowest."""
    published = PUBLISHED["tokens"]
    assert committed.tokens.n == committed.steps[0].rows
    assert committed.tokens.percentiles[75] < published["75"]
    assert committed.tokens_within > published["within"]
    left = {step.name: step.rows for step in committed.steps}
    assert left["about 4,096 tokens at most"] < left["not all black, white or one colour"]
