"""What an owner's samples are worth to a target that so far followed from data sheets alone."""

from __future__ import annotations

import numpy as np

from models.recipes import shared
from models.recipes.calibrations import FLOORS_S
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import calibrate
from shaderlab.prediction.catalogue.laws import relative_of
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import predict_s
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.training import shader_data
from shaderlab.training.splits import Split, split_of

SHARED = 40


def test_the_error_of_a_target_falls_once_an_owners_samples_are_merged(tmp_path):
    shaders = shader_data.read_shaders(shared.SAMPLES / shader_data.FORMS[Form.COMPILED])

    def usable(sample: Sample) -> bool:
        id = sample.program.id or ""
        return id in shaders and not (sample.textures or shaders[id].reads_uninitialised)

    by_id = {
        each.program.id or "": each
        for each in exchange.accepted(shared.GPUS["h200"])
        if usable(each)
    }
    owners = [each for id, each in sorted(by_id.items()) if split_of(id) is Split.TRAIN][:SHARED]
    rest = {id: each for id, each in by_id.items() if split_of(id) is Split.VALIDATION}
    assert len(rest) > SHARED
    exchange.write(owners, tmp_path / "share.parquet")
    merged = exchange.merge([tmp_path / "share.parquet"], tmp_path / "all.db")
    assert (merged.added, merged.refused) == (SHARED, 0)

    relative = relative_of("h200", "nvidia")
    assert relative is not None
    weights = bases(Form.COMPILED)
    timed = [
        TimedWork(each.id, shaders[each.program.id or ""].example, each.timing.time_s)
        for each in exchange.accepted(tmp_path / "all.db")
    ]
    found = calibrate(weights, timed, FLOORS_S["h200"], predicates=False, relative=relative)
    measured_s = np.array([each.timing.time_s for each in rest.values()])

    def error(given) -> float:
        predicted_s = predict_s(given, [shaders[id].example for id in rest])
        return float(np.median(np.abs(predicted_s / measured_s - 1)))

    before, after = error(relative.weights(weights[relative.base])), error(found.weights)
    assert after < 0.9 * before
