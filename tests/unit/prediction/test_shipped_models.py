"""The seven published GPUs as shipped."""

from __future__ import annotations

import pytest

from shaderlab.errors import UnknownTarget, WrongUse
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.models import registry
from shaderlab.prediction.models.model import Model
from shaderlab.prediction.models.regressions import RegressionModel

PUBLISHED = {
    "gtx1660ti", "renoir", "rtx3060", "rtx4060-laptop", "rx6600xt", "rx7900gre", "uhd630",
}  # fmt: skip

SAMPLED = {"llvmpipe", "rtx3060", "rx6600xt"}
"""Targets with times of single shaders to fit."""

BASELINES = {"pilr-refit", "pilr-nonneg", "sh-refit", "sh-nonneg", "trees"}
"""Fitted to the same samples, to compare with."""

MATCHED = {"gtx1660ti", "rtx4060-laptop", "rx7900gre"}
"""Targets without, predicted by a relative that has some."""

MSJXRD = {
    "OpVariable": 1023934464, "OpLoad": 6485704704, "OpVectorShuffle": 786432,
    "OpStore": 2438725632, "OpFunctionCall": 202899456, "OpReturn": 1572864,
    "OpCompositeConstruct": 2632974336, "OpFAdd": 608698368, "OpVectorTimesScalar": 1413218304,
    "OpExtInst": 1830813696, "OpFSub": 2025848832, "OpFMul": 2025848832,
    "OpAccessChain": 209977344, "OpFNegate": 202113024, "OpFDiv": 812384256,
    "OpReturnValue": 202113024, "OpCompositeExtract": 3145728, "OpBranch": 605552640,
    "OpLoopMerge": 202113024, "OpSLessThan": 202113024, "OpBranchConditional": 202113024,
    "OpConvertSToF": 201326592, "OpDot": 402653184, "OpIAdd": 201326592,
}  # fmt: skip
"""Executed instructions of the one full trace that was published (MsjXRd on the GTX 1660 Ti)."""


def test_all_are_installed_without_problems():
    installed = {info.target: info for info in targets.installed()}
    assert set(installed) >= PUBLISHED | SAMPLED
    assert targets.problems() == ()
    for slug in SAMPLED:
        info = installed[slug]
        assert info.kind == "measured"
        assert info.methods[0] == "additive"
        assert info.validated == info.validations["additive"]
        assert info.samples > 1000
        assert info.validated.n > 100
        assert info.validated.median_ape < 0.25
        assert "validation shaders" in info.reasons["additive"]
        assert set(info.methods) >= BASELINES
        assert info.methods[-1] == "shaderperformer"
    for slug in SAMPLED & PUBLISHED:
        forms = ("additive", "additive-optimized", "additive-compiled")
        assert installed[slug].methods[:5] == (*forms, "pilr", "sh")
    for slug in MATCHED:
        info = installed[slug]
        assert info.kind == "published"
        leads = slug != "rx7900gre"
        assert info.methods == (("matched", "pilr", "sh") if leads else ("pilr", "sh", "matched"))
        assert info.validations["matched"].mape is None
        assert "No sample of this GPU" in info.validations["matched"].source
        assert info.validations["pilr"].mape > 0.3
    for slug in PUBLISHED - SAMPLED - MATCHED:
        info = installed[slug]
        assert info.kind == "published"
        assert info.methods == ("pilr", "sh")
        assert 7000 < info.samples < 10_000
        assert 0.2 < info.validated.mape < 1.0


def test_the_published_trace_comes_back_as_the_published_time(traced):
    shader = traced(MSJXRD)
    (forecast,) = predict(shader.program, shader.trace, ["gtx1660ti"], method="pilr")
    assert forecast.method == "pilr"
    assert round(forecast.time_s * 1e3, 2) == 4.14
    assert forecast.low_s < 4.2818871e-3 < forecast.high_s  # what they measured


@pytest.mark.parametrize(
    ("target", "pilr_s", "sh_s"),
    [
        ("rtx3060", 0.0026083346046221335, 0.00028038146697624257),
        ("rtx4060-laptop", 0.0016615930906667463, 0.00019889910008260694),
        ("gtx1660ti", 0.004141908221816946, 0.00037548088246489416),
        ("rx6600xt", 0.0032668199877962122, 0.0011831886022984136),
        ("rx7900gre", 0.0015938510802462526, 0.000679496799050911),
        ("uhd630", 0.06433830951835644, 0.038474374046499386),
        ("renoir", 0.017207001564352654, 0.00024724280977336496),
    ],
)
def test_every_fit_gives_what_its_printed_coefficients_give(traced, target, pilr_s, sh_s):
    """Expected values: the printed coefficients applied to the published trace, elsewhere."""
    (found,) = targets.catalogue().choose([target])
    (model,) = (each for each in found.models if isinstance(each, RegressionModel))
    by_name = {each.card.name: each for each in model.regressions}
    assert by_name["pilr"].fit.predict_s(traced(MSJXRD).executed) == pytest.approx(pilr_s, rel=1e-5)
    assert by_name["sh"].fit.predict_s(traced(MSJXRD).executed) == pytest.approx(sh_s, rel=1e-5)


def test_forecasts_come_in_the_order_asked_for_and_by_slug_otherwise(traced):
    shader = traced(MSJXRD)
    asked = ["uhd630", "renoir", "uhd630"]
    assert [f.target for f in predict(shader.program, shader.trace, asked)] == asked[:2]
    everything = [target.card.target.slug for target in targets.catalogue().choose(None)]
    assert everything == sorted(everything)
    assert set(everything) >= PUBLISHED


def test_the_other_methods_of_a_target_stay_at_hand(traced):
    shader = traced(MSJXRD)
    for method, time_s in (("pilr", 0.0026083346046221335), ("sh", 0.00028038146697624257)):
        (forecast,) = predict(shader.program, shader.trace, ["rtx3060"], method=method)
        assert forecast.method == method
        assert forecast.time_s == pytest.approx(time_s, rel=1e-5)
    with pytest.raises(WrongUse, match="rtx3060 has no method 'tarot'; it has additive, add"):
        predict(shader.program, shader.trace, ["rtx3060"], method="tarot")


def test_an_unknown_target_lists_what_is_installed(traced):
    shader = traced(MSJXRD)
    with pytest.raises(UnknownTarget, match=r"'voodoo2'.*gtx1660ti,.* renoir, rtx3060"):
        predict(shader.program, shader.trace, ["rtx3060", "voodoo2"])


@pytest.mark.parametrize("count", [1, 786_432, 10**8, 10**10])
@pytest.mark.parametrize("opcode", ["OpBranch", "OpFMul", "OpLoad", "OpReturnValue", "OpUnheardOf"])
def test_no_mix_of_instructions_gives_an_impossible_time(traced, opcode, count):
    shader = traced({opcode: 3}, count=count)
    for forecast in predict(shader.program, shader.trace, sorted(PUBLISHED), method="pilr"):
        (model,) = targets.catalogue().choose([forecast.target])
        floor_s = model.card.target.floor_s or 0.0
        assert forecast.time_s > 0
        assert floor_s <= forecast.low_s <= forecast.time_s <= forecast.high_s


@pytest.mark.parametrize("model", registry.MODELS)
def test_a_model_that_predicts_from_counts_says_so(model):
    assert (model.predict is not Model.predict) == model.BY_COUNTS
