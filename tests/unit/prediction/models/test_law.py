"""The law: work scales by what does it per second, and a pass is added."""

from __future__ import annotations

import dataclasses

import pytest

from shaderlab import locations
from shaderlab.prediction.catalogue import laws, listed, targets
from shaderlab.prediction.models.law import Hardware, LawModel, ratios
from shaderlab.products import products

AMPERE = Hardware(
    unit_hz=28 * 1.605e9, fma_lanes=128, int_lanes=64, shares_int=True, special_lanes=16,
    texels=4, pixels_hz=77e9,
)  # fmt: skip


def test_lanes_beside_those_of_integers_do_more_than_their_number_says():
    """Turing's 64 floating-point lanes are busy with the 70 % that are no integers."""
    turing = AMPERE._replace(fma_lanes=64, shares_int=False)
    assert ratios(AMPERE, turing, 0.3)["arithmetic"] == pytest.approx(2 * 0.7)
    assert ratios(AMPERE, turing, 0.6)["arithmetic"] == pytest.approx(0.6 / 64 * (64 / 0.6))
    assert ratios(turing, AMPERE, 0.3)["arithmetic"] == pytest.approx(1 / 1.4)


def test_each_group_scales_by_its_own_unit():
    half = AMPERE._replace(special_lanes=8, texels=2, unit_hz=AMPERE.unit_hz / 3)
    found = ratios(AMPERE, half, 0.3)
    assert found == {
        "arithmetic": pytest.approx(3),
        "transcendental": pytest.approx(6),
        "texture": pytest.approx(6),
        "": pytest.approx(3),
    }


@pytest.fixture(scope="module")
def model() -> LawModel:
    """Of an H200, as if it had no samples."""
    (relative,) = targets.catalogue().choose(["rtx3060"])
    known = laws.read(locations.models())
    assert known is not None
    made = laws.by_law(known, {"rtx3060": relative.models})
    return next(each for each in made if each.card.target.slug == "h200")


def test_work_is_scaled_above_the_pass_and_the_pass_is_added(model: LawModel):
    there_floor_s = model.bases[0].fixed_s
    plain = model.mapping([("control", 0.6), ("pass", 0.4)])
    assert plain(there_floor_s) == model.here_floor_s
    assert plain(0.0) == model.here_floor_s
    added = plain(there_floor_s + 1e-3) - model.here_floor_s
    assert added == pytest.approx(1e-3 * model.ratios[""])


def test_work_of_two_groups_takes_the_mean_of_their_ratios(model: LawModel):
    other = dataclasses.replace(model, ratios={"": 2.0, "texture": 6.0})
    mixed = other.mapping([("texture", 0.1), ("pass", 0.8), ("memory", 0.1)])
    base_s = model.bases[0].fixed_s
    assert mixed(base_s + 1e-3) - model.here_floor_s == pytest.approx(4e-3)


class TestCatalogue:
    def test_an_h200_is_what_its_two_clusters_do(self, model: LawModel):
        """SM x clock as published: 28 x 1.605 to 4 x 1.98."""
        assert model.ratios[""] == pytest.approx(5.674, rel=1e-3)

    def test_products_come_beside_the_installed_and_never_unasked(self):
        found = targets.catalogue()
        unasked = {each.card.target.slug for each in found.choose(None)}
        every = {each.card.target.slug for each in found.choose(["all"])}
        assert unasked < every
        assert len(every & set(products())) >= 60
        assert unasked == {each.card.target.slug for each in found.targets}

    def test_rules_hold_together_and_names_come_first(self):
        chosen = targets.catalogue().choose(["llvmpipe", "vendor=nvidia", "since=2022"])
        assert chosen[0].card.target.slug == "llvmpipe"
        assert {each.card.target.vendor for each in chosen[1:]} == {"NVIDIA"}
        assert min(each.year or 0 for each in chosen[1:]) >= 2022
        assert len(chosen) > 5

    @pytest.mark.parametrize("rule", ["since=soon", "colour=green"])
    def test_other_rules_are_refused(self, rule: str):
        with pytest.raises(targets.WrongUse):
            targets.catalogue().choose([rule])

    def test_an_unknown_name_says_where_the_others_are(self):
        with pytest.raises(targets.UnknownTarget, match="; `shaderlab targets --all`"):
            targets.catalogue().choose(["gtx9999"])

    def test_what_a_forecast_rests_on_is_stated(self):
        rests = {each.target: each.rests_on for each in targets.installed(wanted=["all"])}
        assert rests["rtx3060"] == "measured"
        assert rests["rtx4060-laptop"] == "distribution"
        assert rests["rtx4070"] == "law"

    def test_a_product_with_samples_is_predicted_where_one_asks(self):
        (h200,) = targets.installed(wanted=["h200"])
        assert (h200.rests_on, h200.evidence) == ("measured", "measured")
        assert h200.validated.n > 50
        assert 0 < h200.floor_s < 2e-4
        assert h200.on_request
        unasked = {each.target: each.on_request for each in targets.installed()}
        assert "h200" not in unasked
        assert not any(unasked.values())

    def test_a_product_that_is_listed_is_predicted_unasked(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        listed.write({"h200", "rtx4070"})
        found = {each.target: each for each in targets.installed()}
        assert found["h200"].on_request
        assert found["rtx4070"].on_request
        assert not found["rtx3060"].on_request


@pytest.mark.parametrize(
    ("old", "new"), [('"integers": 0', '"integers": 7'), ('"origin"', '"unknown"')]
)
def test_a_damaged_table_is_refused(tmp_path, old: str, new: str):
    text = (locations.models() / laws.FILE).read_text("utf-8")
    assert old in text
    (tmp_path / laws.FILE).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(laws.InvalidModel, match=r"laws\.json"):
        laws.read(tmp_path)


class TestKinds:
    def band(self, slug: str) -> tuple[float, float]:
        ((only,),) = (each.methods[0].bands for each in targets.catalogue().choose([slug]))
        return only.low, only.high

    def test_the_nearer_the_relative_the_narrower_the_band(self):
        near_low, near_high = self.band("rtx4070")
        low, high = self.band("gtx1650")
        far_low, far_high = self.band("arcb580")
        assert far_low < low <= near_low < 1 < near_high < high < far_high

    def test_another_vendors_gpu_is_untested_with_the_band_found_between_vendors(self):
        (info,) = targets.installed(wanted=["arcb580"])
        assert info.evidence == "untested"
        assert info.validated.error is None
        assert info.notes.startswith("Untested")
        known = laws.read(locations.models())
        assert known is not None
        apart = [each for each in known.transfers if each.kind == "other vendor"]
        assert {(each.there, each.here) for each in apart} == {
            ("rtx3060", "rx6600xt"),
            ("rx6600xt", "rtx3060"),
        }
        assert self.band("arcb580")[1] == max(each.high for each in apart)

    def test_a_calibration_starts_from_no_gpu_of_another_vendor(self):
        assert laws.relative_of("arcb580", "intel") is None
        relative = laws.relative_of("rtx4070", "nvidia")
        assert relative is not None
        assert relative.base == "rtx3060"
