"""Cost of a frame from block counts, its lines and its time."""

from __future__ import annotations

import math
from dataclasses import replace as changed
from itertools import pairwise

import pytest

from shaderlab.gpu.compilers.compiled import CompiledStats, Executable, Statistic
from shaderlab.gpu.compilers.families import choose, of_vendor
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv import cost, times, units
from shaderlab.gpu.radv.features import NAMES, compiled_features
from shaderlab.gpu.radv.replay import replay
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace
from tests.unit.gpu.radv.texts import COSTS, NIR

NAVI23 = next(family for family in of_vendor(VENDORS["amd"]) if family.slug == "navi23")
SIZE = (64, 8)


def block(label: int, count: int, lines: dict[int, int]) -> BlockCount:
    """A block of arithmetic, with the instructions of each line."""
    own = {SourceLine("", line): n for line, n in lines.items()}
    return BlockCount(
        function=1,
        function_name="main",
        label=label,
        count=count,
        lines=tuple(own),
        opcodes={"OpFAdd": sum(lines.values())},
        lane_groups=count // 32,
        line_instructions=own,
    )


def trace(blocks: list[BlockCount]) -> Trace:
    return Trace("llvmpipe", SIZE, 1.0, 1, tuple(blocks), 1.0)


STATS = CompiledStats(
    "navi23", "Navi 23", NAVI23.vendor, "radv",
    (Executable("FS", 64, tuple(Statistic(n, v) for n, v in {
        "VGPRs": 8, "SGPRs": 16, "Subgroups per SIMD": 16, "Instructions": 8, "Branches": 2,
        "Latency": 100, "Inverse Throughput": 40, "Code size": 64}.items()), costs=COSTS),),
    0.0, 0.0,
)  # fmt: skip

COUNTS = {0: 512, 1: 2560, 2: 512, 3: 2048, 4: 2048, 5: 512}
"""Each lane goes round four times."""


@pytest.fixture
def frame() -> cost.FrameCost:
    made = replay(NIR)
    counted = trace([block(n, c, {made.block_lines[n]: 1}) for n, c in COUNTS.items()])
    original = trace(
        [block(90, 512, {3: 1}), block(91, 2048, {5: 3, 6: 1}), block(92, 2560, {4: 1})]
    )
    found = cost.frame_cost(STATS, NAVI23, made, counted, original)
    assert found is not None
    return found


def test_every_block_is_counted_in_waves(frame: cost.FrameCost) -> None:
    assert frame.waves == 8
    executions = {b.number: b.executions for b in frame.blocks}
    assert executions == {0: 8, 1: 40, 2: 8, 3: 40, 4: 32, 5: 32, 6: 8}
    assert frame.explained == 1


def test_busy_cycles_are_those_of_the_vector_units(frame: cost.FrameCost) -> None:
    busy = {b.number: b.busy_cycles for b in frame.blocks}
    assert busy == {0: 8 * 2, 1: 40 * 2, 2: 0, 3: 0, 4: 0, 5: 32 * (2 + 4), 6: 8 * 4}
    assert frame.busy_cycles == sum(busy.values())
    assert frame.wait_cycles == 8 * 2 + 40 * 5 + 8 * 1 + 40 * 3 + 32 * 12 + 8 * 6


def test_executed_instructions_are_told_by_unit(frame: cost.FrameCost) -> None:
    unit = units.Unit
    assert frame.executed == {
        unit.VECTOR: 8 + 40 + 32,
        unit.TRANSCENDENTAL: 32,
        unit.SCALAR: 40,
        unit.BRANCH: 8 + 32,
        unit.EXPORT: 8,
    }


def test_lines_are_found_by_their_counts(frame: cost.FrameCost) -> None:
    shares = {part.line.line: part.share for part in frame.lines}
    assert shares[5] == pytest.approx(3 / 4 * 192 / frame.busy_cycles)
    assert shares[4] == pytest.approx(80 / frame.busy_cycles)
    assert sum(shares.values()) == pytest.approx(1)
    assert frame.lines_explained == 1
    assert [p.share for p in frame.lines] == sorted(shares.values(), reverse=True)


