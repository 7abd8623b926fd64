from __future__ import annotations

import json

from models.laboratory import published_samples

ROW = {
    "shader_id": "abc", "platform": "RTX3060", "time_s": 2e-5, "width": 1024, "height": 768,
    "iTime": 1.0, "pred_pilr_s": -1e-6, "pred_transformer_s": 1.9e-5,
}  # fmt: skip


def test_only_canonical_rows_with_predictions_are_samples(tmp_path):
    rows = [
        ROW,
        ROW | {"shader_id": "at another size", "width": 800, "height": 600},
        ROW | {"shader_id": "at another time", "iTime": 2.0},
        {key: value for key, value in ROW.items() if key != "pred_pilr_s"},
        ROW | {"platform": "RX6600XT", "time_s": 5e-5},
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "measured_samples.jsonl").write_text(text, "utf-8")
    found = published_samples.read(tmp_path)
    assert {platform: list(samples) for platform, samples in found.items()} == {
        "RTX3060": ["abc"],
        "RX6600XT": ["abc"],
    }
    assert found["RTX3060"]["abc"].pilr_s == -1e-6
    assert found["RX6600XT"]["abc"].time_s == 5e-5
