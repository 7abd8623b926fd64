"""Ways into the comparison: bundles, recorded predictions, printed ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shaderlab.errors import InvalidModel
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import comparison, methods, recorded_predictions, shader_data
from shaderlab.training.methods import Cohort, Predicted
from shaderlab.training.recorded_predictions import Record
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of

IDS = [name for name in (f"s{i}" for i in range(200)) if split_of(name) is Split.VALIDATION][:10]


@pytest.fixture
def data(tmp_path):
    """Ten shaders of the validation split: 10, 20, … µs, every third of which reads undefined."""
    example = Example({each: {} for each in Execution}, np.zeros(len(CONTEXT)))
    shaders = [
        CountedShader(name, {"OpFAdd": 7}, example, i % 3 == 0) for i, name in enumerate(IDS)
    ]
    times = [
        TimedShader(name, "toy", shader_data.SIZE, 1e-5 * (i + 1), 1e-5, None, None)
        for i, name in enumerate(IDS)
    ]
    shader_data.write(tmp_path / "samples", shaders, times)
    return tmp_path / "samples"


@pytest.fixture
def predictions(tmp_path):
    """`tarot` says 10 % too much, and nothing about the last two."""
    records = [Record(name, "toy", 1.1e-5 * (i + 1)) for i, name in enumerate(IDS[:-2])]
    folder = tmp_path / "new" / "predictions"
    recorded_predictions.write(
        folder / "tarot.parquet", records, made_by="draw cards", about="Three cards each."
    )
    return folder


@pytest.fixture
def rows(tmp_path, data, predictions):
    made = comparison.compare(
        models_dir=tmp_path / "none", data=data, predictions=predictions, resamples=50
    )
    return {row.method: row for row in made}


def test_recorded_predictions_are_a_method_like_any_other(rows):
    tarot = rows["tarot"]
    assert tarot.result.mape.value == pytest.approx(0.1)
    assert (tarot.result.n, tarot.shaders) == (8, 10)
    assert tarot.defined.n == sum(i % 3 != 0 for i in range(8))
    assert tarot.above_floor.n == 7
    assert tarot.coverage is None
    assert not tarot.default


def test_printed_predictions_need_one_for_every_shader(rows):
    assert set(rows) == {"tarot", methods.PRINTED_PILR}


def test_a_method_that_answers_for_none_has_no_row(data):
    (cohort,) = comparison.cohorts(Split.VALIDATION, data)
    assert comparison.judge(cohort, "mute", Predicted(np.full(10, np.nan))) is None


def test_bands_are_judged_over_the_answered_shaders(data):
    (cohort,) = comparison.cohorts(Split.VALIDATION, data)
    time_s = cohort.measured_s.copy()
    time_s[0] = np.nan
    low_s, high_s = time_s * 0.9, time_s * 1.1
    high_s[1] = time_s[1] * 0.95
    row = comparison.judge(cohort, "banded", Predicted(time_s, low_s, high_s), resamples=5)
    assert row.coverage == pytest.approx(8 / 9)


def test_a_recorded_prediction_goes_before_asking_the_bundle(tmp_path):
    (first, *_) = [
        each for each in comparison.cohorts(Split.VALIDATION) if each.target == "rtx3060"
    ]
    some = Cohort(first.target, first.shaders[:3], first.timed[:3])
    records = [Record(each, "rtx3060", 0.5) for each in some.ids]
    recorded_predictions.write(tmp_path / "sh.parquet", records, made_by="x", about="y")
    found = methods.methods_of(some, predictions=tmp_path)
    assert found["sh"](some).time_s.tolist() == [0.5] * 3
    assert found["pilr"](some).time_s.max() < 0.5


def test_what_is_shown_is_of_the_latest_form_a_program_has():
    for cohort in comparison.cohorts(Split.VALIDATION):
        found = {name: ask(cohort) for name, ask in methods.methods_of(cohort).items()}
        shown = found[methods.LATEST]
        assert np.isfinite(shown.time_s).all()
        for form in ("additive-compiled", "additive-optimized", "additive"):
            if form not in found:
                continue
            here = np.isfinite(found[form].time_s)
            assert (shown.time_s[here] == found[form].time_s[here]).all()
            assert (shown.low_s[here] == found[form].low_s[here]).all()
            if not here.all():
                assert form != "additive"
                assert not (shown.time_s[~here] == found[form].time_s[~here]).any()
            break


def test_every_method_of_a_target_is_known():
    known = methods.known()
    for cohort in comparison.cohorts(Split.VALIDATION):
        assert set(methods.methods_of(cohort)) <= set(known)
    assert len(set(known)) == len(known)


def test_records_say_how_they_were_made(predictions, tmp_path):
    path = predictions / "tarot.parquet"
    assert recorded_predictions.origin(path) == ("draw cards", "Three cards each.")
    bare = tmp_path / "bare.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), bare)
    with pytest.raises(InvalidModel, match="how it was made"):
        recorded_predictions.origin(bare)


def test_records_of_another_form_are_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InvalidModel, match=r"a\.parquet"):
        recorded_predictions.read(tmp_path)
    pq.write_table(pa.table({"id": ["x"], "time_s": [1.0]}), tmp_path / "a.parquet")
    with pytest.raises(InvalidModel, match="columns"):
        recorded_predictions.read(tmp_path)


def test_the_same_records_give_the_same_bytes(tmp_path):
    records = [Record("b", "toy", 2.0), Record("a", "toy", 1.0)]
    for name, these in (("one", records), ("two", records[::-1])):
        recorded_predictions.write(tmp_path / f"{name}.parquet", these, made_by="x", about="y")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_division_by_zero_leaves_undefined_only_what_the_driver_drops_work_for():
    example = Example({each: {} for each in Execution}, np.zeros(len(CONTEXT)))
    shaders = tuple(
        CountedShader(name, {"OpFAdd": 7}, example, unset, divides)
        for name, unset, divides in (("a", False, False), ("b", True, False), ("c", False, True))
    )
    timed = tuple(TimedShader(e.id, "x", shader_data.SIZE, 1e-5, None, None, None) for e in shaders)
    assert Cohort("rtx3060", shaders, timed).defined.tolist() == [True, False, True]
    assert Cohort("llvmpipe", shaders, timed).defined.tolist() == [True, False, False]
