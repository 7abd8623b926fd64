"""What a forecast of the additive model says, computed here a second time from its prices."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from shaderlab.errors import WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.bundles.accuracy import BandCard, TextureCard
from shaderlab.prediction.cost import PASS, Bound
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.cost_groups import cost_group_of
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import TexturePrice, Validation
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import additive_model
from shaderlab.prediction.models.additive import Late, Weights, join
from shaderlab.prediction.models.additive_model import COMPILED, OPTIMIZED, AdditiveModel
from shaderlab.prediction.models.matched import MatchedModel
from shaderlab.spirv.trace import SourceLine

FLOOR_S = 1e-6
PRICE_S = 2e-12
BAND = BandCard(0.0, None, 0.5, 1.5, 0.8, 50, 0.8)
INPUTS = len(CONTEXT)
WORKS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = fragCoord.x;
    for (int i = 0; i < 12; i++) v = sin(v) * 0.9;
    fragColor = vec4(v);
}
"""
READS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = texture(iChannel0, fragCoord / 99.0);
}
"""
UNSET = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v;
    fragColor = vec4(sin(v + fragCoord.x));
}
"""


def traced(text: str = WORKS, *, with_optimized: bool = False) -> TracedProgram:
    written = compile_text(text, "toy", None)
    counts = static_counts.read()
    others = {}
    if with_optimized:
        made = optimized(written)
        others = {Form.OPTIMIZED: TracedProgram(made, counts.count(made).trace)}
    return TracedProgram(written, counts.count(written).trace, others)


def weights(kinds: tuple[str, ...], price_s: float = PRICE_S, **changes) -> Weights:
    """One price for all kinds and no influence of the context."""
    plain = Weights(
        kinds=("other", *kinds),
        prices=np.full(len(kinds) + 1, price_s),
        floor_s=FLOOR_S,
        exponent=2.0,
        bound=0.0,
        mean=np.zeros(INPUTS),
        scale=np.ones(INPUTS),
        low=np.zeros(INPUTS),
        high=np.full(INPUTS, 10.0),
        hidden=np.zeros((INPUTS + 1, 2)),
        out=np.zeros(3),
    )
    return replace(plain, **changes)


@pytest.fixture
def named(card):
    def make(name: str = "additive", **target) -> object:
        only = replace(card.methods[0], name=name, features=("other",), bands=(BAND,))
        target = replace(card.target, **{"floor_s": FLOOR_S} | target)
        return replace(
            card, architecture="additive-lane-work", methods=(only,), preference=10, target=target
        )

    return make


def test_the_time_is_the_priced_work_joined_with_the_floor(named):
    shader = traced()
    work_s = PRICE_S * shader.work.operations.sum()
    model = AdditiveModel(named(), weights(shader.work.kinds))
    assert model.time_s(shader) == pytest.approx(join(FLOOR_S, work_s, 2.0))
    assert model.forecast(shader).time_s == model.time_s(shader)
    assert model.predict("additive", Counted(shader)).time_s == pytest.approx(
        [model.time_s(shader)], rel=1e-6
    )


class Counted:
    """Shaders of a data set whose counts are those of one trace."""

    def __init__(self, *shaders: TracedProgram, unset: bool = False):
        from shaderlab.prediction.models.model import CountedShader

        self.shaders = [
            CountedShader(str(n), each.executed, each.example, unset)
            for n, each in enumerate(shaders)
        ]
        self._forms = [each.form for each in shaders]

    def of_form(self, form: Form):
        found = []
        for shader, form_of in zip(self.shaders, self._forms, strict=True):
            other = form_of(form)
            found.append(None if other is None else replace(shader, example=other.example))
        return found


def test_what_the_time_is_made_of_sums_to_one_and_the_pass_has_the_floors_part(named):
    shader = traced()
    forecast = AdditiveModel(named(), weights(shader.work.kinds)).forecast(shader)
    shares = dict(forecast.cost.shares)
    expected: defaultdict[str, float] = defaultdict(float)
    total = shader.work.operations.sum()
    for kind, operations in shader.work.totals.items():
        expected[cost_group_of(kind)] += operations / total * (1 - FLOOR_S / forecast.time_s)
    assert shares == pytest.approx({**expected, PASS: FLOOR_S / forecast.time_s})
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert 0 < shares[PASS] < 1
    assert sum(each.share for each in forecast.lines) <= 1 - shares[PASS] + 1e-9
    by_line = [each.share for each in forecast.lines]
    assert len(set(by_line)) > 1
    assert by_line == sorted(by_line, reverse=True)


