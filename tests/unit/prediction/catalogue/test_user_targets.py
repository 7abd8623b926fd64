"""Targets of the user's own beside the shipped ones: saved, shown, refused where they are wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.errors import InvalidModel, UnknownTarget, WrongUse
from shaderlab.prediction.bundles.bundle import CARD, WEIGHTS
from shaderlab.prediction.calibration import held_out
from shaderlab.prediction.calibration.fit_table import AMONG_GPUS
from shaderlab.prediction.calibration.fitting import Calibrated
from shaderlab.prediction.catalogue import listed, targets, user_targets
from shaderlab.prediction.catalogue.user_targets import CalibratedDevice
from shaderlab.prediction.forms import Form

DEVICE = CalibratedDevice(
    "rtx9",
    "NVIDIA GeForce RTX 9 (odd)",
    "NVIDIA",
    "9.9",
    "locked",
    1e-5,
    (1024, 768),
    10,
    30,
    False,
)


@pytest.fixture
def calibrated() -> Calibrated:
    """As if 40 shaders had been timed: held-out times 10 % off, every tenth of them 50 %."""
    measured = np.geomspace(1e-5, 1e-2, 40)
    off = np.where(np.arange(40) % 10 == 0, 1.5, 1.1)
    weights = next(iter(user_targets.bases().values()))
    names = tuple(f"shader{number}" for number in range(40))
    return Calibrated(weights, "rtx3060", AMONG_GPUS, names, measured, measured * off)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The user's data folder, empty."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return user_targets.folder()


def saved(calibrated: Calibrated, slug: str = "my-rtx9", **others: Calibrated):
    """`others`: calibrations of other forms."""
    found = {Form.WRITTEN: calibrated} | {Form(form): each for form, each in others.items()}
    cards = user_targets.cards_of(slug, found, DEVICE)
    return user_targets.save({form: (cards[form], found[form].weights) for form in found})


def better(calibrated: Calibrated, share: float = 0.5) -> Calibrated:
    """The same with a share of its errors."""
    off = calibrated.held_out_s / calibrated.measured_s - 1
    return replace(calibrated, held_out_s=calibrated.measured_s * (1 + off * share))


def test_a_saved_target_stands_beside_the_shipped_ones(home, calibrated):
    before = {info.target for info in targets.installed()}
    assert saved(calibrated) == home / "my-rtx9"
    found = {info.target: info for info in targets.installed()}
    assert set(found) == before | {"my-rtx9"}
    mine = found["my-rtx9"]
    assert mine.user
    assert not any(info.user for slug, info in found.items() if slug != "my-rtx9")
    assert mine.name == "NVIDIA GeForce RTX 9, this machine"
    assert (mine.samples, mine.floor_s) == (40, 1e-5)
    assert mine.validated.median_ape == pytest.approx(0.1)
    assert mine.validated.mape == pytest.approx(0.14)
    assert "Calibrated on 40 shaders on NVIDIA GeForce RTX 9" in mine.reasons["additive"]
    assert "held-out median error 10 %" in mine.reasons["additive"]
    assert "started from those of rtx3060" in mine.reasons["additive"]


def test_the_error_is_told_with_its_interval(calibrated):
    card = user_targets.cards_of("my-rtx9", {Form.WRITTEN: calibrated}, DEVICE)[Form.WRITTEN]
    source = card.methods[0].validation.source
    assert "median error 10 % (95 % interval 10 % to 10 %)" in source
    checked = held_out.validation(np.ones(40), np.where(np.arange(40) % 10 == 0, 1.5, 1.1), "Here")
    assert re.search(r"mean error 14 % \(95 % interval 1\d % to 1\d %\)", checked.source)


def test_the_band_is_as_wide_as_the_held_out_errors(calibrated):
    cards = user_targets.cards_of("my-rtx9", {Form.WRITTEN: calibrated}, DEVICE)
    (band,) = cards[Form.WRITTEN].methods[0].bands
    assert band.high == 1.0
    assert band.low == pytest.approx(1 / 1.5, abs=0.25)
    assert 0.5 < band.coverage <= 1


@pytest.mark.parametrize("n", [5, 8, 12])
def test_bands_of_few_shaders_hold_what_they_say(n):
    """Of errors that scatter normally, over many calibrations of so few."""
    generator, held = np.random.default_rng(n), []
    for _ in range(400):
        *seen, new = np.exp(0.2 * generator.normal(size=n + 1))
        band = held_out.band(np.array(seen), np.ones(n))
        held.append(band.low <= new <= band.high)
        assert 0 < band.low <= 1 <= band.high
    assert np.mean(held) == pytest.approx(band.level, abs=0.06)


def test_saving_again_replaces_it(home, calibrated):
    saved(calibrated)
    other = replace(calibrated, weights=replace(calibrated.weights, floor_s=0.5))
    saved(other)
    (mine,) = targets.catalogue().choose(["my-rtx9"])
    assert mine.models[0].weights.floor_s == 0.5
    assert [each.name for each in home.iterdir()] == ["my-rtx9"]


def test_the_name_of_a_shipped_target_is_refused(home, calibrated):
    saved(calibrated, "rtx3060")
    assert not next(i for i in targets.installed() if i.target == "rtx3060").user
    assert any("rtx3060 is there already" in each.reason for each in targets.problems())


def test_forms_are_methods_of_one_target(home, calibrated):
    saved(calibrated, optimized=better(calibrated), compiled=better(calibrated, 0.2))
    (mine,) = targets.catalogue().choose(["my-rtx9"])
    assert [method.name for method in mine.methods] == [
        "additive",
        "additive-optimized",
        "additive-compiled",
    ]
    written, optimized, compiled = mine.models
    assert compiled.dividing == (optimized, written)
    info = next(each for each in targets.installed() if each.target == "my-rtx9")
    assert info.forms_of() == {Form.OPTIMIZED, Form.COMPILED, Form.UNROLLED}
    assert info.forms_of("additive-optimized") == {Form.OPTIMIZED}
    assert info.forms_of("additive") == frozenset()
    assert info.validations["additive-compiled"].median_ape == pytest.approx(0.02)
    reason = info.reasons["additive-compiled"]
    assert (
        "held-out median error 2.0 % (2.0 %, compared with 5.0 % for the form before it" in reason
    )


def test_the_forms_of_an_older_calibration_go_with_it(home, calibrated):
    saved(calibrated, optimized=better(calibrated), compiled=better(calibrated, 0.2))
    saved(calibrated, compiled=better(calibrated))
    assert sorted(each.name for each in home.iterdir()) == ["my-rtx9", "my-rtx9.compiled"]
    user_targets.remove("my-rtx9")
    assert list(home.iterdir()) == []


def test_a_compiled_form_without_the_written_one_is_refused(home, calibrated):
    saved(calibrated, compiled=better(calibrated))
    (home / "my-rtx9" / CARD).write_text("{}", "utf-8")
    assert "my-rtx9" not in {info.target for info in targets.installed()}
    (problem,) = (each for each in targets.problems() if each.bundle == "my-rtx9.compiled")
    assert "needs the model 'additive'" in problem.reason


@pytest.mark.parametrize("slug", ["", "../up", "Caps", "a" * 41, "-x"])
def test_names_that_are_none_are_refused(slug):
    with pytest.raises(WrongUse, match="not a target's name"):
        user_targets.check_slug(slug)


@pytest.mark.parametrize("device", ["llvmpipe", "geforce_rtx 9", "", "X" * 90])
def test_every_device_gets_a_name_that_is_one(device):
    assert user_targets.check_slug(user_targets.default_slug(device)).startswith("my-")


def test_a_damaged_one_leaves_the_others_working(home, calibrated):
    shipped = {info.target for info in targets.installed()}
    saved(calibrated)
    saved(calibrated, "my-other")
    weights = home / "my-rtx9" / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-3])
    assert {info.target for info in targets.installed()} == shipped | {"my-other"}
    (problem,) = (each for each in targets.problems() if each.bundle == "my-rtx9")
    assert problem.reason.startswith("my-rtx9: ")
    assert "the card says" in problem.reason


def test_another_kind_of_model_is_refused(home, calibrated):
    saved(calibrated)
    path = home / "my-rtx9" / CARD
    raw = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(raw | {"architecture": "linear-executed-opcodes"}), "utf-8")
    assert "my-rtx9" not in {info.target for info in targets.installed()}
    assert any("none of a calibration" in each.reason for each in targets.problems())


def test_weights_that_are_no_numbers_are_never_saved(home, calibrated):
    bad = replace(calibrated, weights=replace(calibrated.weights, floor_s=float("nan")))
    with pytest.raises(InvalidModel, match="not finite"):
        saved(bad)
    assert "my-rtx9" not in {info.target for info in targets.installed()}
    assert list(home.iterdir()) == []


def test_removing_takes_it_away_and_names_what_is_there(home, calibrated):
    saved(calibrated)
    user_targets.remove("my-rtx9")
    assert "my-rtx9" not in {info.target for info in targets.installed()}
    saved(calibrated, "my-other")
    with pytest.raises(UnknownTarget, match="there are: my-other"):
        user_targets.remove("my-rtx9")
    with pytest.raises(WrongUse):
        user_targets.remove("../" + home.parent.name)


def test_listed_products_are_predicted_as_installed_ones_are(home):
    before = {each.target for each in targets.installed()}
    listed.write({"rtx4070", "no-such-gpu"})
    now = {each.target: each for each in targets.installed()}
    assert now.keys() - before == {"rtx4070"}
    assert now["rtx4070"].evidence == "law"
    every = [each.target for each in targets.installed(wanted=["all"])]
    assert len(every) == len(set(every)) > len(now)
    listed.write(())
    assert {each.target for each in targets.installed()} == before


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'["a"', b"[" * 70_000])
def test_a_damaged_list_lists_nothing(home, content):
    home.mkdir(parents=True)
    (home / listed.FILE).write_bytes(content)
    assert listed.read(home) == ()
    assert targets.installed()
