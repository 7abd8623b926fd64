import json
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.app.session import quarantine
from shaderlab.app.session.quarantine import Quarantine, Task
from shaderlab.app.session.source import Source
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import (
    Abandoned,
    CompileFailed,
    DeviceLost,
    DeviceStuck,
    OutOfMemory,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.frontend import compiler

POISON = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float x = fragCoord.x;
    while (x >= 0.0) x = abs(sin(x));
    fragColor = vec4(x);
}
"""
TEXT = "int a = 1;\n"


def compiled(text):
    return compiler.compile_text(text, "poison.frag", None)


@pytest.fixture(scope="module")
def poison():
    return compiled(POISON)


@pytest.fixture
def kept(tmp_path, qapp):
    """Quarantines over the same files, as of one run after another."""
    made = []

    def make() -> Quarantine:
        for writer in made:
            assert writer.flush()
        made.append(BackgroundWriter())
        return Quarantine(made[-1], path=tmp_path / "q.json", running=tmp_path / "running.json")

    yield make
    for writer in made:
        writer.close()


def test_the_code_counts_and_not_its_comments_names_or_lines(poison):
    held = Quarantine()
    held.add(poison, "render", "llvmpipe", "took too long")
    for same in (
        POISON.replace("float x", "/* why */ float x"),
        "// first\n\n" + POISON,
        POISON.replace("x", "yy").replace("fragCoord.yy", "fragCoord.x"),
    ):
        assert held.reason(compiled(same), "render", "llvmpipe") == "took too long"
    other = compiled(POISON.replace("sin", "cos"))
    assert held.reason(other, "render", "llvmpipe") == ""


def test_other_tasks_and_devices_are_free(poison):
    held = Quarantine()
    held.add(poison, "trace", "llvmpipe", "took too long")
    assert held.reason(poison, "render", "llvmpipe") == ""
    assert held.reason(poison, "trace", "rtx3060") == ""
    assert held.reason(poison, "trace", "llvmpipe")


def test_it_outlives_the_run_and_is_released_by_hand_for_good(kept, poison):
    kept().add(poison, "render", "swiftshader", "crashed")
    second = kept()
    assert second.reason(poison, "render", "swiftshader") == "crashed"
    second.release(poison)
    assert second.reason(poison, "render", "swiftshader") == ""
    assert kept().reason(poison, "render", "swiftshader") == ""


def test_two_windows_add_to_one_file(kept, poison):
    first, second = kept(), kept()
    first.add(poison, "render", "a", "one")
    kept()
    second.add(poison, "render", "b", "two")
    third = kept()
    assert third.reason(poison, "render", "a") == "one"
    assert third.reason(poison, "render", "b") == "two"


def test_what_was_under_way_at_the_end_is_held_at_the_next_start(kept, poison, tmp_path):
    first = kept()
    first.begin(poison, "render", "llvmpipe")
    second = kept()
    assert [entry.task for entry in second.inherit(tmp_path / "running.json")] == ["render"]
    assert "poison.frag was being drawn when" in second.reason(poison, "render", "llvmpipe")
    first.end()
    third = kept()
    assert third.inherit(tmp_path / "running.json") == []


def test_a_module_is_known_by_its_bytes_and_released_by_hand(kept):
    def module(digest: str) -> Source:
        return Source("", "m.spv", Path("/a"), Path("/a/m.spv"), digest)

    first = kept()
    first.add(module("ab" * 32), "compile", "", "why")
    first.add(module(""), "compile", "", "whose bytes could not be read")
    second = kept()
    assert second.reason(module("ab" * 32), "compile") == "why"
    assert second.reason(module("cd" * 32), "compile") == second.reason(module(""), "compile") == ""
    second.release(module("ab" * 32))
    assert kept().reason(module("ab" * 32), "compile") == ""


def test_a_text_is_known_by_its_code_and_its_folder():
    def text(code: str, folder: str | None = "/a") -> Source:
        return Source(code, "t", Path(folder) if folder else None)

    held = Quarantine()
    held.add(text(TEXT), "compile", "", "hung")
    assert held.reason(text("// note\n\n" + TEXT + "\n"), "compile") == "hung"
    assert held.reason(text(TEXT, "/b"), "compile") == ""
    assert held.reason(text(TEXT.replace("1", "2")), "compile") == ""
    held.release(text(TEXT))
    assert held.reason(text(TEXT), "compile") == ""
    assert text("a // b\nc", None).digest != text("a\n// b\nd", None).digest


def test_no_hash_is_made_of_a_text_while_nothing_of_its_kind_is_held(poison):
    held, text = Quarantine(), Source(TEXT, "t", None)
    held.add(poison, "render", "llvmpipe", "took too long")
    assert held.reason(text, "compile") == ""
    assert "digest" not in vars(text)


def test_entries_of_earlier_versions_keep_their_meaning(kept, poison, tmp_path):
    kept().add(poison, "compiled frame", "", "hung")
    kept()
    data = json.loads((tmp_path / "q.json").read_bytes())
    data["entries"][0]["task"] = "amd frame"
    (tmp_path / "q.json").write_text(json.dumps(data))
    assert kept().reason(poison, Task.COMPILED_FRAME) == "hung"


def test_memory_and_file_are_bounded(kept, poison, tmp_path):
    held = kept()
    for number in range(quarantine.MOST_ENTRIES + 5):
        program = replace(poison, spirv=poison.spirv[:20] + number.to_bytes(4, "little"))
        held._take([quarantine.Entry(program.digest, "render", "x", "r", 1.0)])
    held.add(poison, "render", "x", "r")
    kept()
    assert len(json.loads((tmp_path / "q.json").read_bytes())["entries"]) == 500


@pytest.mark.parametrize(("bytes_more", "reason"), [(0, "hung"), (1, "")])
def test_a_file_of_two_megabytes_is_read_and_no_larger_one(
    kept, poison, tmp_path, bytes_more, reason
):
    kept().add(poison, "render", "x", "hung")
    kept()
    data = (tmp_path / "q.json").read_bytes()
    (tmp_path / "q.json").write_bytes(data.ljust((2 << 20) + bytes_more))
    assert kept().reason(poison, "render", "x") == reason


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"version": 2, "entries": []}',
        b'{"version": 1, "entries": [{"key": "x"}]}',
        b'{"version": 1, "entries": [{"key": "x", "task": 3, "place": 1, "reason": 1, "at": 1}]}',
        b'{"version": 1, "entries": 7}',
        b"[" * 100_000,
        b" " * (3 << 20),
    ],
)
def test_a_damaged_file_is_an_empty_one(kept, poison, tmp_path, content):
    (tmp_path / "q.json").write_bytes(content)
    held = kept()
    assert held.reason(poison, "render", "x") == ""
    held.add(poison, "render", "x", "again")
    assert kept().reason(poison, "render", "x") == "again"


@pytest.mark.parametrize(
    ("error", "blamed"),
    [
        (ShaderTimeout("x"), True),
        (OutOfMemory("x"), True),
        (DeviceLost("x"), True),
        (StuckDuring("x"), True),
        (DeviceStuck("x"), False),
        (StartFailed("x"), False),
        (Abandoned("x"), False),
        (UnsupportedShader("x"), False),
        (CompileFailed("x"), False),
    ],
)
def test_a_program_is_blamed_for_what_it_did_alone(error, blamed):
    assert ends_workers(error) is blamed


def test_without_a_file_for_what_is_under_way_nothing_is_written(poison, tmp_path, qapp):
    writer = BackgroundWriter()
    try:
        for held in (
            Quarantine(writer, path=tmp_path / "q.json"),
            Quarantine(running=tmp_path / "running.json"),
        ):
            held.begin(poison, "render", "llvmpipe")
            held.end()
        assert writer.flush()
    finally:
        writer.close()
    assert list(tmp_path.iterdir()) == []
