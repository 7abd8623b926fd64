from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.catalogue import domain, domain_file, targets
from shaderlab.prediction.catalogue.domain import Features, features_of
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.models.additive import predict_s
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.splits import Split, split_of

SIZE = CONTEXT.index("log_instructions")
WORK = CONTEXT.index("log_operations_per_pixel")


def training(n: int = 200) -> list[Features]:
    """Shaders of some size, all with additions, half of them with sines, one with a switch."""
    random = np.random.default_rng(7)
    made = []
    for number in range(n):
        context = random.normal(5.0, 1.0, len(CONTEXT))
        work = {"OpFAdd": float(random.lognormal(3.0, 1.0))}
        if number % 2:
            work["Sin"] = float(random.lognormal(1.0, 1.0))
        if not number:
            work["OpSwitch"] = 1.0
        made.append(Features(context, work))
    return made


@pytest.fixture(scope="module")
def fitted():
    return domain.fit(training())


def test_what_depends_on_what_is_one_kind_of_work_per_pixel():
    found = features_of(
        np.zeros(len(CONTEXT)), [("varying:OpStore:part", 8.0), ("uniform:OpStore:looped", 4.0)], 4
    )
    assert found.work == {"OpStore": 3.0}


def test_all_but_a_few_training_shaders_are_inside(fitted):
    warned = [bool(fitted.outside(each)) for each in training()]
    assert 0 < np.mean(warned) <= 1 - domain.LEVEL + 0.01


def test_kinds_of_a_few_shaders_are_known_but_no_axis(fitted):
    assert fitted.kinds == ("OpFAdd", "Sin")
    assert fitted.rare == {"OpSwitch"}
    middle = typical()
    assert not fitted.outside(replace(middle, work={**middle.work, "OpSwitch": 5.0}))


def typical() -> Features:
    return Features(np.full(len(CONTEXT), 5.0), {"OpFAdd": 20.0, "Sin": 2.7})


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        (SIZE, 40.0, "it has more instructions than any training shader"),
        (WORK, 40.0, "it does more work per pixel than any training shader"),
        (CONTEXT.index("coherence"), -30.0, "neighbouring pixels diverge more than in any"),
    ],
)
def test_a_property_beyond_its_range_is_the_reason(fitted, column, value, reason):
    context = typical().context.copy()
    context[column] = value
    text = fitted.outside(replace(typical(), context=context))
    assert text.startswith("Outside the training data: ")
    assert reason in text
    assert "near it" not in text, "one reason is enough"


def test_new_kinds_of_work_are_the_reason_once_there_is_enough_of_them(fitted):
    assert not fitted.outside(replace(typical(), work={**typical().work, "OpUMod": 0.1}))
    text = fitted.outside(replace(typical(), work={**typical().work, "OpUMod": 5.0, "Sinh": 1.0}))
    assert "21 % of its work is OpUMod and Sinh, which no training shader had" in text


def test_a_shader_far_from_all_others_is_outside_though_nothing_of_it_is_new(fitted):
    text = fitted.outside(replace(typical(), work={"OpFAdd": 20.0, "Sin": 1e9}))
    assert "no training shader is near it, most of all in Sin" in text


