"""What a forecast says: its number, band, fallback, warnings and shares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import TimeRangeError
from shaderlab.prediction.bundles.bundle import Bundle, read
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.line_shares import LineShares
from shaderlab.prediction.models.bands import error_band
from shaderlab.prediction.models.model import Model
from shaderlab.prediction.models.regressions import TOTAL, RegressionModel


@pytest.fixture
def model(folder) -> RegressionModel:
    return RegressionModel.from_bundle(read(folder / "toy"))


def test_pilr_is_intercept_plus_weighted_counts(model, traced):
    forecast = model.forecast(traced({"OpFAdd": 3, "OpFMul": 1}, count=20_000))
    assert forecast.method == "pilr"
    assert forecast.time_s == pytest.approx(20e-6 + 20_000 * (3 - 1) * 1e-9)
    assert forecast.target == "toy"
    assert forecast.validated.n == 100
    assert "1,000 shaders" in forecast.basis


def test_counts_are_float32_as_in_the_published_fits(model):
    (pilr, sh) = model.regressions
    odd = 2**24 + 1
    assert pilr.fit.predict_s({"OpFAdd": odd}) == pytest.approx(2e-5 + (odd - 1) * 1e-9, rel=1e-7)
    assert sh.fit.predict_s({"OpFAdd": odd}) == sh.fit.predict_s({"OpFAdd": odd - 1})


@pytest.mark.parametrize(
    ("opcodes", "said"),
    [({"OpFMul": 50_000}, "PILR gave -30.0 µs"), ({"OpFMul": 15_000}, "PILR gave 5.00 µs")],
)
def test_below_the_floor_falls_back_to_simple_heuristics_and_says_so(model, traced, opcodes, said):
    forecast = model.forecast(traced(opcodes))
    assert forecast.method == "sh"
    assert forecast.time_s == pytest.approx(30e-6 + sum(opcodes.values()) * 5e-10)
    assert forecast.basis.startswith(said)
    assert "below the 10.0 µs" in forecast.basis
    assert "fallback" in forecast.basis


def test_without_a_known_floor_only_impossible_times_fall_back(model, traced):
    model = RegressionModel(
        replace(model.card, target=replace(model.card.target, floor_s=None)), model.regressions
    )
    assert model.forecast(traced({"OpFMul": 15_000})).method == "pilr"
    below = model.forecast(traced({"OpFMul": 50_000}))
    assert below.method == "sh"
    assert "not a possible time" in below.basis


def test_when_no_method_gives_a_possible_time_the_floor_is_shown(card, tensors, traced):
    tensors["sh.intercept"] = np.array([1e-6], np.float32)
    model = RegressionModel.from_bundle(Bundle("toy", card, tensors))
    forecast = model.forecast(traced({"OpFMul": 15_000}))
    assert forecast.time_s == card.target.floor_s
    assert "PILR gave 5.00 µs and Simple Heuristics gave 8.50 µs" in forecast.basis
    assert "the floor itself" in forecast.basis
    assert not forecast.lines


def test_debug_lines_are_not_instructions(model, traced):
    plain = traced({"OpFAdd": 5}, count=100)
    with_lines = traced({"OpFAdd": 5, "OpLine": 7, "OpNoLine": 1}, count=100)
    assert with_lines.instructions == 500
    assert with_lines.executed == plain.executed
    assert model.forecast(with_lines).warnings == ()


def test_the_canonical_run_needs_no_warning(model, traced):
    assert model.forecast(traced({"OpFAdd": 5, "OpFMul": 1}, count=786_432)).warnings == ()


@pytest.mark.parametrize(
    ("opcodes", "count", "fields", "said"),
    [
        ({"OpFAdd": 1}, 1, {"size": (512, 384)}, "Traced at 512x384"),
        ({"OpFAdd": 1}, 1, {"time_s": 2.5}, "iTime 2.5"),
        ({"OpFAdd": 1}, 2 * 10**9, {}, "more than any in the training data"),
        ({"OpFAdd": 3, "OpGroupNonUniformElect": 1}, 1, {}, "never saw 25 %"),
    ],
)
def test_each_reason_for_distrust_is_said(model, traced, opcodes, count, fields, said):
    (warning,) = model.forecast(traced(opcodes, count, **fields)).warnings
    assert said in warning


def test_code_that_never_runs_is_no_reason_for_distrust(model, traced):
    made = traced({"OpFAdd": 1})
    dead = replace(made.trace.blocks[0], label=9, count=0, opcodes={"OpImageFetch": 1, "OpXyz": 1})
    trace = replace(made.trace, blocks=(*made.trace.blocks, dead))
    assert model.forecast(TracedProgram(made.program, trace)).warnings == ()


def test_a_time_no_validation_shader_had_is_warned_about(card, tensors, traced):
    ranges = (TimeRangeError(0.0, 1e-3, 0.5), TimeRangeError(1e-3, None, None))
    methods = tuple(replace(each, by_time=ranges) for each in card.methods)
    model = RegressionModel.from_bundle(Bundle("toy", replace(card, methods=methods), tensors))
    assert model.forecast(traced({"OpFAdd": 1})).warnings == ()
    (warning,) = model.forecast(traced({"OpFAdd": 10_000}, count=1000)).warnings
    assert "No validation shader" in warning


class WithShares(TracedProgram):
    """A traced program whose line shares are given."""

    @property
    def line_shares(self):
        return LineShares([("", 3, 0.5), ("lib.glsl", 1, 0.25)])


def test_simple_heuristics_divides_exactly(card, tensors, traced):
    methods = (card.methods[1],)
    sh = {name: tensors[name] for name in ("sh.intercept", "sh.coefficients")}
    model = RegressionModel.from_bundle(Bundle("toy", replace(card, methods=methods), sh))
    made = traced({"OpFAdd": 8}, count=10_000)
    forecast = model.forecast(WithShares(made.program, made.trace))
    # 80,000 instructions of 0.5 ns are 40 of 70 us.
    assert [(line.file, line.line) for line in forecast.lines] == [("", 3), ("lib.glsl", 1)]
    assert [line.share for line in forecast.lines] == pytest.approx([20 / 70, 10 / 70])


def test_pilr_divides_the_time_above_the_floor_by_instructions(model, traced):
    made = traced({"OpFAdd": 8}, count=10_000)
    forecast = model.forecast(WithShares(made.program, made.trace))
    # 100 us, of which 10 are the floor.
    assert forecast.time_s == pytest.approx(100e-6)
    assert [line.share for line in forecast.lines] == pytest.approx([0.45, 0.225])
    assert "by executed instructions" in forecast.basis


RANGES = (
    TimeRangeError(0.0, 1e-4, 1.5),
    TimeRangeError(1e-4, 1e-3, 0.25),
    TimeRangeError(1e-3, 1e-2, 0.8),
    TimeRangeError(1e-2, None, None),
)


def test_the_band_is_as_wide_as_the_mean_error_of_its_range():
    band = error_band(5e-4, RANGES, 1e-5)
    assert band.low_s == pytest.approx(5e-4 / 1.25)
    assert "25 %" in band.origin
    assert "from 100 µs to 1.00 ms" in band.origin
    assert not band.extrapolated


def test_underestimates_of_slow_shaders_reach_into_the_slower_range():
    # 0.5 ms is 1 - 0.8 of 2.5 ms, which lies in the range that errs by 0.8.
    assert error_band(5e-4, RANGES, 0.0).high_s == pytest.approx(5e-4 / 0.2)
    # 0.15 ms could be 0.75 ms at most, which does not: 0.2 ms is the most its own range allows.
    assert error_band(1.5e-4, RANGES, 0.0).high_s == pytest.approx(1.5e-4 / 0.75)


def test_overestimates_of_fast_shaders_reach_into_the_faster_range():
    # 0.11 ms is 1 + 1.5 of 44 us.
    assert error_band(1.1e-4, RANGES, 0.0).low_s == pytest.approx(1.1e-4 / 2.5)


def test_a_range_without_error_borrows_the_nearest():
    band = error_band(2e-2, RANGES, 0.0)
    assert band.high_s == pytest.approx(2e-2 / 0.2)
    assert band.extrapolated
    assert "no validation shader took over 10.0 ms" in band.origin


@given(time_s=st.floats(1e-6, 1e3), floor_s=st.floats(0.0, 1e-2))
def test_the_band_holds_the_forecast_and_respects_the_floor(time_s, floor_s):
    time_s = max(time_s, floor_s)
    band = error_band(time_s, RANGES, floor_s)
    assert floor_s <= band.low_s <= time_s <= band.high_s < float("inf")


@dataclass(frozen=True)
class StandIn(Model):
    """A second bundle of the target."""

    answer: Forecast

    @classmethod
    def from_bundle(cls, bundle, installed=None):
        raise NotImplementedError

    def forecast(self, traced, method=None):
        return self.answer


def test_the_next_bundle_stands_in_where_the_default_is_impossible(folder, traced):
    (published,) = targets.catalogue(folder).targets
    (model,) = published.models
    possible, impossible = traced({"OpFAdd": 10}, 10_000), traced({"OpFMul": 10}, 10_000)
    other = replace(model.forecast(possible), method="matched", basis="By a relative.")
    target = targets.Target((model, StandIn(model.card, other)))
    assert target.forecast(possible).method == "pilr"
    found = target.forecast(impossible)
    assert found.method == "matched"
    assert found.basis.startswith("PILR gave ")
    assert found.basis.endswith("By a relative.")
    assert target.forecast(impossible, "pilr").method == "sh"
    assert model.gives_way(possible) is None


def test_a_vertex_stage_costs_its_instructions_by_simple_heuristics(model, traced):
    (_, sh) = model.regressions
    work = traced({"OpFAdd": 3, "OpFMul": 1}, count=20_000)
    cost = model.stage_cost(work)
    assert cost.method == sh.card.name == "sh"
    assert cost.time_s == pytest.approx(float(sh.fit.coefficients[0]) * 80_000)


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (0, {"name": "forest"}, "no regression is called 'forest'"),
        (0, {"features": (TOTAL,)}, "pilr: features are not its own"),
        (1, {"features": ("OpFAdd",)}, "sh: features are not its own"),
        (0, {"by_time": ()}, "pilr: by_time: missing"),
    ],
)
def test_methods_that_are_no_published_regression_are_refused(card, tensors, place, change, said):
    methods = list(card.methods)
    methods[place] = replace(methods[place], **change)
    bundle = Bundle("toy", replace(card, methods=tuple(methods)), tensors)
    with pytest.raises(InvalidModel, match=said):
        RegressionModel.from_bundle(bundle)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_weight_of_a_second_is_refused(card, tensors, value):
    tensors["sh.coefficients"] = np.array([value], np.float32)
    with pytest.raises(InvalidModel, match=r"sh\.coefficients: a value of over 1 s"):
        RegressionModel.from_bundle(Bundle("toy", card, tensors))


def test_where_no_floor_is_known_the_largest_intercept_stands_for_it(card, tensors, traced):
    tensors["sh.coefficients"] = np.array([-5e-10], np.float32)
    target = replace(card.target, floor_s=None)
    model = RegressionModel.from_bundle(Bundle("toy", replace(card, target=target), tensors))
    forecast = model.forecast(traced({"OpFMul": 100_000}))
    assert forecast.time_s == pytest.approx(30e-6), "of Simple Heuristics; PILR's is 20 us"


def test_many_shaders_are_predicted_as_each_is(model, traced):
    shaders = [traced({"OpFAdd": 3, "OpFMul": n}, count=5000) for n in (1, 3, 9)]
    counted = SimpleNamespace(shaders=shaders)
    for method in ("pilr", "sh"):
        found = model.predict(method, counted)
        alone = [model.forecast(each, method) for each in shaders]
        for name in ("time_s", "low_s", "high_s"):
            assert getattr(found, name) == pytest.approx([getattr(each, name) for each in alone])


def test_a_stage_is_priced_by_the_instruction(model, traced, card, tensors):
    shader = traced({"OpFAdd": 3}, count=1000)
    cost = model.stage_cost(shader)
    assert cost.time_s == pytest.approx(3000 * 5e-10)
    assert cost.method == "sh"
    only = replace(card, methods=card.methods[:1])
    mere = {name: each for name, each in tensors.items() if name.startswith("pilr")}
    pilr = RegressionModel.from_bundle(Bundle("toy", only, mere))
    assert pilr.stage_cost(shader) is None
    tensors["sh.coefficients"] = np.array([-5e-10], np.float32)
    falling = RegressionModel.from_bundle(Bundle("toy", card, tensors))
    assert falling.stage_cost(shader).time_s == 0.0


def test_the_next_model_leads_where_the_default_gives_no_possible_time(model, traced):
    assert model.gives_way(traced({"OpFAdd": 1}, count=1000)) is None
    said = model.gives_way(traced({"OpFMul": 50_000}))
    assert said == "PILR gave -30.0 \u00b5s, below the 10.0 \u00b5s that every frame takes there."
