"""What the study of a pair of devices prints."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the training extra")

from shaderlab.cli.texts import pairing
from shaderlab.training import pair_data
from shaderlab.training.pairs import Pair, Ranked, study


def test_a_pair_prints_its_methods_what_to_use_and_what_is_alone():
    random = np.random.default_rng(3)
    host = np.exp(random.normal(-6, 1, 60))
    pair = Pair(
        "one", "other", tuple(f"s{n}" for n in range(60)), ("host time",), host[:, None],
        2 * host, ("alone",), host[:1, None],
    )  # fmt: skip
    found = study(pair, only=["OLS/B/BIC", "one factor", "running median"])
    text = pairing.text(found, [Ranked("OpLoad", 1e-9, -5e-4)], {"alone": 1e-3})
    assert "one to other: 60 shaders" in text
    assert "Best of these: one factor." in text
    assert "OpLoad" in text
    assert "-0.5 ms" in text
    assert "alone  1.00 ms" in text
    data = json.loads(json.dumps(pair_data.data(found, None, {}), allow_nan=False))
    assert data["best"] == "one factor"
    assert data["methods"][1]["inliers"]["0.01"]["value"] == 1.0


def test_a_method_that_cannot_be_fitted_says_why():
    features = np.abs(np.random.default_rng(4).normal(1, 0.1, (22, 30)))
    pair = Pair(
        "one", "other", tuple(f"s{n}" for n in range(22)),
        ("host time", *(f"Op{n}" for n in range(29))), features, features[:, 0],
    )  # fmt: skip
    found = study(pair, only=["OLS", "one factor"])
    assert "OLS: " in pairing.text(found, None, {})
    assert found.lines[0].refused
    assert found.best == "one factor"
