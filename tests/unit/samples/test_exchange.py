"""Data sets in files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.errors import InvalidDataset, NotWritten, ShaderlabError
from shaderlab.samples import exchange, schema
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store, is_store
from tests.unit.samples.builders import compiled, sample, with_textures

SAMPLES = [sample(f"shader-{n}", size=(8, 4 + n % 3)) for n in range(12)]


def kept(path: Path) -> dict[str, Sample]:
    return {s.id: s for s in exchange.accepted(path)}


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    assert exchange.write(SAMPLES, path) == 12
    assert kept(path) == {s.id: s for s in SAMPLES}
    assert exchange.stats(path).devices == {SAMPLES[0].device.name: 12}


def test_equal_sets_are_equal_files_whatever_their_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    exchange.write(SAMPLES, one)
    exchange.write(reversed(SAMPLES), other)
    assert one.read_bytes() == other.read_bytes()


def test_writing_fails_without_leaving_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(InvalidDataset, match="cannot write"):
        exchange.write(SAMPLES, tmp_path / "folder.parquet")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.parquet"]


subsets = st.lists(st.integers(0, len(SAMPLES) - 1), max_size=12, unique=True)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=subsets, b=subsets, c=subsets)
def test_a_merge_is_the_union_in_any_order_and_grouping(
    tmp_path: Path, a: list[int], b: list[int], c: list[int]
) -> None:
    paths = []
    for name, chosen in (("a", a), ("b", b), ("c", c)):
        paths.append(tmp_path / f"{name}.parquet")
        exchange.write([SAMPLES[n] for n in chosen], paths[-1])
    whole, turned, left, grouped = (tmp_path / f"{n}.out" for n in range(4))
    merged = exchange.merge(paths, whole)
    exchange.merge(reversed(paths), turned)
    exchange.merge(paths[:2], left)
    exchange.merge([left, paths[2], left], grouped)
    union = {*a, *b, *c}
    assert merged.rows == len(union)
    assert merged.duplicates == len(a) + len(b) + len(c) - len(union)
    assert kept(whole) == {SAMPLES[n].id: SAMPLES[n] for n in union}
    assert whole.read_bytes() == turned.read_bytes() == grouped.read_bytes()


def test_a_merge_keeps_a_source_that_one_side_shares(tmp_path: Path) -> None:
    from dataclasses import replace

    program = replace(SAMPLES[0].program, text="void mainImage() {}", license="CC0-1.0")
    shared = replace(SAMPLES[0], program=program)
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    exchange.write([SAMPLES[0]], one)
    exchange.write([shared], other)
    for order in ([one, other], [other, one]):
        merged = exchange.merge(order, tmp_path / "both.parquet")
        assert (merged.rows, merged.duplicates) == (1, 1)
        assert kept(tmp_path / "both.parquet")[shared.id] == shared


def test_a_file_without_textures_is_of_the_first_version(tmp_path: Path) -> None:
    plain, both = tmp_path / "plain.parquet", tmp_path / "both.parquet"
    exchange.write(SAMPLES[:2], plain)
    exchange.write([*SAMPLES[:2], with_textures()], both)
    assert pq.read_schema(plain).metadata[b"shaderlab.schema"] == b"1"
    assert "textures" not in pq.read_schema(plain).names
    assert pq.read_schema(both).metadata[b"shaderlab.schema"] == b"2"
    assert kept(both) == {s.id: s for s in (*SAMPLES[:2], with_textures())}


def test_rows_with_and_without_a_compile_time_share_a_file(tmp_path: Path) -> None:
    both = tmp_path / "both.parquet"
    every = [*SAMPLES[:2], with_textures(), compiled()]
    exchange.write(every, both)
    assert pq.read_schema(both).metadata[b"shaderlab.schema"] == b"4"
    assert kept(both) == {s.id: s for s in every}


def test_stores_and_json_lines_are_data_sets_too(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        store.add(SAMPLES[:5])
    lines = tmp_path / "rows.jsonl"
    lines.write_text("\n".join(json.dumps(schema.to_row(s)) for s in SAMPLES[3:]) + "\n")
    merged = exchange.merge([tmp_path / "store", lines], tmp_path / "all.parquet")
    assert (merged.rows, merged.duplicates, merged.rejected) == (12, 2, ())


def test_bad_rows_are_refused_one_by_one(tmp_path: Path) -> None:
    rows = [schema.to_row(s) for s in SAMPLES[:3]]
    rows[1]["timing"]["time_s"] *= 2
    lines = tmp_path / "rows.jsonl"
    lines.write_text("{broken\n" + "\n".join(map(json.dumps, [*rows, rows[2]])) + "\n[]\n")
    checked = list(exchange.read(lines))
    assert [c.sample is not None for c in checked] == [False, True, False, True, False, False]
    assert [c.reason for c in checked if c.reason] == [
        "is not JSON",
        checked[2].reason,
        "id: an equal row stands above",
        "row: list is not an object",
    ]
    assert "timing.time_s" in checked[2].reason


def test_a_merge_names_what_it_refused(tmp_path: Path) -> None:
    lines = tmp_path / "rows.jsonl"
    lines.write_text(json.dumps(schema.to_row(SAMPLES[0])) + "\n{broken\n[]\n")
    merged = exchange.merge([lines], tmp_path / "all.parquet")
    assert (merged.rows, merged.refused, merged.duplicates) == (1, 2, 0)
    assert merged.rejected == (
        ("rows.jsonl", 1, "is not JSON"),
        ("rows.jsonl", 2, "row: list is not an object"),
    )


@pytest.mark.parametrize(("name", "there"), [("new.db", False), ("empty.db", True)])
def test_what_is_named_as_a_store_becomes_one(tmp_path: Path, name: str, there: bool) -> None:
    exchange.write(SAMPLES[:3], tmp_path / "few.parquet")
    if there:
        (tmp_path / name).touch()
    exchange.merge([tmp_path / "few.parquet"], tmp_path / name)
    assert is_store(tmp_path / name)
    exchange.write(SAMPLES[2:5], tmp_path / "more.parquet")
    merged = exchange.merge([tmp_path / "more.parquet"], tmp_path / name)
    assert (merged.rows, merged.added, merged.duplicates) == (5, 2, 1)
    assert kept(tmp_path / name) == {s.id: s for s in SAMPLES[:5]}


def test_samples_that_are_to_be_added_to_a_store_replace_no_file(tmp_path: Path) -> None:
    few, own = tmp_path / "few.parquet", tmp_path / "own.parquet"
    exchange.write(SAMPLES[:3], few)
    exchange.write(SAMPLES[3:], own)
    with pytest.raises(NotWritten, match=r"own\.parquet is not a store"):
        exchange.merge([few], own, into_store=True)
    assert kept(own) == {s.id: s for s in SAMPLES[3:]}
    (tmp_path / "notes.db").write_text("my notes\n")
    with pytest.raises(NotWritten, match=r"notes\.db is not a store"):
        exchange.merge([few], tmp_path / "notes.db")
    assert (tmp_path / "notes.db").read_text() == "my notes\n"
    exchange.merge([few], tmp_path / "new", into_store=True)
    assert is_store(tmp_path / "new")


@pytest.mark.parametrize("name", ["kept", "new.db"])
def test_parquet_never_takes_the_place_or_the_name_of_a_store(tmp_path: Path, name: str) -> None:
    with Store(tmp_path / "kept") as store:
        store.add(SAMPLES[:5])
    with pytest.raises(NotWritten, match=rf"{name} is .*a store, and this writes Parquet"):
        exchange.write(SAMPLES[:1], tmp_path / name)
    assert kept(tmp_path / "kept") == {s.id: s for s in SAMPLES[:5]}


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 100, b"hello\nworld\n", b"\0" * 64])
def test_what_is_no_data_set_is_refused_whole(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(InvalidDataset, match="foreign"):
        list(exchange.read(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataset, match="nowhere"):
        list(exchange.read(tmp_path / "nowhere"))


def test_a_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"time_s": [1.0]}), path)
    with pytest.raises(InvalidDataset, match="schema none"):
        list(exchange.read(path))
    disguised = pa.table({"time_s": [1.0]}).replace_schema_metadata({"shaderlab.schema": "1"})
    pq.write_table(disguised, path)
    with pytest.raises(InvalidDataset, match="columns"):
        list(exchange.read(path))


def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    good = tmp_path / "good.parquet"
    exchange.write(SAMPLES, good)
    original = good.read_bytes()
    path = tmp_path / "mutated.parquet"
    dice = random.Random(5)
    refusals = []
    for _ in range(150):
        data = bytearray(original)
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        if dice.random() < 0.2:
            del data[dice.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            accepted = list(exchange.accepted(path))
        except ShaderlabError as error:
            refusals.append(str(error))
        else:
            assert all(s in SAMPLES for s in accepted)
    assert refusals
    assert not any("\n" in refusal for refusal in refusals)


def test_a_data_set_can_be_written_to_a_folder_that_is_not_there_yet(tmp_path):
    path = tmp_path / "new" / "deep" / "set.parquet"
    assert exchange.write([sample()], path) == 1
    assert [each.id for each in exchange.accepted(path)] == [sample().id]