def test_work_that_costs_nothing_leaves_the_pass_alone(named):
    shader = traced()
    forecast = AdditiveModel(named(), weights(shader.work.kinds, 0.0)).forecast(shader)
    assert forecast.time_s == pytest.approx(FLOOR_S)
    assert dict(forecast.cost.shares) == {PASS: 1.0}
    assert forecast.cost.bound is Bound.PASS
    assert not forecast.lines


@pytest.mark.parametrize(
    ("late", "bound"),
    [
        (None, Bound.WORK),
        (Late(1.0, 0.9, 6.0), Bound.WORK),  # the clock has not risen yet
        (Late(2e-6, 0.1, 6.0), Bound.CLOCK),
        (Late(2e-6, 0.9, 6.0), Bound.WORK),
        (Late(6e-6, 0.4, 6.0), Bound.WORK),  # rising to it takes longer than the work at the low
    ],
)
def test_the_clock_bounds_where_rising_takes_longer_than_the_work(named, late, bound):
    shader = traced()
    price_s = 8e-6 / shader.work.operations.sum()
    model = AdditiveModel(named(), weights(shader.work.kinds, price_s, late=late))
    assert model.forecast(shader).cost.bound is bound


def test_a_stage_costs_its_work_without_the_pass(named):
    shader = traced()
    model = AdditiveModel(named(), weights(shader.work.kinds))
    cost = model.stage_cost(shader)
    assert cost.time_s == pytest.approx(PRICE_S * shader.work.operations.sum())
    assert sum(share for _, share in cost.shares) == pytest.approx(1.0)
    assert [share for _, share in cost.shares] == sorted(
        (share for _, share in cost.shares), reverse=True
    )
    assert cost.lines
    assert cost.method == "additive"
    other = AdditiveModel(named(OPTIMIZED), weights(shader.work.kinds))
    assert other.stage_cost(traced(with_optimized=True)) is None


def test_a_form_that_was_not_traced_is_asked_for_by_name(named):
    model = AdditiveModel(named(OPTIMIZED), weights(()))
    with pytest.raises(WrongUse, match="additive-optimized needs a trace of the optimized program"):
        model.forecast(traced())


def test_uninitialised_values_lower_the_band_to_the_floor_and_say_so(named):
    known, unset = traced(), traced(UNSET)
    assert unset.uninitialised_reads
    assert not known.uninitialised_reads
    for shader, reads in ((known, False), (unset, True)):
        price_s = 1e-4 / shader.work.operations.sum()
        model = AdditiveModel(named(), weights(shader.work.kinds, price_s))
        found = model.forecast(shader)
        assert found.low_s == pytest.approx(FLOOR_S if reads else found.time_s * 0.5)
        assert found.high_s == pytest.approx(found.time_s * 1.5)
        assert ("Its low end is the floor" in found.basis) == reads
        assert any("uninitialised" in each for each in found.warnings) == reads
        predicted = model.predict("additive", Counted(shader, unset=reads))
        assert predicted.low_s == pytest.approx([found.low_s])


def test_without_a_floor_on_the_card_the_fitted_one_ends_the_band(named):
    shader = traced(UNSET)
    price_s = 1e-4 / shader.work.operations.sum()
    model = AdditiveModel(named(floor_s=None), weights(shader.work.kinds, price_s))
    assert model.forecast(shader).low_s == pytest.approx(FLOOR_S)


def test_the_share_of_shaders_on_the_floor_is_the_first_bands_where_it_ends_there(named, card):
    near = (replace(BAND, to_s=1.5 * FLOOR_S, n=30), replace(BAND, from_s=1.5 * FLOOR_S, n=70))
    far = tuple(
        replace(each, from_s=each.from_s * 1.01, to_s=each.to_s and each.to_s * 1.01)
        for each in near
    )
    shader = traced()
    for bands, share in ((near, 0.3), (far, None), ((BAND,), None)):
        model_card = named()
        only = replace(model_card.methods[0], bands=bands)
        model = AdditiveModel(replace(model_card, methods=(only,)), weights(shader.work.kinds))
        assert model.forecast(shader).cost.on_floor == share


