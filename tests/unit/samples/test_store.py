"""The local store."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from math import nan
from pathlib import Path
from types import SimpleNamespace

import pytest

from shaderlab.errors import InvalidDataset
from shaderlab.samples import exchange
from shaderlab.samples import store as store_module
from shaderlab.samples.store import Rejection, Store, is_store
from tests.unit.samples.builders import sample


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.db"


def test_samples_stay_once(path: Path) -> None:
    samples = [sample("a"), sample("b")]
    with Store(path) as store:
        assert store.add([*samples, samples[0]]) == 2
        assert store.add(samples) == 0
    assert is_store(path)
    assert sorted(s.id for s in exchange.accepted(path)) == sorted(s.id for s in samples)


def test_a_failed_batch_leaves_nothing(path: Path) -> None:
    def broken():
        yield sample("a")
        raise RuntimeError("the source of the batch failed")

    with Store(path) as store:
        with pytest.raises(RuntimeError):
            store.add(broken())
        assert store.stats().rows == 0


def test_a_time_that_is_no_number_is_not_kept(path: Path) -> None:
    good = sample("a")
    with Store(path) as store:
        with pytest.raises(ValueError, match="Out of range float"):
            store.add([replace(good, timing=replace(good.timing, floor_s=nan))])
        assert store.stats().rows == 0


def test_an_attempt_is_finished_once_it_has_an_outcome(path: Path) -> None:
    with Store(path) as store:
        assert store.begin("job", "plasma", "llvmpipe") == 1
        assert store.begin("job", "plasma", "llvmpipe") == 2
        assert store.finished() == set()
        assert store.interrupted() == {"job": 2}
        store.recorded("job", sample("a"))
        store.begin("other", "endless", "llvmpipe")
        store.rejected("other", "ShaderTimeout: took too long")
        assert store.finished() == {"job", "other"}
        assert store.stats().rows == 1
    with Store(path) as again:
        assert again.finished() == {"job", "other"}
        assert again.rejections() == [
            Rejection("endless", "ShaderTimeout: took too long", "llvmpipe")
        ]
        assert again.finished(also_rejected=False) == {"job"}
        assert again.begin("other", "endless", "llvmpipe") == 1
        assert again.finished() == {"job"}


def test_two_stores_on_one_file_see_each_other(path: Path) -> None:
    with Store(path) as one, Store(path) as other:
        one.add([sample("a")])
        other.add([sample("b")])
        assert one.stats() == other.stats()
        assert one.stats().rows == 2


def test_a_damaged_row_is_refused_and_the_others_stay(path: Path) -> None:
    with Store(path) as store:
        store.add([sample("a"), sample("b")])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE samples SET row = x'00' WHERE id = ?", (sample("a").id,))
    checked = list(exchange.read(path))
    assert [c.sample for c in checked if c.sample] == [sample("b")]
    assert len(checked) == 2


def test_other_databases_and_newer_stores_are_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE notes (text)")
    with pytest.raises(InvalidDataset, match="not a sample store"):
        Store(foreign)
    newer = tmp_path / "newer.db"
    Store(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version=99")
    with pytest.raises(InvalidDataset, match="version 99"):
        Store(newer)
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(InvalidDataset, match=r"garbage\.db"):
        Store(garbage)


def test_names_and_times_are_the_owners_alone(path: Path, tmp_path: Path) -> None:
    first, second = sample("a"), sample("b")
    with Store(path) as store:
        store.add([sample("from elsewhere")])
        assert store.keep(first, "my secret draft", 1000.0)
        assert store.keep(second, "plasma", 2000.5)
        assert not store.keep(first, "again", 3000.0)
        listed = store.entries(10)
        assert [(e.name, e.at) for e in listed] == [
            ("plasma", 2000.5), ("my secret draft", 1000.0), ("", None)
        ]  # fmt: skip
        assert listed[0].row["timing"]["time_s"] == second.timing.time_s
        assert [e.id for e in store.entries(1)] == [second.id]
    exchange.write(exchange.accepted(path), tmp_path / "given away.parquet")
    assert b"secret" not in (tmp_path / "given away.parquet").read_bytes()
    assert "secret" not in repr(list(exchange.read(path)))


def test_what_is_forgotten_is_gone(path: Path) -> None:
    with Store(path) as store:
        for name in "abc":
            store.keep(sample(name), name, 1.0)
        gone, stays = sample("a"), sample("b")
        assert store.forget([gone.id, "unknown"]) == 1
        assert gone.id not in {e.id for e in store.entries(10)}
        assert stays.id in {e.id for e in store.entries(10)}
        assert store.keep(gone, "a", 5.0)
        assert store.entries(1)[0].at == 5.0


def test_a_store_made_before_there_were_names_gets_them(path: Path) -> None:
    with Store(path) as store:
        store.add([sample("a")])
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TABLE notes")
    raw.close()
    with Store(path) as store:
        assert [e.name for e in store.entries(5)] == [""]
        assert store.keep(sample("b"), "b", 1.0)


@pytest.mark.parametrize(
    ("pragma", "reason"),
    [("max_page_count=1", "no space left"), ("query_only=1", "read-only")],
)
def test_what_cannot_be_kept_says_why_and_changes_nothing(
    path: Path, pragma: str, reason: str
) -> None:
    """SQLite's own limits stand for a full disk and a read-only one."""
    with Store(path) as store:
        store.add([sample("a")])
        store._connection.execute(f"PRAGMA {pragma}")
        more = [sample(f"b{n}") for n in range(20)]
        with pytest.raises(InvalidDataset, match=reason):
            store.add(more)
        with pytest.raises(InvalidDataset, match=reason):
            store.keep(sample("c"), "x" * 20_000, 1.0)
        assert store.stats().rows == 1
    with Store(path) as again:
        assert sample("a").id in {e.id for e in again.entries(100)}


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidDataset, match="no folder for it"):
        Store(tmp_path / "file" / "store.db")