def test_counts_nothing_in_the_source_has_are_spread_and_told() -> None:
    made = replay(NIR)
    counted = trace([block(n, c, {made.block_lines[n]: 1}) for n, c in COUNTS.items()])
    found = cost.frame_cost(STATS, NAVI23, made, counted, trace([block(90, 7, {3: 1})]))
    assert found is not None
    assert found.lines_explained == 0
    assert [part.line.line for part in found.lines] == [3]


def test_code_of_another_flow_graph_has_no_cost_by_blocks() -> None:
    made = replay(NIR)
    code = changed(
        STATS.chosen, costs=COSTS.replace("logical preds: BB4, /", "logical preds: BB2, /")
    )
    other = changed(STATS, executables=(code,))
    assert cost.frame_cost(other, NAVI23, made, trace([]), trace([])) is None


def test_the_fallback_scales_the_compiler_s_totals() -> None:
    original = trace([block(90, 512, {3: 2}), block(91, 5120, {5: 4})])
    found = cost.whole_program_cost(STATS, NAVI23, original, 21.0, "reasons")
    assert found.busy_cycles == pytest.approx(8 * 40 * (2 + 40) / 21)
    assert found.explained == 0
    assert "reasons" in found.basis
    assert [part.line.line for part in found.lines] == [5, 3]


@pytest.mark.parametrize(
    ("mnemonic", "rdna", "gcn"),
    [
        ("v_add_f32_e32", 2, 4),
        ("v_rcp_f32", 4, 16),
        ("v_mul_lo_u32", 8, 16),
        ("v_fma_f64", 32, 64),
        ("s_add_u32", 0, 0),
        ("s_waitcnt", 0, 0),
        ("s_cbranch_scc0", 0, 0),
        ("v_exp_legacy_f32", 4, 16),
    ],
)
def test_issue_cycles(mnemonic: str, rdna: float, gcn: float) -> None:
    assert units.busy_cycles(mnemonic, "RDNA 2", 64) == rdna
    assert units.busy_cycles(mnemonic, "RDNA 2", 32) == rdna / 2
    assert units.busy_cycles(mnemonic, "GCN 5", 64) == gcn


def test_time_at_boost_is_cycles_over_simds_and_clock(frame: cost.FrameCost) -> None:
    heavy = changed(frame, busy_cycles=32 * 2 * 2589e6 * 0.01)
    by_product = {(e.product, e.clock): e for e in times.estimates(heavy, NAVI23)}
    measured = by_product["Radeon RX 6600 XT", "boost"]
    assert measured.time_s == pytest.approx(0.01, rel=0.1)
    assert measured.samples > 0
    sibling = by_product["Radeon RX 6600", "boost"]
    assert sibling.time_s > measured.time_s
    assert sibling.samples == 0
    assert sibling.high_s / sibling.low_s > measured.high_s / measured.low_s


def test_a_short_frame_from_idle_is_slower_than_at_boost(frame: cost.FrameCost) -> None:
    by_clock = {e.clock: e for e in times.estimates(frame, NAVI23) if e.product.endswith("6600 XT")}
    assert by_clock["from idle"].time_s > by_clock["boost"].time_s


def test_what_was_not_counted_has_a_wider_band(frame: cost.FrameCost) -> None:
    guessed = changed(frame, explained=0.0)
    for sure, unsure in zip(
        times.estimates(frame, NAVI23), times.estimates(guessed, NAVI23), strict=True
    ):
        assert sure.time_s == unsure.time_s
        assert unsure.low_s < sure.low_s < sure.high_s < unsure.high_s