def test_the_compiled_form_gives_way_to_a_third_of_it_and_says_why(named):
    shader = traced(with_optimized=True)
    compiled = replace(shader, other_forms={**shader.other_forms, Form.COMPILED: traced()})
    operations = shader.form(Form.OPTIMIZED).work.operations.sum()
    optimized_model = AdditiveModel(named(OPTIMIZED), weights((), 1e-5 / operations))
    written = AdditiveModel(named(), weights((), PRICE_S))
    for times, doubted in ((2.9, False), (3.5, True)):
        price_s = times * 1e-5 / compiled.form(Form.COMPILED).work.operations.sum()
        model = AdditiveModel(named(COMPILED), weights((), price_s), (optimized_model, written))
        found = model.forecast(compiled)
        trusted = optimized_model if doubted else model
        assert found.time_s == pytest.approx(trusted.time_s(compiled))
        assert ("less than a third" in found.basis) == doubted
        assert "according to fitted prices on optimised code" in found.basis
        assert model.predict(COMPILED, Counted(compiled)).time_s == pytest.approx([found.time_s])
    assert model.looks_at == {Form.COMPILED, Form.OPTIMIZED}
    assert model.lines(compiled, 1e-4, FLOOR_S) == optimized_model.lines(compiled, 1e-4, FLOOR_S)
    assert model.lines(compiled, 1e-4, FLOOR_S)


def test_a_shader_without_the_form_has_no_predicted_time(named):
    model = AdditiveModel(named(OPTIMIZED), weights(()))
    found = model.predict(OPTIMIZED, Counted(traced(), traced(with_optimized=True)))
    assert np.isnan(found.time_s).tolist() == [True, False]


@pytest.fixture
def matched(named, card):
    relative = AdditiveModel(named(), weights((), PRICE_S))
    only = replace(card.methods[0], name="matched", features=("toy",), bands=(BAND,))
    own = replace(card, methods=(only,), target=replace(card.target, slug="other", floor_s=None))
    knots = np.array([1e-7, 1e-6, 1e-3])
    return MatchedModel(own, (relative,), knots, knots * 4)


def test_a_matched_forecast_is_its_relatives_mapped(matched):
    shader, (relative,) = traced(), matched.bases
    there, here = relative.forecast(shader), matched.forecast(shader)
    assert here.time_s == pytest.approx(4 * there.time_s)
    # Two errors as large as each other come to the root of two of one.
    assert here.low_s == pytest.approx(here.time_s * BAND.low ** (2**0.5))
    assert here.high_s == pytest.approx(here.time_s * BAND.high ** (2**0.5))
    assert (here.target, here.method, here.form) == ("other", "matched", Form.WRITTEN)
    # Four times the time with four times the floor: the same shares.
    assert dict(here.cost.shares) == pytest.approx(dict(there.cost.shares))
    assert here.cost.bound is there.cost.bound
    lines = {(each.file, each.line): each.share for each in here.lines}
    assert lines == pytest.approx({(each.file, each.line): each.share for each in there.lines})


def test_a_matched_stage_is_the_relatives_above_its_pass(matched):
    shader, (relative,) = traced(), matched.bases
    there, here = relative.stage_cost(shader), matched.stage_cost(shader)
    assert here.time_s == pytest.approx(4 * there.time_s)
    assert here.shares == there.shares
    assert here.method == "matched"


JUDGED = Validation(0.4, 0.8, 30, "shaders that read textures")
WIDE = BandCard(0.0, None, 0.2, 3.0, 0.8, 30, 0.8)
READ = "varying:OpImageSampleImplicitLod"


@pytest.fixture
def reading(named):
    """A model whose card has something to say of textures, and prices of these kinds."""

    def make(kinds: tuple[str, ...], *, name: str = "additive", has_card: bool = True, **more):
        card = named(name)
        textures = TextureCard(30, "command", JUDGED, (WIDE,)) if has_card else None
        only = replace(card.methods[0], textures=textures)
        return AdditiveModel(replace(card, methods=(only,)), weights(kinds, 1e-9), **more)

    return make


@pytest.mark.parametrize("has_card", [True, False])
@pytest.mark.parametrize("has_price", [True, False])
@pytest.mark.parametrize("reads", [True, False])
def test_priced_texture_reads_have_a_band_and_error_of_their_own(
    reading, has_card, has_price, reads
):
    shader = traced(READS if reads else WORKS)
    kinds = shader.work.kinds if has_price else tuple(k for k in shader.work.kinds if k != READ)
    model = reading(kinds, has_card=has_card)
    found = model.forecast(shader)
    is_judged_apart = has_card and has_price and reads
    assert (found.validated == JUDGED) == is_judged_apart
    assert found.low_s == pytest.approx(
        max(found.time_s * (WIDE if is_judged_apart else BAND).low, FLOOR_S)
    )
    assert found.high_s == pytest.approx(found.time_s * (WIDE if is_judged_apart else BAND).high)
    if is_judged_apart:
        assert found.textures.price is TexturePrice.FITTED
    else:
        assert found.textures is None


