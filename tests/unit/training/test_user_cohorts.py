"""Targets the user calibrated are judged on the committed samples of their device."""

from __future__ import annotations

import numpy as np

from shaderlab.prediction.calibration.fit_table import AMONG_GPUS
from shaderlab.prediction.calibration.fitting import Calibrated
from shaderlab.prediction.catalogue import user_targets
from shaderlab.prediction.catalogue.user_targets import CalibratedDevice
from shaderlab.prediction.forms import Form
from shaderlab.training.comparison import compare


def test_a_users_target_is_judged_beside_the_shipped_one(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    weights = user_targets.bases()["rtx3060"]
    times = np.geomspace(1e-5, 1e-2, 20)
    names = tuple(map(str, range(20)))
    found = {Form.WRITTEN: Calibrated(weights, "rtx3060", AMONG_GPUS, names, times, times * 1.2)}
    for slug, name in (("rtx3060", "RTX 3060"), ("gtx9", "GTX 9")):
        device = CalibratedDevice(
            slug, name, "NVIDIA", "1", "locked", None, (1024, 768), 10, 30, False
        )
        cards = user_targets.cards_of(f"my-{slug}", found, device)
        user_targets.save({form: (card, weights) for form, card in cards.items()})
    rows = {(row.target, row.method): row for row in compare(only=["additive"], resamples=50)}
    mine, shipped = rows["my-rtx3060", "additive"], rows["rtx3060", "additive"]
    assert mine.shaders == shipped.shaders
    # Weights lose their last digits in the file.
    assert abs(mine.result.median_ape.value - shipped.result.median_ape.value) < 1e-3
    assert mine.default
    assert mine.coverage is not None
    assert not any(target == "my-gtx9" for target, _ in rows)
