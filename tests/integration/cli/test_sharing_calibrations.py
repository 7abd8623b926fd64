"""`calibrate --share` and `dataset merge --refit`: what one owner times makes another's target."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.campaigns.calibrating import BUILT_IN
from shaderlab.frontend import calibration_shaders
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.samples import exchange
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import Sample
from shaderlab.samples.traces import trace_of

pytestmark = pytest.mark.timeout(1500)

PRODUCT = "rtx4070"
SLOWER = 1.5
"""By so much the owner's card takes longer than data sheets say."""


def shaderlab(home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words), "--json"],
        capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
        env={**os.environ, "XDG_DATA_HOME": str(home)},
    )  # fmt: skip


def forecast(sample: Sample) -> Forecast:
    """For the product, of the built-in shader that the sample is of."""
    texts = {each.name: each.text for each in calibration_shaders.every()}
    program = compile_text(texts[sample.program.id or ""], sample.program.id or "", None)
    (target,) = targets.catalogue().choose([PRODUCT])
    return target.forecast(TracedProgram(program, trace_of(sample, program)))


def test_what_an_owner_shares_makes_the_product_a_measured_target(tmp_path, monkeypatch):
    owner, other = tmp_path / "owner", tmp_path / "other"
    file = tmp_path / "share.parquet"
    calibrated = (
        "calibrate", "--device", "llvmpipe", "--shaders", 9, "--seconds", 1, "--no-textures",
        "--trials", 2, "--draws", 2, "--share", file,
    )  # fmt: skip
    asked = shaderlab(owner, *calibrated)
    assert asked.returncode == 2
    assert "--yes" in json.loads(asked.stdout)["error"]
    done = shaderlab(owner, *calibrated, "--yes", "--leave-out", "device.clocks")
    assert done.returncode == 0, done.stderr
    for field in ("program.text", "device.driver", "timing.trials_s", "device.clocks"):
        assert f"\n{field} " in done.stderr
    shared = list(exchange.accepted(file))
    assert len(shared) == json.loads(done.stdout)["shared"]["rows"] >= 5
    assert {each.program.collection for each in shared} == {BUILT_IN}
    assert not any(each.program.text or each.device.clocks for each in shared)
    assert file.with_suffix(".md").is_file()

    # The same shaders on a card that is slower than its data sheet says.
    monkeypatch.setenv("XDG_DATA_HOME", str(other))
    wanted, owned = {}, []
    for sample in shared:
        by_law = forecast(sample)
        assert by_law.rests_on == "law"
        wanted[sample.program.id] = time_s = SLOWER * by_law.time_s
        timing = replace(
            sample.timing, clock="device", trials_s=(time_s,) * 2, cpu_trials_s=(), rejected=(),
            time_s=time_s, median_s=time_s, floor_s=None,
        )  # fmt: skip
        device = replace(
            sample.device, slug=PRODUCT, name="NVIDIA GeForce RTX 4070", kind="discrete",
            vendor_id=0x10DE,
        )  # fmt: skip
        owned.append(identified(replace(sample, timing=timing, device=device)))
    exchange.write(owned, file)
    merged = shaderlab(other, "dataset", "merge", file, "-o", tmp_path / "all.db", "--refit")
    assert merged.returncode == 0, merged.stderr
    (made,) = json.loads(merged.stdout)["refitted"]
    assert (made["target"], made["recorded"]) == (PRODUCT, len(owned))
    after = [forecast(each) for each in owned]
    assert {each.rests_on for each in after} == {"measured"}
    off = [
        abs(each.time_s / wanted[sample.program.id] - 1)
        for each, sample in zip(after, owned, strict=True)
    ]
    assert sorted(off)[len(off) // 2] < 0.5 * (1 - 1 / SLOWER)


def test_a_damaged_share_is_refused_in_one_sentence(tmp_path):
    file = tmp_path / "share.parquet"
    file.write_bytes(b"PAR1" + bytes(500))
    merged = shaderlab(tmp_path, "dataset", "merge", file, "-o", tmp_path / "all.db", "--refit")
    assert merged.returncode == 2
    said = json.loads(merged.stdout)["error"]
    assert "share.parquet" in said
    assert len(said.splitlines()) == 1
