"""Campaigns on the software driver, with shaders that do not want to be measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.campaigns import corpus
from shaderlab.campaigns.campaign import Campaign, Progress
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.station import Options, Station
from shaderlab.errors import DeviceLost
from shaderlab.gpu import discovery
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples import exchange, recording
from shaderlab.samples.known_counts import KnownCounts
from shaderlab.samples.store import Store
from shaderlab.scene.draw import DrawState
from tests.integration.campaigns.shaders import BLACK, BROKEN, ENDLESS, SOUND, write

SIZE = (64, 48)
EFFORT = Effort(trials=3, trial_s=0.005, shader_s=1.0, slowest_s=5.0, deadline_s=4.0)
OPTIONS = Options(state=DrawState.of(SIZE), effort=EFFORT)


@pytest.fixture(scope="module")
def llvmpipe() -> DeviceInfo:
    found = [i for i in discovery.discover().devices if i.slug == "llvmpipe"]
    if not found:
        pytest.skip("lavapipe is not installed")
    return found[0]


def campaign(
    shaders: Path,
    store: Store,
    device: DeviceInfo,
    *,
    stations: int = 1,
    retry: bool = False,
    **options,
) -> list[Progress]:
    told: list[Progress] = []
    chosen = corpus.drawn(corpus.read(shaders))
    measuring = Campaign(chosen, device, store, replace(OPTIONS, **options), stations=stations)
    measuring.run(told.append, retry=retry)
    return told


@pytest.mark.parametrize("stations", [1, 3])
def test_a_bad_shader_costs_itself_alone(
    tmp_path: Path, llvmpipe: DeviceInfo, stations: int
) -> None:
    trouble = {"black": BLACK, "broken": BROKEN, "endless": ENDLESS}
    path = write(tmp_path / "made-up.jsonl", SOUND | trouble)
    with Store(tmp_path / "store") as store:
        told = campaign(path, store, llvmpipe, stations=stations)
        reasons = {r.shader: r.reason for r in store.rejections()}
    assert set(reasons) == {"broken", "endless"}
    assert reasons["broken"].startswith("CompileFailed: ")
    assert "limit of 4 s" in reasons["endless"]
    assert [p.done for p in told] == list(range(1, 8))
    assert (told[-1].recorded, told[-1].rejected, told[-1].left_s) == (5, 2, 0.0)

    samples = {s.program.id: s for s in exchange.accepted(tmp_path / "store")}
    assert set(samples) == {*SOUND, "black"}
    assert samples["black"].picture == "black"
    for n in range(4):
        sample = samples[f"loop{n}"]
        assert sample.program.collection == "made-up"
        assert sample.program.text is None
        assert sample.timing.clock == "cpu"
        assert len(sample.timing.cpu_trials_s) == 3
        assert sample.picture == "varied"
        body = max(
            block.count for block in sample.trace.blocks if "OpExtInst.Sin" in block.operations
        )
        assert body == SIZE[0] * SIZE[1] * (n + 1) * 4
        assert any("OpExtInst.Sin*3" in block.operations for block in sample.trace.blocks)
        assert sample.optimized is not None
        assert sum(sample.optimized.opcodes.values()) < sum(sample.trace.opcodes.values())


def test_what_another_device_counted_is_not_counted_again(
    tmp_path: Path, llvmpipe: DeviceInfo
) -> None:
    swiftshader = [i for i in discovery.discover().devices if i.slug == "swiftshader"]
    if not swiftshader:
        pytest.skip("SwiftShader is not installed")
    known = {name: SOUND[name] for name in ("loop0", "loop1")}
    with Store(tmp_path / "first") as store:
        campaign(write(tmp_path / "known.jsonl", known), store, llvmpipe)
    inputs = recording.inputs_record(OPTIONS.state)
    counts = KnownCounts(tmp_path / "first", inputs)
    assert len(KnownCounts(tmp_path / "first", replace(inputs, time_s=2.0))) == 0
    assert len(counts) == 2

    path = write(tmp_path / "made-up.jsonl", known | {"black": BLACK})
    with Store(tmp_path / "second") as store:
        (*_, last) = campaign(path, store, swiftshader[0], counts=counts)
    assert last.recorded == 3
    first = {s.program.id: s for s in exchange.accepted(tmp_path / "first")}
    second = {s.program.id: s for s in exchange.accepted(tmp_path / "second")}
    assert {s.device.slug for s in second.values()} == {"swiftshader"}
    for name in known:
        sample = second[name]
        assert (sample.trace, sample.optimized) == (first[name].trace, first[name].optimized)
        assert sample.trace.device == "llvmpipe"
        assert sample.picture == "varied"
    assert second["black"].trace.device == "swiftshader"
    assert second["black"].optimized is not None


def test_a_campaign_goes_on_where_it_ended(tmp_path: Path, llvmpipe: DeviceInfo) -> None:
    path = write(tmp_path / "made-up.jsonl", SOUND | {"broken": BROKEN})
    with Store(tmp_path / "store") as store:
        short = corpus.drawn(corpus.read(path), limit=2)
        Campaign(short, llvmpipe, store, OPTIONS).run()
        (first, *_, last) = campaign(path, store, llvmpipe)
        assert (first.earlier, first.done, last.done) == (2, 3, 5)
        assert campaign(path, store, llvmpipe) == []
        # Another size is another measurement; a rejected shader is tried again only when asked.
        assert len(campaign(path, store, llvmpipe, state=DrawState.of((32, 32)))) == 5
        (again,) = campaign(path, store, llvmpipe, retry=True)
        assert again.last.startswith("broken: CompileFailed")
        assert store.stats().rows == 8


def test_a_slow_shader_is_left_out_with_the_reason(tmp_path: Path, llvmpipe: DeviceInfo) -> None:
    path = write(tmp_path / "made-up.jsonl", {"loop0": SOUND["loop0"]})
    with Store(tmp_path / "store") as store:
        effort = Effort(trials=3, slowest_s=1e-7)
        campaign(path, store, llvmpipe, effort=effort)
        (rejection,) = store.rejections()
    assert rejection.reason.startswith("TooSlow: takes")


def test_a_shader_that_ends_the_campaign_itself_is_given_up(
    tmp_path: Path, llvmpipe: DeviceInfo
) -> None:
    path = write(tmp_path / "made-up.jsonl", SOUND)
    with Store(tmp_path / "store") as store:
        first, *others = corpus.drawn(corpus.read(path))
        job = Campaign([first], llvmpipe, store, OPTIONS).job(first)
        for _ in range(3):
            store.begin(job, first.name, llvmpipe.slug)
        told = campaign(path, store, llvmpipe)
        assert [p.last.partition(":")[0] for p in told] == [s.name for s in (*others, first)]
        (rejection,) = store.rejections()
        assert "was ended during it 3 times" in rejection.reason
        campaign(path, store, llvmpipe, retry=True)
        assert store.stats().rows == len(SOUND)


def losing(monkeypatch, losses: dict[str, int]) -> None:
    """Have stations lose the device so often during the shaders named."""

    class Losing(Station):
        def sample(self, shader):
            if losses.get(shader.name, 0) > 0:
                losses[shader.name] -= 1
                raise DeviceLost("the GPU was reset")
            return super().sample(shader)

    monkeypatch.setattr("shaderlab.campaigns.campaign.Station", Losing)


def test_a_shader_beside_one_that_takes_the_device_down_has_another_try_alone(
    tmp_path: Path, llvmpipe: DeviceInfo, monkeypatch
) -> None:
    losing(monkeypatch, {"loop1": 1, "loop2": 2})
    with Store(tmp_path / "store") as store:
        told = campaign(write(tmp_path / "made-up.jsonl", SOUND), store, llvmpipe, stations=2)
        (rejection,) = store.rejections()
        assert store.stats().rows == 3
    assert (rejection.shader, rejection.reason) == ("loop2", "DeviceLost: the GPU was reset")
    assert [p.done for p in told] == [1, 2, 3, 4]
    assert {p.last.partition(":")[0] for p in told[-2:]} == {"loop1", "loop2"}


@pytest.mark.parametrize("stations", [1, 2])
def test_a_device_lost_again_and_again_ends_the_campaign(
    tmp_path: Path, llvmpipe: DeviceInfo, monkeypatch, stations: int
) -> None:
    shaders = {f"s{n}": SOUND["loop0"].replace("iTime", f"iTime + {n}.0") for n in range(20)}
    losing(monkeypatch, dict.fromkeys(shaders, 9))
    with Store(tmp_path / "store") as store:
        with pytest.raises(DeviceLost, match="10 shaders in a row, the last of them DeviceLost"):
            campaign(write(tmp_path / "made-up.jsonl", shaders), store, llvmpipe, stations=stations)
        assert store.stats().rows == 0


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "shaderlab", *map(str, words)]


OPTIONS_TYPED = (
    "--device", "llvmpipe", "--size", "64x48", "--trials", 3, "--trial", 0.005, "--deadline", 20,
)  # fmt: skip


def test_killed_at_any_point_nothing_finished_is_lost_or_doubled(tmp_path: Path) -> None:
    shaders = {
        f"{name}-{n}": text.replace("iTime", f"iTime + {n}.0")
        for name, text in SOUND.items()
        for n in range(6)
    }
    path = write(tmp_path / "made-up.jsonl", shaders)
    store = tmp_path / "store"
    finished: set[str] = set()
    for delay in (0.0, 0.3, 0.05, 0.6):
        running = subprocess.Popen(
            command("campaign", path, "--to", store, *OPTIONS_TYPED),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wanted = len(finished) + 1
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None:
            if store.exists() and _rows(store) >= wanted:
                break
            time.sleep(0.02)
        time.sleep(delay)
        running.send_signal(signal.SIGKILL)
        running.wait()
        now = {sample.id for sample in exchange.accepted(store)}
        assert finished <= now
        finished = now
    run = subprocess.run(
        command("campaign", path, "--to", store, *OPTIONS_TYPED, "--json"),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    (data,) = json.loads(run.stdout)["devices"]
    assert data["earlier"] >= len(finished) >= 4
    samples = list(exchange.accepted(store))
    assert sorted(s.program.id for s in samples) == sorted(shaders)
    assert finished <= {s.id for s in samples}


def _rows(store: Path) -> int:
    with Store(store) as opened:
        return opened.stats().rows


ABSENT = """\
import sys

