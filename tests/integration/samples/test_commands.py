"""`record` and `dataset`, as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from shaderlab.samples import exchange
from shaderlab.samples.recording import identified
from tests.integration.campaigns.shaders import BROKEN, SOUND
from tests.unit.samples.builders import table_of

QUICK = ("--device", "llvmpipe", "--size", "64x48", "--trials", 3, "--draws", 2)


def shaderlab(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two recorded shaders; one more was refused."""
    folder = tmp_path_factory.mktemp("very-private-folder")
    for name, text in (("one", SOUND["loop1"]), ("two", SOUND["loop2"]), ("broken", BROKEN)):
        (folder / f"{name}.frag").write_text(text)
    files = sorted(folder.glob("*.frag"))
    run = shaderlab("record", *files, "--to", folder / "store", *QUICK, "--json")
    data = json.loads(run.stdout)
    assert run.returncode == 1
    assert data["recorded"] == 2
    (refused,) = data["rejected"]
    assert refused["file"].endswith("broken.frag")
    assert "nonsense" in refused["reason"]
    return folder / "store"


def test_stats_count_rows_shaders_and_devices(store: Path) -> None:
    data = json.loads(shaderlab("dataset", "stats", store, "--json").stdout)
    assert (data["rows"], data["shaders"]) == (2, 2)
    assert sum(data["devices"].values()) == 2


def test_nothing_personal_is_recorded(store: Path) -> None:
    for sample in exchange.accepted(store):
        assert sample.device.memory_bytes > 1 << 20
        assert sample.program.text is None
        assert (sample.program.collection, sample.program.id) == (None, None)
        for secret in ("very-private-folder", "one.frag", "two.frag"):
            assert secret not in repr(sample)


def test_an_export_validates_and_comes_with_its_card(store: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "mine.parquet"
    run = shaderlab("dataset", "export", store, "-o", parquet, "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "rows": 2,
        "bytes": parquet.stat().st_size,
        "sources": 0,
        "unverified": [],
        "left_out": 0,
        "card": str(tmp_path / "mine.md"),
    }
    assert "2 samples of 2 programs on 1 device" in (tmp_path / "mine.md").read_text()
    data = json.loads(shaderlab("dataset", "validate", parquet, "--json").stdout)
    assert data == {"rows": 2, "accepted": 2, "rejected": []}
    again = tmp_path / "again.parquet"
    shaderlab("dataset", "merge", parquet, store, "-o", again)
    assert again.read_bytes() == parquet.read_bytes()


def test_samples_hold_the_trace_of_the_optimised_program_too(store: Path) -> None:
    for sample in exchange.accepted(store):
        assert sample.trace is not None
        assert sample.optimized is not None
        assert sum(sample.optimized.opcodes.values()) < sum(sample.trace.opcodes.values())


def test_an_edited_row_fails_validation(store: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "mine.parquet"
    shaderlab("dataset", "export", store, "-o", parquet)
    table = pq.read_table(parquet)
    rows = table.to_pylist()
    rows[0]["software"] = "9.9"
    pq.write_table(table_of(rows, table.schema), parquet)
    run = shaderlab("dataset", "validate", parquet, "--json")
    assert run.returncode == 1
    data = json.loads(run.stdout)
    assert (data["rows"], data["accepted"]) == (2, 1)
    assert data["rejected"] == [
        {"row": 0, "reason": "id: is not the hash of the row; the row was changed"}
    ]


def test_a_source_is_kept_only_with_a_licence(tmp_path: Path) -> None:
    shader = tmp_path / "one.frag"
    shader.write_text(SOUND["loop1"])
    run = shaderlab(
        "record", shader, "--to", tmp_path / "store", *QUICK, "--share-source", "CC0-1.0"
    )
    assert run.returncode == 0, run.stderr
    (sample,) = exchange.accepted(tmp_path / "store")
    assert (sample.program.text, sample.program.license) == (SOUND["loop1"], "CC0-1.0")


def test_a_licence_that_is_none_is_refused(tmp_path: Path) -> None:
    shader = tmp_path / "one.frag"
    shader.write_text(SOUND["loop1"])
    run = shaderlab("record", shader, "--to", tmp_path / "store", *QUICK, "--share-source", "?!")
    assert run.returncode == 2
    assert "not an SPDX licence" in run.stderr
    assert not (tmp_path / "store").exists()


def test_a_review_tells_what_an_export_would_hold(store: Path) -> None:
    data = json.loads(shaderlab("dataset", "review", store, "--json").stdout)
    assert (data["samples"], data["programs"], data["sources"]) == (2, 2, [])
    holds = {field["field"]: field["holds"] for field in data["fields"]}
    assert holds["program.text"] == "nothing"
    assert holds["inputs.width"] == "64"
    assert "very-private-folder" not in json.dumps(data)
    assert shaderlab("dataset", "review", store, "--device", "rtx3060").returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ("dataset", "stats", "nowhere.parquet"),
        ("dataset", "export", "nowhere", "-o", "x.parquet"),
        ("campaign", "--to", "store"),
        ("campaign", "corpus.jsonl"),
        ("campaign", "nowhere.jsonl", "--to", "store"),
        ("record", "x.frag", "--to", "store", "--time", "nan"),
    ],
)
def test_wrong_use_says_what_is_wrong(words: tuple[str, ...], tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "shaderlab", *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert run.returncode == 2
    assert len(run.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_published_samples_are_pulled_and_a_false_time_is_held_back(store: Path, tmp_path: Path):
    """Two recorded shaders go through a folder into another store; then one of them comes again
    with a time that contradicts it."""
    folder, mine = tmp_path / "repository", tmp_path / "mine.db"
    run = shaderlab("dataset", "publish", store, "-o", folder, "--json")
    assert run.returncode == 0, run.stderr
    (file,) = json.loads(run.stdout)["files"]
    assert file["rows"] == 2
    run = shaderlab("dataset", "pull", folder, "--to", mine, "--look", "--json")
    assert (run.returncode, mine.exists()) == (0, False)
    run = shaderlab("dataset", "pull", folder, "--to", mine, "--json")
    data = json.loads(run.stdout)
    assert (run.returncode, data["added"], data["duplicates"]) == (0, 2, 0)
    first, _ = exchange.accepted(mine)
    trials = tuple(5 * t for t in first.timing.trials_s)
    cpu = tuple(5 * t for t in first.timing.cpu_trials_s)
    time_s, median_s = 5 * first.timing.time_s, 5 * first.timing.median_s
    timing = replace(
        first.timing, trials_s=trials, cpu_trials_s=cpu, time_s=time_s, median_s=median_s
    )
    false = identified(replace(first, timing=timing))
    exchange.write([false], tmp_path / "false.parquet")
    run = shaderlab("dataset", "publish", tmp_path / "false.parquet", "-o", tmp_path / "second")
    assert run.returncode == 0, run.stderr
    run = shaderlab("dataset", "pull", tmp_path / "second", "--to", mine)
    assert run.returncode == 1
    assert "5 times longer than the same draw measured before" in run.stdout
    assert exchange.stats(mine).rows == 2
    run = shaderlab(
        "dataset", "pull", tmp_path / "second", "--to", mine, "--take-outliers", "--json"
    )
    data = json.loads(run.stdout)
    assert (run.returncode, data["added"], len(data["outliers"])) == (0, 1, 1)
    assert exchange.stats(mine).rows == 3