@given(st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_distance_is_that_to_the_third_nearest(additions, sines):
    fitted = domain.fit(training(40))
    here = replace(typical(), work={"OpFAdd": additions, "Sin": sines})
    row = [*here.context, np.log1p(additions), np.log1p(sines)]
    mean, scale = fitted.points.mean(0), fitted.points.std(0) + 1e-6
    all_of_them = np.sqrt((((fitted.points - mean) / scale - (row - mean) / scale) ** 2).mean(1))
    assert fitted.distance(here)[0] == pytest.approx(np.sort(all_of_them)[2], rel=1e-6)


# -- on disk ------------------------------------------------------------------------------------


@pytest.fixture
def folder(folder, fitted):
    """The toy bundle with a domain beside it."""
    domain_file.write(folder, fitted, "toys", "none", "make toys")
    return folder


def test_what_was_written_comes_back(folder, fitted):
    found = domain_file.read(folder)
    assert (found.kinds, found.rare) == (fitted.kinds, fitted.rare)
    np.testing.assert_allclose(found.points, fitted.points, rtol=1e-6)
    assert found.far == pytest.approx(fitted.far)
    assert [bool(found.outside(each)) for each in training()] == [
        bool(fitted.outside(each)) for each in training()
    ]
    assert targets.catalogue(folder).domain is not None
    assert targets.problems(folder) == ()


def test_models_without_it_predict_all_the_same(tmp_path, card, tensors):
    bundle.write(tmp_path / "toy", card, tensors)
    assert targets.catalogue(tmp_path).domain is None
    assert targets.problems(tmp_path) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2}, "format 2"),
        ({"kinds": ["OpFAdd"]}, "has not 11 columns"),
        ({"kinds": ["OpFAdd", "OpFAdd"]}, "two of one name"),
        ({"kinds": ["../x", "Sin"]}, "not letters"),
        ({"context": ["size"]}, "not what this shaderlab looks at"),
        ({"surplus": 1}, "surplus: unknown field"),
        ({"weights": {"sha256": "0" * 64, "bytes": 8}}, "bytes, the card says 8"),
    ],
)
def test_a_damaged_one_is_a_problem_beside_models_that_work(folder, change, reason):
    path = folder / "domain" / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    (problem,) = targets.problems(folder)
    assert problem.bundle == "domain"
    assert reason in problem.reason
    assert [info.target for info in targets.installed(folder)] == ["toy"]
    assert targets.catalogue(folder).domain is None


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ({"points": np.zeros((9, 12), np.float32)}, "not 'points' and one 'far'"),
        ({"points": np.zeros((9, 12)), "far": np.array([0.0])}, "far: not positive"),
        ({"points": np.zeros((3, 12)), "far": np.array([1.0])}, "not 4 to"),
        ({"points": np.zeros(12), "far": np.array([1.0])}, "columns"),
    ],
)
def test_points_that_are_none_are_refused(folder, tensors, reason):
    weights = bundle.write_tensors(folder / "domain", tensors)
    path = folder / "domain" / "card.json"
    told = {"weights": {"sha256": weights.sha256, "bytes": weights.bytes}}
    path.write_text(json.dumps(json.loads(path.read_text()) | told))
    with pytest.raises(InvalidModel, match=reason):
        domain_file.read(folder)


def test_a_card_that_is_no_json_is_refused(folder):
    (folder / "domain" / "card.json").write_bytes(b"\xff{")
    with pytest.raises(InvalidModel, match="not valid JSON"):
        domain_file.read(folder)


# -- as shipped ---------------------------------------------------------------------------------


def test_few_validation_shaders_are_warned_of_and_those_err_more():
    """The share is what the card states; the errors are of the additive model for the RTX 3060."""
    catalogue = targets.catalogue()
    shaders, times = shader_data.read(data_folder())
    gpus = {slug: times[slug] for slug in ("rtx3060", "rx6600xt")}
    known = shader_data.timed_everywhere(gpus)
    validation = [shaders[each] for each in known if split_of(each) is Split.VALIDATION]
    outside = {
        each.id: bool(
            catalogue.domain.outside(
                features_of(each.example.context, each.example.operations.items(), 1024 * 768)
            )
        )
        for each in validation
    }
    assert 0.02 < np.mean(list(outside.values())) < 0.1
    card = json.loads((locations.models() / "domain" / "card.json").read_text())
    assert f"Warns of {sum(outside.values())} of {len(validation)} " in card["validation"]
    (target,) = catalogue.choose(["rtx3060"])
    (model,) = (each for each in target.models if each.methods[0].name == "additive")
    timed = {each.id: each.full_s for each in times["rtx3060"]}
    mine = [each for each in validation if each.id in timed and not each.reads_uninitialised]
    measured_s = np.array([timed[each.id] for each in mine])
    errors = np.abs(predict_s(model.weights, [each.example for each in mine]) / measured_s - 1)
    warned = np.array([outside[each.id] for each in mine])
    assert np.median(errors[warned]) > 2 * np.median(errors[~warned])
