"""What a campaign measures, and in which order."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.campaigns import corpus
from shaderlab.campaigns.corpus import Shader
from shaderlab.errors import WrongUse
from shaderlab.samples.recording import Origin
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Texture, Wrap

ROWS = [{"id": f"id{n}", "code": f"void mainImage() {{ /* {n} */ }}"} for n in range(20)]
SHADERS = [Shader(f"s{n}", f"{n:064x}", Origin("made-up", f"id{n}"), text="") for n in range(30)]


def test_json_lines_are_read_compressed_or_not(tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    plain = tmp_path / "toys.jsonl"
    plain.write_text(text)
    packed = tmp_path / "toys.jsonl.zst"
    with pa.output_stream(str(packed), compression="zstd") as stream:
        stream.write(text.encode())
    shaders = corpus.read(plain)
    assert shaders == corpus.read(packed)
    assert [s.origin for s in shaders] == [Origin("toys", row["id"]) for row in ROWS]
    assert [s.text for s in shaders] == [row["code"] for row in ROWS]
    assert [s.name for s in shaders] == [row["id"] for row in ROWS]
    assert all(re.fullmatch(r"[0-9a-f]{64}", s.key) for s in shaders)


def test_a_folder_gives_its_shader_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("a.frag", "deep/b.glsl", "c.spv", "notes.txt"):
        (tmp_path / name).write_text(name)
    shaders = corpus.read(tmp_path)
    assert [s.name for s in shaders] == ["a.frag", "c.spv", "b.glsl"]
    assert all(s.origin == Origin() for s in shaders)


def _toy(id: str, *passes: dict) -> str:
    return json.dumps({"id": id, "renderpass": list(passes)}) + "\n"


def _pass(type: str, code: str, *inputs: dict, output: str = "0") -> dict:
    return {"type": type, "code": code, "inputs": list(inputs), "outputs": [{"id": output}]}


def _input(type: str, channel: int, id: str = "", filter: str = "linear") -> dict:
    return {"type": type, "channel": channel, "id": id, "sampler": {"filter": filter}}


MAIN = "void mainImage(out vec4 c, vec2 p) {{ c = {}; }}"


def test_a_toy_with_passes_gives_one_that_reads_textures(tmp_path: Path) -> None:
    buffer = _pass("buffer", MAIN.format("vec4(p, 0, 1)"), output="b")
    common = _pass("common", "#define TWO 2.0\n")
    image = _pass(
        "image",
        MAIN.format("texture(iChannel0, p) * texelFetch(iChannel2, ivec2(p), 0) * TWO"),
        _input("texture", 0, filter="mipmap"),
        _input("cubemap", 1),
        _input("buffer", 2, "b"),
    )
    path = tmp_path / "toys.jsonl"
    path.write_text(_toy("a", image, common, buffer) + _toy("b", _pass("image", "")))
    (shader,) = corpus.read(path)
    assert shader.name == "a Image"
    assert shader.origin == Origin("toys", "a")
    assert shader.text is not None
    assert shader.text.startswith("#define TWO 2.0")
    assert "uniform samplerCube iChannel1;" in shader.text
    assert shader.textures == {
        "iChannel0": Texture(Pattern.NOISE, Filter.MIPMAP, Wrap.CLAMP),
        "iChannel2": Texture(PassPicture("Buffer A"), Filter.LINEAR, Wrap.CLAMP),
    }


def test_a_keyboard_has_no_key_held_and_all_else_is_noise(tmp_path: Path) -> None:
    code = MAIN.format("texture(iChannel0, p) + texture(iChannel1, p)")
    image = _pass("image", code, _input("keyboard", 0), _input("webcam", 1))
    path = tmp_path / "toys.jsonl"
    path.write_text(_toy("a", image))
    (shader,) = corpus.read(path)
    assert [each.source for each in shader.textures.values()] == [Pattern.KEYBOARD, Pattern.NOISE]


def test_another_texture_is_another_shader(tmp_path: Path) -> None:
    path, keys = tmp_path / "toys.jsonl", set()
    for filter in ("linear", "mipmap"):
        read = MAIN.format("texture(iChannel0, p)")
        path.write_text(_toy("a", _pass("image", read, _input("texture", 0, filter=filter))))
        keys |= {shader.key for shader in corpus.read(path)}
    assert len(keys) == 2


def test_a_toy_without_an_image_is_named(tmp_path: Path) -> None:
    path = tmp_path / "toys.jsonl"
    path.write_text(_toy("a", _pass("buffer", MAIN.format("vec4(1)"))))
    with pytest.raises(WrongUse, match=r"toys\.jsonl:1"):
        corpus.read(path)


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}', '{"id": 1, "code": "x"}'])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "toys.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\n" + line + "\n")
    with pytest.raises(WrongUse, match=r"toys\.jsonl:2"):
        corpus.read(path)


def test_what_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="nowhere"):
        corpus.read(tmp_path / "nowhere.jsonl")
    broken = tmp_path / "toys.jsonl.zst"
    broken.write_bytes(b"no zstd stream")
    with pytest.raises(WrongUse, match=r"toys\.jsonl\.zst"):
        corpus.read(broken)


@given(
    st.permutations(SHADERS),
    st.integers(0, 99),
    st.sets(st.integers(0, 29)),
    st.integers(0, 30),
)
def test_the_order_is_the_seeds_and_a_longer_campaign_begins_with_a_shorter(
    shuffled: list[Shader], seed: int, first: set[int], limit: int
) -> None:
    ids = [f"id{n}" for n in first]
    whole = corpus.drawn(SHADERS, seed=seed, first=ids)
    assert corpus.drawn(shuffled, seed=seed, first=ids, limit=limit) == whole[:limit]
    assert {s.origin.id for s in whole[: len(first)]} == set(ids)
    assert sorted(s.key for s in whole) == sorted(s.key for s in SHADERS)


def test_another_seed_is_another_order_and_doubles_are_dropped() -> None:
    twice = [*SHADERS, *(replace(s, name="again") for s in SHADERS)]
    assert len(corpus.drawn(twice)) == len(SHADERS)
    assert corpus.drawn(SHADERS, seed=1) != corpus.drawn(SHADERS, seed=2)


def test_lists_of_ids(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    path.write_text("abc\n\ndef\nabc\n")
    assert corpus.ids(path) == ("abc", "def")
    path.write_text('{"shader_id": "abc", "time_s": 1}\n{"id": "def"}\n')
    assert corpus.ids(path) == ("abc", "def")
    path.write_text("{broken")
    with pytest.raises(WrongUse, match="neither"):
        corpus.ids(path)


def compressed(path: Path, data: bytes) -> Path:
    path.write_bytes(pa.Codec("zstd").compress(data, asbytes=True))
    return path


@pytest.mark.parametrize(
    "data",
    [
        b'{"id": "a", "code": "' + b"x" * (80 << 20) + b'"}\n',
        b'{"id": "a", "code": ""}\n' * 400_000,
        b"\xff\n",
        b'{"id": "\\ud800", "code": ""}\n',
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_hostile_compressed_corpus_is_refused_in_a_line(tmp_path: Path, data: bytes) -> None:
    path = compressed(tmp_path / "made-up.jsonl.zst", data)
    assert path.stat().st_size < 100_000
    with pytest.raises(WrongUse, match=r"made-up\.jsonl\.zst"):
        corpus.read(path)


def test_a_damaged_compressed_corpus_is_refused_in_a_line(tmp_path: Path) -> None:
    path = compressed(tmp_path / "made-up.jsonl.zst", b'{"id": "a", "code": ""}\n' * 10)
    whole = path.read_bytes()
    for damaged in (whole[:-3], whole[:9] + b"\xff" * 9 + whole[18:], b"\0" * 99):
        path.write_bytes(damaged)
        with pytest.raises(WrongUse, match=r"made-up\.jsonl\.zst"):
            corpus.read(path)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("read", [corpus.read, corpus.ids])
def test_what_is_not_a_plain_file_is_refused_at_once(tmp_path: Path, read) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(WrongUse, match="not a plain file"):
            read(path)


def test_a_line_and_a_file_may_be_as_long_as_they_may_and_no_longer(tmp_path, monkeypatch):
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"x" * 9 + b"\n" + b"y" * 4 + b"\n")
    monkeypatch.setattr(corpus, "_MAX_LINE_BYTES", 10)
    assert [len(line) for line in corpus._lines(path)] == [10, 5]
    monkeypatch.setattr(corpus, "_MAX_BYTES", 15)
    assert len(list(corpus._lines(path))) == 2
    monkeypatch.setattr(corpus, "_MAX_BYTES", 14)
    with pytest.raises(WrongUse, match=r"many\.jsonl: decompresses to too much"):
        list(corpus._lines(path))
    monkeypatch.setattr(corpus, "_MAX_LINE_BYTES", 9)
    with pytest.raises(WrongUse, match=r"many\.jsonl: a line of more than 9 bytes"):
        list(corpus._lines(path))
