"""A campaign whose device stops answering rejects nothing, and goes on when it answers again."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.campaigns import corpus
from shaderlab.campaigns.campaign import Campaign, Progress
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.station import Options
from shaderlab.errors import DeviceStuck
from shaderlab.gpu import discovery
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples import exchange
from shaderlab.samples.store import Store
from shaderlab.scene.draw import DrawState
from shaderlab.workers.answering import answering
from tests.integration.campaigns.shaders import BLACK, BROKEN, SOUND, write
from tests.stuck_device import StuckDevice

LIMIT = 60.0
EFFORT = Effort(trials=3, trial_s=0.005, shader_s=1.0, slowest_s=5.0, deadline_s=4.0)
OPTIONS = Options(state=DrawState.of((64, 48)), effort=EFFORT)


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StuckDevice]:
    made = StuckDevice(tmp_path, monkeypatch)
    yield made
    made.free()


@pytest.fixture
def info(device: StuckDevice, tmp_path: Path) -> DeviceInfo:
    """llvmpipe, with a state of this test's own."""
    found = [each for each in discovery.discover().devices if each.slug == "llvmpipe"]
    if not found:
        pytest.skip("llvmpipe is not installed")
    return replace(found[0], uuid=tmp_path.name)


def attempts(path: Path) -> dict[str, list]:
    """By shader: starts, outcome and reason."""
    with closing(sqlite3.connect(path)) as store:
        rows = store.execute("SELECT shader, starts, outcome, reason FROM attempts").fetchall()
    return {shader: rest for shader, *rest in rows}


def test_a_campaign_goes_on_to_the_store_of_an_undisturbed_one(tmp_path, device, info) -> None:
    shaders = SOUND | {"black": BLACK, "broken": BROKEN}
    chosen = corpus.drawn(corpus.read(write(tmp_path / "made-up.jsonl", shaders)))
    with Store(tmp_path / "undisturbed") as store:
        Campaign(chosen, info, store, OPTIONS, stations=2).run()

    def hang(progress: Progress) -> None:
        if progress.done == 2:
            device.hang()

    path = tmp_path / "disturbed"
    with Store(path) as store:
        with pytest.raises(DeviceStuck) as caught:
            Campaign(chosen, info, store, OPTIONS, stations=2).run(hang)
        assert f"{info.name} no longer responds" in str(caught.value)
        found = attempts(path)
        finished = {name for name, (_, outcome, _) in found.items() if outcome}
        in_flight = [name for name in found if name not in finished]
        assert 1 <= len(in_flight) <= 2
        assert all(f" {name}" in str(caught.value) for name in in_flight)
        assert all(found[name] == [0, None, None] for name in in_flight)
        assert [r.shader for r in store.rejections()] in ([], ["broken"])

        with pytest.raises(DeviceStuck):  # at once: nothing is sent
            Campaign(chosen, info, store, OPTIONS, stations=2).run()
        attempts_then = attempts(path)
        attempts_then.pop("broken", None)  # which the device had no part in
        found.pop("broken", None)
        assert attempts_then == found

        again = answering(info).again()
        device.free()
        again.result(LIMIT)
        told: list[Progress] = []
        Campaign(chosen, info, store, OPTIONS, stations=2).run(told.append)
        last = [each.last.split(":")[0] for each in told[-len(in_flight) :]]
        assert set(last) == set(in_flight)  # after all others

    assert attempts(path) == attempts(tmp_path / "undisturbed")
    first, second = (
        {s.program.id: (s.trace, s.optimized, s.picture) for s in exchange.accepted(each)}
        for each in (tmp_path / "undisturbed", path)
    )
    assert first == second


def test_a_store_that_blames_the_innocent_is_mended(tmp_path, device, info) -> None:
    chosen = corpus.drawn(corpus.read(write(tmp_path / "made-up.jsonl", SOUND)))
    first, *others = chosen
    with Store(tmp_path / "store") as store:
        campaign = Campaign(chosen, info, store, OPTIONS, stations=2)
        for shader in chosen:
            store.begin(campaign.job(shader), shader.name, info.slug)
            store.rejected(campaign.job(shader), "ShaderTimeout: timing took longer than its limit")
        store.rejected(campaign.job(first), "UnsupportedShader: cannot be drawn")
        told: list[Progress] = []
        campaign.run(told.append, retry=True)
        assert told[0].last.startswith(first.name)  # no suspect, so before those
        assert store.rejections() == []
    assert told[-1].recorded == len(others) + 1


def test_the_command_says_what_was_in_flight(tmp_path, device, info) -> None:
    corpus_path = write(tmp_path / "made-up.jsonl", {"loop0": SOUND["loop0"]})
    device.hang()
    store = tmp_path / "store"
    command = [
        *(sys.executable, "-m", "shaderlab", "campaign", str(corpus_path), "--to", str(store)),
        *("--device", "llvmpipe", "--size", "64x48", "--deadline", "1", "--json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout or done.stderr.splitlines()[-1])
    assert "no longer responds" in str(said)
    assert "loop0" in str(said)
    with Store(store) as kept:
        assert kept.rejections() == []