def test_many_shaders_have_the_band_of_texture_reads_where_they_make_some(reading):
    shaders = [traced(READS), traced()]
    model = reading((*shaders[0].work.kinds, *shaders[1].work.kinds))
    found = model.predict("additive", Counted(*shaders))
    assert found.high_s / found.time_s == pytest.approx([WIDE.high, BAND.high])
    without = reading((*shaders[0].work.kinds, *shaders[1].work.kinds), has_card=False)
    plain = without.predict("additive", Counted(*shaders))
    assert plain.high_s / plain.time_s == pytest.approx([BAND.high, BAND.high])


def test_a_form_without_prices_of_reads_gives_way_to_one_that_has_them(reading):
    shader, plain = traced(READS), traced()
    compiled = replace(shader, other_forms={Form.COMPILED: traced(READS)})
    for written_has, own_has, gives_way in (
        (True, False, True),
        (True, True, False),
        (False, False, False),
    ):
        written = reading(shader.work.kinds, has_card=written_has)
        model = reading((), name=COMPILED, has_card=own_has, dividing=(written,))
        assert bool(model.gives_way(compiled)) == gives_way
        other = replace(plain, other_forms={Form.COMPILED: traced()})
        assert model.gives_way(other) is None


def test_the_forecast_names_the_compiler_and_says_where_its_prices_were_fitted_to_another(named):
    written = AdditiveModel(named("additive"), weights(()))
    model = AdditiveModel(named(COMPILED), weights(()), (written,))
    for driver, is_fitted in (
        ("radv Mesa 22.3.6", True),
        ("radv Mesa 25.0.7", False),
        ("radv Mesa 24.2.8-1", False),
        ("", True),
    ):
        form = traced()
        form = replace(form, program=replace(form.program, made_by=driver))
        found = model.forecast(replace(traced(), other_forms={Form.COMPILED: form}))
        assert (f"That compiler was {driver}." in found.basis) is bool(driver)
        assert any("not validated" in each for each in found.warnings) is not is_fitted, driver


def test_the_error_of_a_compiler_other_than_the_fitted_one_is_what_was_measured_with_it(
    named, card
):
    target = replace(card.target, slug="rx6600xt")
    written = AdditiveModel(named("additive"), weights(()))
    model = AdditiveModel(replace(named(COMPILED), target=target), weights(()), (written,))
    found = {}
    for driver in ("radv Mesa 22.3.6", "radv Mesa 25.0.7-2", "radv Mesa 25.0.7 (shaderlab)"):
        form = traced()
        form = replace(form, program=replace(form.program, made_by=driver))
        forecast = model.forecast(replace(traced(), other_forms={Form.COMPILED: form}))
        assert not any("not validated" in each for each in forecast.warnings)
        found[driver] = forecast.validated
    fitted, system, built = found.values()
    assert fitted == model.methods[0].validation_of(False)
    assert "Mesa 25.0:" in system.source
    assert "Mesa 25.0 (shaderlab):" in built.source
    assert system.median_ape > built.median_ape, "the built one keeps loops as they were"


def test_an_error_that_was_measured_with_the_fitted_compiler_only_says_so(named, card):
    target = replace(card.target, slug="rx6600xt")
    written = AdditiveModel(named("additive"), weights(()))
    model = AdditiveModel(replace(named(COMPILED), target=target), weights(()), (written,))
    form = traced(UNSET)
    form = replace(form, program=replace(form.program, made_by="radv Mesa 25.0.7-2"))
    found = model.forecast(replace(traced(UNSET), other_forms={Form.COMPILED: form}))
    assert found.validated == model.methods[0].validation_of(True)
    assert any("not validated" in each for each in found.warnings)


def test_lines_are_those_that_take_time_of_equal_ones_the_earlier_first():
    places = [SourceLine("", line) for line in (1, 2, 3, 4)]
    analysis = SimpleNamespace(place=np.array([0, 1, 2, 3, -1]), places=places)
    priced = SimpleNamespace(
        instruction=np.array([3, 1, 4, 2, 0]), parts=np.array([0.25, 0.0, 0.25, 0.25, 0.25])
    )
    found = additive_model._line_shares(SimpleNamespace(analysis=analysis), priced)
    assert [(each.line, each.share) for each in found] == [(1, 0.25), (3, 0.25), (4, 0.25)]


def test_lines_share_the_time_above_the_floor(named):
    model = AdditiveModel(named("additive"), weights(()))
    run = traced(UNSET)
    all_of_it = model.lines(run, 4e-6, 0.0)
    part = model.lines(run, 4e-6, 1e-6)
    assert [each.share for each in part] == [0.75 * each.share for each in all_of_it]
    for time_s in (1e-6, 0.5e-6, 0.0):
        assert not model.lines(run, time_s, 1e-6)
