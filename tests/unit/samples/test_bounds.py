"""Files of a few kilobytes that would take gigabytes or for ever: refused with a line of text."""

from __future__ import annotations

import os
import sqlite3
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shaderlab.errors import InvalidDataset
from shaderlab.samples import exchange, parquet, schema
from shaderlab.samples.store import Store
from tests.unit.samples.builders import sample, table_of


def bomb(path: Path, repeats: int, text: str) -> None:
    """One text in a dictionary, and a row that names it over and over."""
    row = schema.to_row(sample())
    row["program"]["opcodes"] = [(text, 1)] * repeats
    table = table_of([row], schema.arrow_schema())
    pq.write_table(table, path, compression="zstd")


def test_a_text_that_a_dictionary_repeats_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.parquet"
    bomb(path, 2000, "x" * 70_000)
    assert path.stat().st_size < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(InvalidDataset, match=r"bomb.parquet: a row group that decodes to 140,\d+"):
        list(exchange.read(path))
    assert pa.total_allocated_bytes() - before < 1 << 20


@pytest.mark.parametrize(
    ("repeats", "reason"), [(1912, "a row of 13"), (1925, "a row group that decodes to 134,")]
)
def test_a_row_group_of_128_mebibytes_is_decoded_and_no_larger_one(
    tmp_path: Path, repeats: int, reason: str
) -> None:
    path = tmp_path / "bomb.parquet"
    bomb(path, repeats, "x" * 70_000)
    with pytest.raises(InvalidDataset, match=reason):
        list(exchange.read(path))


def test_a_run_of_one_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    row = schema.to_row(sample())
    row["timing"]["rejected"] = [0] * 9_000_000
    pq.write_table(table_of([row], schema.arrow_schema()), path, compression="zstd")
    assert path.stat().st_size < 100_000
    with pytest.raises(InvalidDataset, match="more than 8,388,608 values"):
        list(exchange.read(path))


def test_more_rows_than_could_be_in_the_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    rows = [schema.to_row(sample())] * 5000
    pq.write_table(table_of(rows, schema.arrow_schema()), path, compression="zstd")
    with pytest.raises(InvalidDataset, match="claims 5,000 rows in"):
        list(exchange.read(path))


def test_a_page_that_decompresses_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.parquet"
    row = schema.to_row(sample())
    row["program"]["text"] = "x" * 3_000_000
    table = table_of([row], schema.arrow_schema())
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    monkeypatch.setattr(parquet, "_MAX_PAGES_BYTES", 1 << 20)
    with pytest.raises(InvalidDataset, match=r"a page of 3,\d+,\d+ bytes"):
        list(exchange.read(path))


@pytest.mark.parametrize("fits", [True, False])
def test_pages_that_only_together_take_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fits: bool
) -> None:
    path = tmp_path / "pages.parquet"
    row = schema.to_row(sample())
    row["program"]["text"] = row["device"]["name"] = "x" * 600_000
    table = table_of([row], schema.arrow_schema())
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    monkeypatch.setattr(parquet, "_MAX_PAGES_BYTES", (1300 if fits else 1000) << 10)
    if fits:
        assert len(list(exchange.read(path))) == 1
    else:
        with pytest.raises(InvalidDataset, match="a row group that decodes to"):
            list(exchange.read(path))


def test_a_file_of_many_row_groups_decodes_to_no_more_than_its_size_warrants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "groups.parquet"
    rows = [schema.to_row(sample(name)) for name in "abcdefgh"]
    table = table_of(rows, schema.arrow_schema())
    pq.write_table(table, path, compression="zstd", row_group_size=1)
    assert len(list(exchange.read(path))) == 8
    monkeypatch.setattr(parquet, "_FREE_BYTES", 10_000)
    monkeypatch.setattr(parquet, "_EXPANSION", 0)
    with pytest.raises(InvalidDataset, match="decodes to over 0 times its size"):
        list(exchange.read(path))


def test_what_is_written_has_row_groups_that_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [schema.to_row(sample(name)) for name in "abcdefgh"]
    for row in rows:
        row["program"]["text"] = "x" * 60_000
    monkeypatch.setattr(parquet, "_MAX_DECODED_BYTES", 200_000)
    path = tmp_path / "many.parquet"
    with path.open("wb") as file:
        table = table_of(rows, schema.arrow_schema())
        assert parquet.write(iter([table]), schema.arrow_schema(), file, 3) == 8
    assert pq.ParquetFile(path).num_row_groups > 2
    assert len(list(exchange.read(path))) == 8


