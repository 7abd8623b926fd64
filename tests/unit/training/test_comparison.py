"""The comparison on the committed samples, with the shipped bundles."""

from __future__ import annotations

import pytest

from shaderlab.prediction.catalogue import targets
from shaderlab.training import comparison, shader_data
from shaderlab.training.comparison import compare
from shaderlab.training.methods import ESTIMATED, PRINTED_PILR, PRINTED_TRANSFORMER, UNTRACED
from shaderlab.training.splits import Split, split_of

MEASURED = ("llvmpipe", "rtx3060", "rx6600xt", "swiftshader")
BASELINES = ("pilr-refit", "pilr-nonneg", "sh-refit", "sh-nonneg", "trees")


@pytest.fixture(scope="module")
def rows():
    return {(row.target, row.method): row for row in compare(Split.VALIDATION, resamples=100)}


def test_every_method_of_a_target_stands_on_the_same_shaders(rows):
    for target in ("rtx3060", "rx6600xt"):
        mine = {method: row for (slug, method), row in rows.items() if slug == target}
        assert set(mine) >= {"additive", "pilr", "sh", PRINTED_PILR, PRINTED_TRANSFORMER}
        assert len({row.shaders for row in mine.values()}) == 1
        assert [method for method, row in mine.items() if row.default] == ["additive"]
    software = {method for slug, method in rows if slug == "llvmpipe"}
    assert "additive" in software
    assert not software & {"pilr", "sh", PRINTED_PILR, PRINTED_TRANSFORMER}


def test_the_cards_state_what_the_comparison_finds(rows):
    compared = 0
    for info in targets.installed():
        for method in ("additive", *BASELINES):
            row, stated = rows.get((info.target, method)), info.validations.get(method)
            if row is None:
                continue
            assert stated.n == row.result.n
            assert stated.mape == pytest.approx(row.result.mape.value, rel=1e-3, abs=2e-4)
            assert stated.median_ape == pytest.approx(row.result.median_ape.value, abs=2e-4)
            assert stated.spearman == pytest.approx(row.result.spearman.value, abs=2e-4)
            compared += 1
    assert compared == len(MEASURED) * (1 + len(BASELINES))


def test_ablations_stand_aside_unless_asked_for(rows):
    assert not any(method.endswith((UNTRACED, ESTIMATED)) for _, method in rows)
    found = compare(Split.VALIDATION, ablations=True, resamples=1)
    for target in MEASURED:
        mine = {row.method for row in found if row.target == target}
        for ending in (UNTRACED, ESTIMATED):
            assert {name + ending for name in ("additive", *BASELINES)} <= mine


def test_the_default_is_the_better_one(rows):
    for target in ("rtx3060", "rx6600xt"):
        ours, pilr = rows[target, "additive"], rows[target, "pilr"]
        assert ours.result.median_ape.high < pilr.result.median_ape.low
        assert ours.result.within20.low > pilr.result.within20.high
        assert ours.defined.mape.value < pilr.defined.mape.value


def test_bands_hold_about_as_often_as_they_say(rows):
    for (_, method), row in rows.items():
        if method in ("additive", "trees", "pilr-refit"):
            assert 0.78 < row.coverage < 0.95


def test_decades_hold_all_shaders(rows):
    for row in rows.values():
        assert sum(each.n for each in row.by_decade.values()) == row.result.n
        assert row.defined.n <= row.result.n <= row.shaders
        above = sum(each.n for exponent, each in row.by_decade.items() if exponent > -5)
        assert above <= row.above_floor.n <= row.result.n


def test_only_the_methods_asked_for():
    assert {row.method for row in compare(Split.VALIDATION, ["sh"], resamples=1)} == {"sh"}


def test_the_splits_share_no_shader_and_no_card_was_made_from_the_others():
    _, times = shader_data.read(comparison.data_folder())
    for info in targets.installed():
        if info.methods[0] == "additive":
            training = [each for each in times[info.target] if split_of(each.id) is Split.TRAIN]
            assert info.samples == len(training)
