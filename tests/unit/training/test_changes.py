from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest

from shaderlab.campaigns.comparing import uncertainty
from shaderlab.errors import InvalidModel
from shaderlab.prediction.forms import Form
from shaderlab.training import changes, forks, timed_edits
from shaderlab.training.changes import Changes, by_kind, by_size, judge
from shaderlab.training.forks import Fork
from shaderlab.training.splits import Split
from shaderlab.training.timed_edits import TimedEdit


def made(measured, predicted, kinds=None) -> Changes:
    n = len(measured)
    return Changes(
        "edits", "llvmpipe", "additive-compiled", np.log(measured), np.log(predicted),
        tuple(kinds or ["a"] * n), tuple(str(i) for i in range(n)),
    )  # fmt: skip


def test_the_sign_is_asked_for_of_notable_changes_only():
    judged = judge(made([1.01, 1.2, 0.5, 3.0], [0.99, 1.1, 0.6, 0.9]))
    assert (judged.n, judged.notable) == (4, 3)
    assert judged.sign == pytest.approx(2 / 3)
    assert judged.error.low <= judged.error.value <= judged.error.high
    assert judged.notable_error == pytest.approx(
        np.median([log(1.2 / 1.1), log(1.2), log(3 / 0.9)])
    )
    assert judged.same == pytest.approx(np.median(np.abs(np.log([1.01, 1.2, 0.5, 3.0]))))


def test_without_a_notable_change_there_is_no_sign():
    judged = judge(made([1.01, 0.99], [1.0, 1.0]))
    assert judged.notable == 0
    assert isnan(judged.sign)
    assert isnan(judged.notable_error)


def test_errors_go_by_the_size_of_the_measured_change_and_by_kind():
    every = made([1.01, 0.9, 1.5, 0.25], [1.01, 0.9, 1.0, 0.25], ["a", "b", "b", "b"])
    sizes = by_size(every)
    assert {name: n for name, (n, _) in sizes.items()} == {name: 1 for name, *_ in changes.SIZES}
    assert sizes["25 % to 2x"][1] == pytest.approx(log(1.5))
    assert {kind: each.n for kind, each in by_kind(every).items()} == {"a": 1, "b": 3}
    assert every.form is Form.COMPILED


def test_forks_share_most_of_their_lines_whatever_the_spaces():
    lines = [f"float value{n} = {n}.0;" for n in range(8)]
    near = "\n".join(["  " + each for each in lines[:6]] + ["float other = 1.0;"])
    far = "\n".join([*lines[:4], *(f"vec2 another{n};" for n in range(5))])
    texts = {"b": "\n".join(lines), "a": near, "c": far, "d": ""}
    assert list(forks.find(texts)) == [Fork("a", "b", 0.75)]


def test_tables_come_back_and_others_are_refused(tmp_path):
    edits = [TimedEdit("x", "trip count", "llvmpipe", 0.1, 0.2, 0.01)]
    timed_edits.write(tmp_path, edits)
    forks.write(tmp_path, [Fork("a", "b", 0.75)])
    assert timed_edits.read(tmp_path) == edits
    assert edits[0].change == pytest.approx(log(2))
    assert forks.read(tmp_path) == [Fork("a", "b", 0.75)]
    (tmp_path / timed_edits.TABLE).write_bytes((tmp_path / forks.TABLE).read_bytes())
    with pytest.raises(InvalidModel):
        timed_edits.read(tmp_path)


def test_what_the_machine_does_to_both_halves_of_a_turn_leaves_the_ratio_known():
    slower = [(1.0 * n, 2.0 * n) for n in (1, 1.5, 3, 0.7, 2)]
    assert uncertainty(slower) == pytest.approx(0.0, abs=1e-12)
    assert uncertainty([(1.0, 2.0), (1.0, 2.2), (1.0, 1.8), (1.0, 2.1), (1.0, 1.9)]) > 0.02


def test_the_committed_pairs_are_of_shaders_that_models_did_not_see():
    edits = timed_edits.read(changes.changes_folder())
    assert all(changes.split_of(each.id) is not Split.TRAIN for each in edits)
    assert len({(each.target, each.edited_id) for each in edits}) == len(edits) >= 100


def test_every_stage_of_every_source_is_judged():
    every = list(changes.all_changes())
    assert {(each.source, each.target) for each in every} == {
        ("edits", "llvmpipe"), ("edits", "swiftshader"),
        ("forks", "rtx3060"), ("forks", "rx6600xt"),
        ("forks, left out of the fit", "rtx3060"), ("forks, left out of the fit", "rx6600xt"),
    }  # fmt: skip
    assert all(np.isfinite(each.predicted).all() for each in every)
    judged = {(e.source, e.target, e.form): judge(e, 10).error.value for e in every}
    for source, target in {(e.source, e.target) for e in every if e.source != "forks"}:
        latest = Form.OPTIMIZED if target == "swiftshader" else Form.COMPILED
        assert judged[source, target, latest] < judged[source, target, Form.WRITTEN]


def test_a_band_is_as_wide_as_the_errors_and_says_how_often_it_held():
    chance = np.random.default_rng(0)
    size = chance.normal(0, 0.5, 400)
    every = made(np.exp(size + chance.uniform(-0.1, 0.1, 400)), np.exp(size))
    band = changes.band_of(every)
    assert band.base + band.slope * float(np.abs(size).mean()) == pytest.approx(0.08, abs=0.015)
    assert band.coverage == pytest.approx(0.8, abs=0.06)
    assert changes.held(every, band) == pytest.approx(0.8, abs=0.01)
    assert (band.n, band.target, band.method) == (400, "llvmpipe", "additive-compiled")