@pytest.mark.parametrize("compression", ["none", "zstd", "snappy", "gzip", "brotli"])
def test_what_other_writers_compress_otherwise_is_read(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "other.parquet"
    rows = [schema.to_row(sample(name)) for name in ("a", "b", "c")]
    table = table_of(rows, schema.arrow_schema())
    pq.write_table(table, path, compression=compression, data_page_version="2.0")
    assert len(list(exchange.accepted(path))) == 3


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
@pytest.mark.parametrize("use", [exchange.stats, lambda path: list(exchange.read(path)), Store])
def test_what_is_not_a_plain_file_is_refused_at_once(tmp_path: Path, kind: str, use) -> None:
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(InvalidDataset):
        use(path)


def test_a_long_line_costs_its_row(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    long = b"[" + b"[]," * (3 << 20) + b"0]"
    path.write_bytes(b'{"id": 1}\n' + long + b"\n0\n")
    first, second, third = exchange.read(path)
    assert (second.number, second.reason) == (1, "is longer than 8,388,608 bytes")
    assert first.sample is third.sample is None


def test_a_long_file_of_no_json_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b"word\n" * 5000 + b"{}\n")
    with pytest.raises(InvalidDataset, match="neither Parquet"):
        list(exchange.read(path))


def test_a_row_of_a_store_is_unpacked_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store(path) as store:
        store.add([sample()])
    blob = zlib.compress(b'{"id": "' + b"x" * (64 << 20) + b'"}')
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE samples SET row = ?", (blob,))
    (row,) = exchange.read(path)
    assert row.sample is None


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE samples",
        "CREATE TRIGGER more AFTER INSERT ON samples BEGIN SELECT 1; END",
        "CREATE VIEW other AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
        " SELECT i FROM n",
    ],
)
@pytest.mark.timeout(20)
def test_a_store_that_computes_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "store.db"
    Store(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute(statement)
        if statement.startswith("DROP"):
            raw.execute(
                "CREATE VIEW samples AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i"
                " FROM n) SELECT i AS id, i AS program, i AS device, '' AS row FROM n"
            )
    with pytest.raises(InvalidDataset, match="which no store has"):
        list(exchange.read(path))


def test_rows_made_up_for_tests_hold_what_they_say() -> None:
    row = schema.to_row(sample())
    assert table_of([row], schema.arrow_schema()).num_rows == 1
    row["trace"]["blocks"][0]["extra"] = 1
    with pytest.raises(AssertionError, match="'extra' would be left out"):
        table_of([row], schema.arrow_schema())


@pytest.mark.parametrize(
    "wrong", [{"decompressed": -1}, {"compressed": -1}, {"values": -1}, {"compressed": 1 << 30}]
)
def test_a_page_that_cannot_be_is_refused(
    tmp_path: Path, wrong: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of less than nothing, or longer than its column."""
    path = tmp_path / "damaged.parquet"
    rows = table_of([schema.to_row(sample())], schema.arrow_schema())
    pq.write_table(rows, path, use_dictionary=False)
    read = parquet._page

    def damaged(header: bytes):
        page, size = read(header)
        return page._replace(**wrong), size

    monkeypatch.setattr(parquet, "_page", damaged)
    with pytest.raises(InvalidDataset, match="a page does not fit"):
        list(exchange.read(path))


def test_every_kind_of_value_in_a_footer_is_read_past():
    """Thrift's compact protocol: a field's head is the step to its number and its kind."""
    struct = b"".join((
        b"\x11\x12",  # fields 1 and 2: true and false
        b"\x13\x07",  # 3: a byte
        b"\x15\x05\x26\xac\x02",  # 4 and 6: -3 and 150
        b"\x17" + bytes(range(8)),  # 7: a double
        b"\x18\x03abc",  # 8: three bytes
        b"\x19\x25\x02\x04",  # 9: a list of 1 and 2
        b"\x1c\x15\x06\x00",  # 10: a struct whose field 1 is 3
        b"\x05\x28\x08",  # 20, by its number: 4
        b"\x00",
    ))  # fmt: skip
    found, end = parquet._Thrift(struct + b"more").struct()
    assert found == {
        1: True, 2: False, 3: 7, 4: -3, 6: 150, 7: None, 8: None, 9: [1, 2], 10: {1: 3}, 20: 4
    }  # fmt: skip
    assert end == len(struct)


def test_long_lists_say_their_length_after_their_head():
    found, _ = parquet._Thrift(bytes([0x19, 0xF3, 0x10, *range(16), 0x00])).struct()
    assert found == {1: list(range(16))}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([0x15, *[0x80] * 10], "a number that is too long"),
        ([0x19, 0xF3, 0x7F], "a list longer than the file"),
        ([0x1B], "a type that no Parquet file has"),
        ([0x1C] * 12, "a type that no Parquet file has"),
    ],
)
def test_a_damaged_footer_is_said(data, said):
    with pytest.raises(ValueError, match=said):
        parquet._Thrift(bytes(data)).struct()


def test_structs_may_be_ten_deep_and_no_deeper():
    for depth in (parquet._DEPTH, parquet._DEPTH + 1):
        data = bytes([0x1C] * depth + [0x00] * (depth + 1))
        if depth == parquet._DEPTH:
            assert parquet._Thrift(data).struct()[1] == len(data)
        else:
            with pytest.raises(ValueError, match="a type that no"):
                parquet._Thrift(data).struct()
