"""A text belongs to a sample where it compiles to the program that was measured."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from shaderlab.errors import CompileFailed
from shaderlab.frontend.program import Dialect, Program
from shaderlab.locations import resources
from shaderlab.samples import exchange
from shaderlab.samples.contribution import export
from shaderlab.samples.operations import static_opcodes
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import ProgramRecord, Sample
from shaderlab.samples.sources import FOREIGN, Sources, Standing
from shaderlab.samples.store import Store
from tests.unit.samples.builders import sample

SPIRV = (resources() / "gpu" / "constant.frag.spv").read_bytes()
OTHER = (resources() / "gpu" / "loops.frag.spv").read_bytes()
MODULES = {"own": SPIRV, "own, commented": SPIRV, "another": OTHER}


def compile(text: str) -> Program:
    """A compiler that knows three shaders."""
    if text not in MODULES:
        raise CompileFailed("no such shader")
    return Program("x", Dialect.GLSL, text, MODULES[text], "main")


def measured() -> Sample:
    made = compile("own")
    plain = sample()
    program = replace(
        plain.program,
        digest=made.digest,
        words=len(SPIRV) // 4,
        opcodes=dict(static_opcodes(made.module)),
    )
    return identified(replace(plain, program=program))


def with_text(text: str, licence: str = "MIT") -> Sample:
    bare = measured()
    return replace(bare, program=replace(bare.program, text=text, license=licence))


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("own", Standing.VERIFIED),
        ("another", Standing.FOREIGN),
        ("does not compile", Standing.UNVERIFIED),
    ],
)
def test_standing(text: str, standing: Standing) -> None:
    sources = Sources(compile)
    for _ in range(2):
        assert sources.standing(with_text(text).program) is standing
    assert sources.counts == {standing: 1}
    assert Sources().standing(with_text(text).program) is Standing.UNVERIFIED


def test_another_version_of_the_compiler_names_things_otherwise() -> None:
    program = with_text("own").program
    named = {**program.opcodes, "OpName": 99, "OpLine": 7, "OpSource": 3}
    older = replace(program, digest="0" * 64, opcodes=named)
    assert Sources(compile).standing(older) is Standing.UNVERIFIED


def merged(tmp_path: Path, samples: list[Sample]) -> tuple[exchange.Merged, Sample]:
    paths = []
    for number, each in enumerate(samples):
        paths.append(tmp_path / f"{number}.parquet")
        exchange.write([each], paths[-1])
    done = exchange.merge(paths, tmp_path / "all.parquet", compile)
    (kept,) = exchange.accepted(tmp_path / "all.parquet")
    return done, kept


def test_the_text_that_was_measured_stands_whatever_is_put_beside_it(tmp_path: Path) -> None:
    texts = [with_text("own"), with_text("another"), with_text("a lie"), measured()]
    for order in itertools.permutations(texts):
        done, kept = merged(tmp_path, list(order))
        assert (kept.program.text, kept.program.license) == ("own", "MIT")
        assert (done.rows, done.duplicates, done.unverified) == (1, 3, 0)
        ((name, row, reason),) = done.rejected
        assert (name, row, reason) == (f"{order.index(texts[1])}.parquet", 0, FOREIGN)


def test_a_text_of_another_program_does_not_stand_alone_either(tmp_path: Path) -> None:
    done, kept = merged(tmp_path, [with_text("another")])
    assert kept == measured()
    assert done.refused == 1


def test_a_text_that_cannot_be_compiled_stays_and_is_counted(tmp_path: Path) -> None:
    done, kept = merged(tmp_path, [measured(), with_text("in another language")])
    assert kept.program.text == "in another language"
    assert (done.unverified, done.refused) == (1, 0)


@pytest.mark.parametrize(
    "texts",
    [
        [with_text("one"), with_text("two")],
        [with_text("own"), with_text("own", "CC0-1.0")],
    ],
)
def test_of_texts_or_licences_that_contradict_each_other_none_stands(
    tmp_path: Path, texts: list[Sample]
) -> None:
    for order in (texts, texts[::-1]):
        done, kept = merged(tmp_path, order)
        assert kept == measured()
        assert done.refused == 2


def test_a_merge_goes_into_a_store(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    with Store(path) as store:
        store.keep(sample("mine"), "my shader", 7.0)
        store.add([measured()])
        store.begin("job", "shader", "llvmpipe")
        store.rejected("job", "too slow")
    exchange.write([sample("theirs"), with_text("own")], tmp_path / "theirs.parquet")
    done = exchange.merge([tmp_path / "theirs.parquet"], path, compile)
    assert (done.rows, done.added, done.duplicates) == (3, 1, 1)
    kept = {each.id: each for each in exchange.accepted(path)}
    assert kept.keys() == {sample("mine").id, sample("theirs").id, measured().id}
    assert kept[measured().id].program.text == "own"
    with Store(path) as store:
        assert [r.reason for r in store.rejections()] == ["too slow"]
        assert store.entries(1)[0].name == "my shader"


def test_a_merge_makes_a_store_where_one_is_named(tmp_path: Path) -> None:
    exchange.write([sample()], tmp_path / "a.parquet")
    exchange.merge([tmp_path / "a.parquet"], tmp_path / "new.db")
    with Store(tmp_path / "new.db") as store:
        assert store.stats().rows == 1


@pytest.mark.parametrize(
    ("text", "sources", "unverified", "left_out"),
    [("own", 1, 0, 0), ("does not compile", 1, 1, 0), ("another", 0, 0, 1)],
)
def test_an_export_and_its_card_say_which_texts_are_unverified(
    tmp_path: Path, text: str, sources: int, unverified: int, left_out: int
) -> None:
    given = with_text(text)
    with Store(tmp_path / "store.db") as store:
        store.keep(given, "name", 1.0)
    done = export(tmp_path / "store.db", tmp_path / "x.parquet", compile=compile)
    assert (done.sources, done.left_out) == (sources, left_out)
    assert done.unverified == (given.id,) * unverified
    described = done.card.read_text()
    assert (f"`{given.id}`" in described) == bool(unverified)
    assert ("Unverified sources: 1." in described) == bool(unverified)
    (kept,) = exchange.accepted(done.data)
    assert kept.program.text == (text if sources else None)


def test_a_sample_may_be_of_every_dialect():
    allowed = get_type_hints(ProgramRecord, include_extras=True)["dialect"].__args__[0]
    assert set(get_args(allowed)) == {dialect.value for dialect in Dialect}