class Absent:
    names = {"PySide6", "PyQt6", "pyqtgraph", "torch", "safetensors", "platformdirs", "zstandard"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
"""


def test_a_bundle_is_measured_on_a_bare_machine(tmp_path: Path, llvmpipe: DeviceInfo) -> None:
    path = write(tmp_path / "made-up.jsonl", SOUND | {"broken": BROKEN})
    programs = tmp_path / "programs.parquet"
    run = subprocess.run(
        command("campaign", path, "--bundle", programs, "--json"),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["programs"] == 4
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(ABSENT)
    bare = subprocess.run(
        command("campaign", "--programs", programs, "--to", tmp_path / "store", *OPTIONS_TYPED),
        capture_output=True,
        text=True,
        timeout=100,
        env=os.environ | {"PATH": "", "PYTHONPATH": str(site)},
    )
    assert bare.returncode == 0, bare.stderr
    samples = list(exchange.accepted(tmp_path / "store"))
    assert {s.program.id for s in samples} == set(SOUND)
    assert all(s.trace and s.optimized for s in samples)
    assert all(s.program.dialect == "shadertoy" for s in samples)


def test_devices_side_by_side_share_a_store(tmp_path: Path) -> None:
    devices = [i for i in discovery.discover().devices if i.kind == "software"]
    if len(devices) < 2:
        pytest.skip("there is one software device only")
    path = write(tmp_path / "made-up.jsonl", {"loop0": SOUND["loop0"], "loop1": SOUND["loop1"]})
    named = [word for info in devices for word in ("--device", info.slug)]
    run = subprocess.run(
        command("campaign", path, "--to", tmp_path / "store", *named, *OPTIONS_TYPED[2:]),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    for info in devices:
        assert f"{info.slug}: 2/2, 0 rejected, " in run.stderr
        assert f"{info.slug}: 2 recorded, 0 rejected" in run.stdout
    found = [(s.device.slug, s.program.id) for s in exchange.accepted(tmp_path / "store")]
    assert sorted(found) == sorted((i.slug, n) for i in devices for n in ("loop0", "loop1"))
