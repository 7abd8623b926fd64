"""Folders of contributions."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest

from shaderlab.errors import InvalidDataset, WrongUse
from shaderlab.samples import exchange, sharing
from shaderlab.samples.store import Store
from tests.unit.samples.builders import sample

OTHER = replace(sample().device, slug="rtx3060", name="NVIDIA GeForce RTX 3060")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    with Store(tmp_path / "store") as store:
        store.add([sample("a"), sample("b"), sample("c", device=OTHER)])
    done = sharing.publish(tmp_path / "store", tmp_path / "repository" / "data")
    assert [each.rows for each in done] == [2, 1]
    return tmp_path / "repository"


def test_a_contribution_is_complete_and_its_checksums_are_those_of_sha256sum(published: Path):
    names = sorted(path.name for path in (published / "data").iterdir())
    stems = sorted({name.partition(".")[0] for name in names})
    assert [stem.rpartition("-")[0] for stem in stems] == ["llvmpipe", "rtx3060"]
    endings = (".md", ".parquet", ".review.md", ".sha256")
    assert names == sorted(f"{stem}{ending}" for stem in stems for ending in endings)
    for stem in stems:
        run = subprocess.run(["sha256sum", "-c", f"{stem}.sha256"], cwd=published / "data")
        assert run.returncode == 0
        card = (published / "data" / f"{stem}.md").read_text()
        assert card.startswith(f"# {stem}.parquet\n")
        assert "CC0-1.0" in card
        assert "`device.driver`" in (published / "data" / f"{stem}.review.md").read_text()


def test_the_same_samples_are_the_same_files(published: Path, tmp_path: Path):
    before = {path.name: path.read_bytes() for path in (published / "data").iterdir()}
    sharing.publish(tmp_path / "store", published / "data")
    assert {path.name: path.read_bytes() for path in (published / "data").iterdir()} == before


def test_a_folder_gives_what_was_published(published: Path, tmp_path: Path):
    with sharing.fetched(str(published)) as found:
        assert [each.reason for each in found] == ["", ""]
        paths = [each.path for each in found if each.path]
        merged = exchange.merge(paths, tmp_path / "mine.db")
        assert (merged.rows, merged.added, merged.rejected) == (3, 3, ())
        again = exchange.merge(paths, tmp_path / "mine.db", leave_out={sample("a").id})
        assert (again.rows, again.added, again.duplicates) == (3, 0, 2)
    assert not any(path.exists() for path in paths)


def test_an_address_of_fsspec_gives_the_same(published: Path):
    memory = fsspec.filesystem("memory")
    for path in (published / "data").iterdir():
        memory.pipe(f"/pulled/2026/{path.name}", path.read_bytes())
    try:
        with sharing.fetched("memory://pulled") as found:
            assert [each.reason for each in found] == ["", ""]
            ids = {s.id for each in found if each.path for s in exchange.accepted(each.path)}
        assert len(ids) == 3
        with sharing.fetched(f"memory://pulled/2026/{found[0].name.rpartition('/')[2]}") as one:
            assert [each.reason for each in one] == [""]
    finally:
        memory.rm("/pulled", recursive=True)


def test_an_address_that_fails_while_it_is_listed_is_named(published: Path, monkeypatch):
    memory = fsspec.filesystem("memory")
    memory.pipe("/lost/a.parquet", b"PAR1")

    def lost(*_, **__):
        raise ConnectionError("the host went away")

    monkeypatch.setattr(type(memory), "ls", lost)
    monkeypatch.setattr(type(memory), "isdir", lambda *_: True)
    with (
        pytest.raises(InvalidDataset, match=r"^/lost: the host went away$"),
        sharing.fetched("memory://lost"),
    ):
        pass
    monkeypatch.undo()
    memory.rm("/lost", recursive=True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data, sums: data.write_bytes(data.read_bytes()[:-1] + b"?"), "damaged or changed"),
        (lambda data, sums: sums.unlink(), "no .sha256"),
        (lambda data, sums: sums.write_text("0" * 64 + "  other.parquet\n"), "sha256sum"),
        (lambda data, sums: sums.write_bytes(b"\xff" * 5000), "sha256sum"),
    ],
    ids=["changed", "no checksum", "of another", "garbage"],
)
def test_what_does_not_fit_its_checksum_is_refused(published: Path, change, reason: str):
    (data,) = (published / "data").glob("rtx3060-*.parquet")
    change(data, data.with_suffix(".sha256"))
    with sharing.fetched(str(published)) as found:
        refused = [each for each in found if each.path is None]
        assert [each.name for each in refused] == [f"data/{data.name}"]
        assert reason in refused[0].reason


def test_places_without_data_are_named(tmp_path: Path):
    with pytest.raises(InvalidDataset, match=r"no \.parquet"), sharing.fetched(str(tmp_path)):
        pass
    with pytest.raises(InvalidDataset, match="no such"), sharing.fetched(str(tmp_path / "x")):
        pass
    with (
        pytest.raises((WrongUse, InvalidDataset)),
        sharing.fetched("no-such-protocol://host/path"),
    ):
        pass


def test_an_archive_that_is_none_is_named(tmp_path: Path):
    (tmp_path / "bad.zip").write_bytes(b"no archive")
    with (
        pytest.raises(InvalidDataset, match="zip"),
        sharing.fetched(f"zip://::{tmp_path / 'bad.zip'}"),
    ):
        pass


def test_files_are_copied_while_there_is_room(published: Path, monkeypatch: pytest.MonkeyPatch):
    sizes = [path.stat().st_size for path in published.rglob("*.parquet")]
    monkeypatch.setattr(sharing, "_MOST_BYTES", sum(sizes) - 1)
    with sharing.fetched(str(published)) as found:
        kept = [each for each in found if each.path is not None]
        assert len(kept) == 1
        assert [each.reason.partition(" take")[0] for each in found if not each.path] == [
            "all files"
        ]


def test_a_folder_that_cannot_be_is_named_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with Store(tmp_path / "store") as store:
        store.add([sample("a")])
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(sharing.contribution, "export", lambda *_: pytest.fail("it was made"))
    with pytest.raises(WrongUse, match="cannot write"):
        sharing.publish(tmp_path / "store", tmp_path / "file" / "data")


def refused(source: Path) -> list[str]:
    with sharing.fetched(str(source)) as found:
        return [each.reason for each in found if each.path is None]


def test_bounds_are_met_exactly(published: Path, monkeypatch: pytest.MonkeyPatch):
    sizes = sorted(path.stat().st_size for path in published.rglob("*.parquet"))
    monkeypatch.setattr(sharing, "_MOST_BYTES", sum(sizes))
    monkeypatch.setattr(exchange, "MAX_BYTES", sizes[-1])
    assert refused(published) == []
    monkeypatch.setattr(sharing, "_CHUNK", 100)
    assert refused(published) == []
    monkeypatch.setattr(exchange, "MAX_BYTES", sizes[-1] - 1)
    assert len(refused(published)) == 1
    monkeypatch.setattr(sharing, "_MOST_FILES", 2)
    assert len(refused(published)) == 1
    monkeypatch.setattr(sharing, "_MOST_FILES", 1)
    with pytest.raises(InvalidDataset, match=r"more than 1 \.parquet files"):
        refused(published)


def test_only_folders_so_deep_are_looked_into(published: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "_DEEPEST", 2)
    assert refused(published) == []
    monkeypatch.setattr(sharing, "_DEEPEST", 1)
    with pytest.raises(InvalidDataset, match=r"no \.parquet file"):
        refused(published)


@pytest.mark.parametrize("line", ["{digest} *{name}\n", "{digest}  {name}\r\n", "{digest}  {name}"])
def test_checksums_of_other_systems_are_read(published: Path, line: str):
    for path in published.rglob("*.parquet"):
        sums = path.with_suffix(".sha256")
        digest = sums.read_text().split()[0]
        sums.write_bytes(line.format(digest=digest, name=path.name).encode())
    assert refused(published) == []


def test_one_file_is_read_where_one_is_named(published: Path):
    path = min(published.rglob("*.parquet"))
    with sharing.fetched(str(path)) as found:
        assert [(each.name, each.reason) for each in found] == [(path.name, "")]
    other = path.with_name("notes.txt")
    other.write_text("none")
    assert refused(other) == ["there is no .sha256 file beside it"]


def test_a_review_says_what_is_in_each_field_without_markup(published: Path):
    review = min(published.rglob("*.review.md")).read_text()
    name = min(published.rglob("*.parquet")).name
    assert review.startswith(
        f"# What {name} holds, field by field\n\n| field | holds |\n|---|---|\n"
    )
    assert "| `timing.rejected` | empty |\n" in review
    assert sharing._cell("a|b  *c*\n<d> [e] `f` _g_ \\") == (
        r"a\|b \*c\* \<d\> \[e\] \`f\` \_g\_ " + "\\\\"
    )


def test_what_is_published_is_what_was_chosen(published: Path, tmp_path: Path):
    done = sharing.publish(
        tmp_path / "store", tmp_path / "one", sharing.Choice(device="rtx3060"), "CC-BY-4.0"
    )
    assert [each.rows for each in done] == [1]
    assert done[0].data.exists()
    assert done[0].card == done[0].data.with_suffix(".md")
    assert "CC-BY-4.0" in done[0].card.read_text()
    with pytest.raises(WrongUse, match="no sample to export"):
        sharing.publish(tmp_path / "store", tmp_path / "one", sharing.Choice(device="none"))


def test_a_file_that_holds_no_samples_is_refused_by_its_own_name(published: Path):
    """Whatever its checksum says; what lies beside it is taken."""
    for name, content in (("empty", b""), ("noise", b"PAR1" + bytes(5000) + b"PAR1")):
        (published / "data" / f"{name}.parquet").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        (published / "data" / f"{name}.sha256").write_text(f"{digest}  {name}.parquet\n")
    with sharing.fetched(str(published)) as fetched:
        assert all(each.path for each in fetched)
        found, samples = sharing.read(fetched)
    assert len(samples) == 3
    refused = {each.name: each.reason for each in found if each.path is None}
    assert set(refused) == {"data/empty.parquet", "data/noise.parquet"}
    assert refused["data/empty.parquet"].startswith("is neither Parquet")
    assert not any(each[0].isdigit() for each in refused.values()), "no name of a copy"


def test_an_address_of_a_file_here_goes_the_way_of_a_path(published: Path, tmp_path: Path):
    with sharing.fetched(published.as_uri()) as found:
        assert [each.reason for each in found] == ["", ""]
    for name in ("pipe", "endless"):
        (tmp_path / f"{name}.sha256").write_text(f"{'0' * 64}  {name}.parquet\n")
    os.mkfifo(tmp_path / "pipe.parquet")
    (tmp_path / "endless.parquet").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        for scheme in ("file", "local", "FILE"):
            with sharing.fetched(f"{scheme}://{tmp_path}/{name}.parquet") as found:
                assert "not a plain file" in found[0].reason


def test_a_source_that_sends_nothing_is_given_up(published: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "_SILENCE_S", 0.2)
    memory = fsspec.filesystem("memory")
    memory.pipe("/slow/a.parquet", b"PAR1")
    goes_on = threading.Event()
    monkeypatch.setattr(type(memory), "isdir", lambda *_: goes_on.wait(60))
    try:
        with (
            pytest.raises(InvalidDataset, match=r"nothing came for 0\.2 s"),
            sharing.fetched("memory://slow"),
        ):
            pass
    finally:
        goes_on.set()
        memory.rm("/slow", recursive=True)
    monkeypatch.setattr(sharing, "_MOST_S", 0.0)
    with sharing.fetched(str(next(published.rglob("*.parquet")))) as found:
        assert "did not come within" in found[0].reason


def test_no_whole_file_is_copied_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    for url in ("simplecache::file:///dev/zero", "zip://a::filecache::http://127.0.0.1:1/a.zip"):
        with pytest.raises(WrongUse, match="would copy whole files"), sharing.fetched(url):
            pass


def test_a_folder_with_too_many_names_is_left_before_its_end(
    published: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sharing, "_MOST_LISTED", 7)
    with pytest.raises(InvalidDataset, match="more than 7 files"), sharing.fetched(str(published)):
        pass
