"""Program bundles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shaderlab import locations
from shaderlab.campaigns import bundle
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Preparer
from shaderlab.errors import InvalidDataset, InvalidModule
from shaderlab.frontend.program import Dialect, Program
from shaderlab.samples.recording import Origin
from tests.unit.samples.builders import table_of

SPIRV = (locations.resources() / "gpu" / "constant.frag.spv").read_bytes()
SHADERS = [
    Shader(
        f"s{n}",
        f"{n:064x}",
        Origin("made-up", f"s{n}") if n else Origin(),
        program=Program(f"s{n}", Dialect.SHADERTOY_ES310, "", SPIRV, "main"),
        optimized=SPIRV if n % 2 else None,
    )
    for n in range(5)
]


def written(path: Path) -> Path:
    assert bundle.write(((s, Preparer().prepare(s, True)) for s in SHADERS), path) == len(SHADERS)
    return path


def test_a_bundle_gives_its_programs_back_in_order(tmp_path: Path) -> None:
    assert bundle.read(written(tmp_path / "programs.parquet")) == SHADERS


def test_a_changed_module_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "programs.parquet")
    rows = pq.read_table(path).to_pylist()
    rows[2]["spirv"] = rows[2]["spirv"][:-4] + b"\0\0\0\0"
    pq.write_table(table_of(rows, bundle.SCHEMA), path)
    with pytest.raises(InvalidDataset, match="'s2' is not the module its hash names"):
        bundle.read(path)


def test_a_module_no_driver_should_see_is_refused_before_one_does() -> None:
    capability = (2 << 16 | 17).to_bytes(4, "little")
    shader, linkage = ((n).to_bytes(4, "little") for n in (1, 5))
    wrong = SPIRV.replace(capability + shader, capability + linkage, 1)
    assert wrong != SPIRV
    for program, optimized in ((wrong, None), (SPIRV, wrong)):
        bad = replace(
            SHADERS[0], program=replace(SHADERS[0].program, spirv=program), optimized=optimized
        )
        with pytest.raises(InvalidModule, match="not valid SPIR-V"):
            Preparer().prepare(bad, True)


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"key": ["a"]}), path)
    with pytest.raises(InvalidDataset, match="bundle none"):
        bundle.read(path)
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InvalidDataset, match=r"other\.parquet"):
        bundle.read(path)


def test_words_that_are_no_module_are_refused_when_prepared() -> None:
    broken = Program("s", Dialect.SPIRV, "", b"\0" * 40, "main")
    with pytest.raises(InvalidModule):
        Preparer().prepare(Shader("s", "0", program=broken), True)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def stops():
        yield SHADERS[0], Preparer().prepare(SHADERS[0], True)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bundle.write(stops(), tmp_path / "programs.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("column", ["key", "name", "dialect", "entry_point", "digest", "spirv"])
def test_a_bundle_in_which_a_program_may_lack_something_is_refused(column, tmp_path: Path) -> None:
    path = written(tmp_path / "programs.parquet")
    rows = pq.read_table(path).to_pylist()
    rows[3][column] = None
    field = bundle.SCHEMA.field(column).with_nullable(True)
    schema = bundle.SCHEMA.set(bundle.SCHEMA.get_field_index(column), field)
    pq.write_table(table_of(rows, schema), path)
    with pytest.raises(InvalidDataset, match="columns are not those"):
        bundle.read(path)


def test_what_a_program_may_lack_is_null(tmp_path: Path) -> None:
    rows = pq.read_table(written(tmp_path / "programs.parquet")).to_pylist()
    assert [row["collection"] for row in rows] == [None, *["made-up"] * 4]
    assert [row["optimized"] is None for row in rows] == [True, False, True, False, True]


def test_a_dialect_nobody_knows_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "programs.parquet")
    rows = pq.read_table(path).to_pylist()
    rows[0]["dialect"] = "klingon"
    pq.write_table(table_of(rows, bundle.SCHEMA), path)
    with pytest.raises(InvalidDataset, match="'s0' is of an unknown dialect"):
        bundle.read(path)


def test_the_largest_module_is_read_and_no_larger_one(tmp_path: Path, monkeypatch) -> None:
    path = written(tmp_path / "programs.parquet")
    monkeypatch.setattr(bundle, "MAX_MODULE_BYTES", len(SPIRV))
    assert len(bundle.read(path)) == len(SHADERS)
    monkeypatch.setattr(bundle, "MAX_MODULE_BYTES", len(SPIRV) - 1)
    with pytest.raises(InvalidDataset, match="'s0' is too large a module"):
        bundle.read(path)