def test_every_family_has_an_estimate_for_each_product() -> None:
    for family in of_vendor(NAVI23.vendor):
        original = trace([block(90, 512, {3: 1})])
        found = cost.whole_program_cost(STATS, family, original, 10.0, "none")
        products = {estimate.product for estimate in times.estimates(found, family)}
        assert products == {product.name for product in family.products}


def test_the_less_is_known_of_a_product_the_wider_its_band(frame: cost.FrameCost) -> None:
    def width(slug: str, product: str, clock: str) -> float:
        (family,) = choose(of_vendor(NAVI23.vendor), [slug])
        found = times.estimates(frame, family)
        (one,) = [e for e in found if e.product.endswith(product) and e.clock == clock]
        assert (one.samples > 0) == (product == "RX 6600 XT")
        return one.high_s / one.low_s

    boost = [
        width("navi23", "RX 6600 XT", "boost"),
        width("navi22", "RX 6700 XT", "boost"),
        width("gfx1100", "RX 7900 GRE", "boost"),
        width("polaris10", "RX 580", "boost"),
    ]
    from_idle = [
        width("navi23", "RX 6600 XT", "from idle"),
        width("gfx1100", "RX 7900 GRE", "from idle"),
        width("renoir", "(Ryzen 7 4700G)", "from idle"),
    ]
    for widths in (boost, from_idle):
        assert all(wider > 1.25 * wide for wide, wider in pairwise(widths))


def test_only_cards_with_published_figures_have_a_time_from_idle(frame: cost.FrameCost) -> None:
    from_idle = {
        estimate.product
        for family in of_vendor(NAVI23.vendor)
        for estimate in times.estimates(frame, family)
        if estimate.clock != "boost"
    }
    (renoir,) = choose(of_vendor(NAVI23.vendor), ["renoir"])
    assert from_idle == {"Radeon RX 6600 XT", "Radeon RX 7900 GRE"} | {
        product.name for product in renoir.products
    }


def test_an_unrolled_loop_is_found_by_its_whole_number_of_rounds() -> None:
    made = replay(NIR)
    counted = trace([block(n, c, {made.block_lines[n]: 1}) for n, c in COUNTS.items()])
    # The body of 2,048 ran four times for each of 512 in the original, and is gone from there.
    original = trace([block(90, 512 * 7, {8: 1}), block(91, 2048, {5: 1}), block(92, 2560, {4: 1})])
    found = cost.frame_cost(STATS, NAVI23, made, counted, original)
    assert found is not None
    shares = {part.line.line: part.share for part in found.lines}
    assert shares[8] == pytest.approx((8 * 2 + 8 * 4) / found.busy_cycles)
    assert found.lines_explained == 1


def test_machine_blocks_know_the_lines_that_ran_as_often(frame: cost.FrameCost) -> None:
    lines = {b.number: [place.line for place in b.lines] for b in frame.blocks}
    assert lines[0] == lines[6] == [3]
    assert lines[1] == [4]
    assert lines[4] == lines[5] == [5, 6]


def test_features_are_per_pixel_and_open_where_nothing_was_counted(frame: cost.FrameCost) -> None:
    counted = compiled_features(STATS, frame)
    assert counted.busy_cycles == frame.busy_cycles / 512
    assert counted.transcendental == 32 / 512
    assert counted.vector_memory == 0
    assert len(counted.numbers) == len(NAMES) == len(set(NAMES))
    kept = tuple(s for s in STATS.chosen.statistics if s.name != "Latency")
    without = changed(STATS.chosen, statistics=kept)
    static = compiled_features(changed(STATS, executables=(without,)))
    assert (static.vgprs, static.occupancy) == (8, 16)
    assert math.isnan(static.latency)
    assert math.isnan(static.busy_cycles)
    assert math.isnan(static.vector)
    whole = changed(frame, executed={}, explained=0.0)
    assert compiled_features(STATS, whole).busy_cycles == frame.busy_cycles / 512
    assert math.isnan(compiled_features(STATS, whole).vector)