def test_a_damaged_store_is_refused_with_a_reason(path: Path) -> None:
    with Store(path) as store:
        store.add([sample(f"{n}") for n in range(50)])
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(b ^ 0xA5 for b in data[4096:])
    path.write_bytes(data)
    with pytest.raises(InvalidDataset, match="damaged"), Store(path) as store:
        list(store.rows())


def test_values_of_other_kinds_than_a_store_writes_are_read_as_text(path: Path) -> None:
    """SQLite keeps bytes or words in a column of numbers."""
    with Store(path) as store:
        store.add([sample("a")])
    with sqlite3.connect(path) as raw:
        raw.execute("INSERT INTO notes SELECT id, x'ff41', 'never' FROM samples")
        raw.execute("INSERT INTO samples VALUES ('b', 'c', x'fffe', 5)")
        raw.execute("INSERT INTO attempts VALUES (x'01', x'fe42', 7, 1, 'rejected', NULL, NULL)")
    raw.close()
    with Store(path) as store:
        assert {type(name) for name in store.stats().devices} == {str}
        assert {(each.name, each.at) for each in store.entries(9)} == {("\ufffdA", 0.0), ("", None)}
        assert store.rejections() == [Rejection("\ufffdB", "", "7")]
        assert [len(row) > 0 for row in store.rows()].count(False) == 1


class Busy:
    """A connection that another process keeps from changing its mode, so many times."""

    def __init__(self, times: int, code: int = sqlite3.SQLITE_BUSY):
        self.left, self.code, self.asked = times, code, 0

    def execute(self, statement: str) -> None:
        assert statement == "PRAGMA journal_mode=WAL"
        self.asked += 1
        if self.left:
            self.left -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = self.code
            raise error


def waiting(monkeypatch: pytest.MonkeyPatch, connection: Busy) -> Store:
    """A store that is about to choose its mode; each wait takes ten seconds of a clock of ours."""
    now = [0.0]

    def sleep(_: float) -> None:
        now[0] += 1.0

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    monkeypatch.setattr(store_module, "time", clock)
    made = object.__new__(Store)
    made._connection = connection
    return made


def test_the_mode_is_chosen_once_nobody_else_holds_the_file(monkeypatch) -> None:
    busy = Busy(3)
    waiting(monkeypatch, busy)._use_wal()
    assert busy.asked == 4


def test_it_is_waited_for_so_long_and_other_faults_are_not(monkeypatch) -> None:
    endless = Busy(1000)
    with pytest.raises(sqlite3.OperationalError):
        waiting(monkeypatch, endless)._use_wal()
    assert endless.asked == store_module._BUSY_S + 2
    full = Busy(1000, sqlite3.SQLITE_FULL)
    with pytest.raises(sqlite3.OperationalError):
        waiting(monkeypatch, full)._use_wal()
    assert full.asked == 1
