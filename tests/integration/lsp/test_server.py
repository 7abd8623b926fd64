"""The language server as an editor sees it, on the real software driver."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_client import LspEditor, lsp_editor

SHADER = """\
// a ring
float ring(vec2 p, float r) { return smoothstep(0.02, 0.0, abs(length(p) - r)); }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = fragCoord / iResolution.xy - 0.5;
    /* \U0001f600\u00e9 */ float light = ring(p, 0.3);
    for (int i = 0; i < 64; i++)
        light += ring(p, 0.02 * float(i));
    fragColor = vec4(light);
}
"""
RING_LINE, LIGHT_LINE, LOOP_LINE = 1, 4, 6


@pytest.fixture(scope="module")
def editor() -> Iterator[LspEditor]:
    with lsp_editor("--device", "llvmpipe") as made:
        yield made


@pytest.fixture(scope="module")
def counted(editor: LspEditor, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the shader, open and counted."""
    path = tmp_path_factory.mktemp("shaders") / "ring.frag"
    path.write_text(SHADER, "utf-8")
    uri = editor.open(path, SHADER)
    editor.until(lambda: editor.hints(uri))
    return uri


def test_times_stand_over_the_entry_function(editor: LspEditor, counted: str):
    lenses = editor.lenses(counted)
    assert {each.range.start.line for each in lenses} == {2}
    titles = editor.titles(counted)
    assert any(title.startswith("GeForce RTX 3060 ") for title in titles)
    assert titles[1] == "pin this version"
    assert editor.refreshed, "the editor was never told to ask again"


def test_a_line_shows_its_share_and_a_range_limits_the_hints(editor: LspEditor, counted: str):
    hints = editor.hints(counted)
    assert {each.position.line for each in hints} >= {LOOP_LINE}
    for each in hints:
        line = SHADER.splitlines()[each.position.line]
        assert each.position.character == len(line.encode("utf-16-le")) // 2
    only = editor.hints(counted, LOOP_LINE, LOOP_LINE)
    assert [each.position.line for each in only] == [LOOP_LINE]


def test_hover_has_declaration_counts_and_a_cost_for_each_target(editor: LspEditor, counted: str):
    name = SHADER.splitlines()[LOOP_LINE].index("ring")
    text = editor.hover(counted, LOOP_LINE, name)
    assert "float ring(vec2 p, float r)" in text
    assert "ran 50.3 M times: 64 times per pixel" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 5
    assert rows[0].startswith("| target")
    assert rows[1].startswith("| GeForce")
    assert "RTX" in rows[1]
    assert "median" in rows[1]


KERNEL = """\
StructuredBuffer<float> given : register(t0);
RWStructuredBuffer<float> made : register(u0);
[numthreads(64, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    float sum = 0.0;
    for (int i = 0; i < 16; i++)
        sum += given[id.x] * float(i);
    made[id.x] = sqrt(sum);
}
"""
SUM_LINE, ROOT_LINE = 7, 8


def test_a_compute_shader_has_its_launch_times_and_counts(editor: LspEditor, tmp_path: Path):
    path = tmp_path / "sums.hlsl"
    path.write_text(KERNEL, "utf-8")
    uri = editor.open(path, KERNEL)
    assert editor.problems(uri, 1) == []
    hints = {each.position.line: each for each in editor.until(lambda: editor.hints(uri))}
    assert {SUM_LINE, ROOT_LINE} <= set(hints)
    titles = editor.titles(uri)
    assert titles[0] == "1,024 groups of 64: 65,536 invocations"
    assert any("RTX 3060 \u2248" in title for title in titles)
    assert {each.range.start.line for each in editor.lenses(uri)} == {2}
    text = editor.hover(uri, SUM_LINE, 8)
    assert "16 times per invocation" in text
    assert "compute shaders took" in text


def test_a_compute_shader_s_project_file_chooses_its_launch(editor: LspEditor, tmp_path: Path):
    path = tmp_path / "sums.hlsl"
    path.write_text(KERNEL, "utf-8")
    (tmp_path / "sums.shaderlab.toml").write_text(
        'format = 1\nshader = "sums.hlsl"\n[launch]\ngroups = [8, 1, 1]\n', "utf-8"
    )
    uri = editor.open(path, KERNEL)
    editor.until(lambda: editor.hints(uri))
    assert editor.titles(uri)[0] == "8 groups of 64: 512 invocations"


def test_positions_are_utf16(editor: LspEditor, counted: str):
    line = SHADER.splitlines()[LIGHT_LINE]
    at = len(line[: line.index("light")].encode("utf-16-le")) // 2
    found = editor.ask("references", counted, LIGHT_LINE, at, context=types.ReferenceContext(True))
    first = next(each.range for each in found if each.range.start.line == LIGHT_LINE)
    assert (first.start.character, first.end.character) == (at, at + len("light"))
    assert len(found) == 3
    without = editor.ask(
        "references", counted, LIGHT_LINE, at, context=types.ReferenceContext(False)
    )
    assert len(without) == 2
    there = editor.ask("definition", counted, LIGHT_LINE, len(line.split("ring")[0]) + 2)
    assert there.range.start == types.Position(RING_LINE, len("float "))


def test_names_are_completed_renamed_and_listed(editor: LspEditor, counted: str):
    last = SHADER.splitlines()[7]
    items = editor.ask("completion", counted, 7, last.index("light") + 3)
    assert [each.label for each in items.items][:1] == ["light"]
    edit = items.items[0].text_edit.range
    assert (edit.start.character, edit.end.character) == (
        last.index("light"),
        last.index("light") + 3,
    )
    help_ = editor.ask("signature_help", counted, LOOP_LINE, len("        light += ring(p, "))
    assert help_.signatures[0].label == "float ring(vec2 p, float r)"
    assert help_.active_parameter == 1
    changed = editor.ask("rename", counted, RING_LINE, len("float r"), new_name="circle")
    assert len(changed.changes[counted]) == 3
    with pytest.raises(JsonRpcException, match="is built in"):
        editor.ask("rename", counted, RING_LINE, len("float r"), new_name="length")
    with pytest.raises(JsonRpcException, match="Only names"):
        editor.ask("rename", counted, RING_LINE, SHADER.splitlines()[1].index("abs"), new_name="a")
    ask = editor.client.text_document_document_symbol_async
    symbols = editor.wait(ask(types.DocumentSymbolParams(types.TextDocumentIdentifier(counted))))
    assert symbols is not None
    assert [each.name for each in symbols] == ["ring", "mainImage"]


def test_a_refused_rename_leaves_no_trace_in_the_log(tmp_path: Path):
    with lsp_editor("--device", "none") as editor:
        uri = editor.open(tmp_path / "a.frag", SHADER)
        with pytest.raises(JsonRpcException, match="is built in"):
            editor.ask("rename", uri, RING_LINE, len("float r"), new_name="length")
        log = editor.process.stderr
        assert log is not None
        assert editor.leave() == 0
        assert b"Traceback" not in editor.wait(log.read())


def test_an_edit_shows_its_change_and_a_fault_its_place(editor: LspEditor, tmp_path: Path):
    path = tmp_path / "edited.frag"
    path.write_text(SHADER, "utf-8")
    uri = editor.open(path, SHADER)
    assert editor.problems(uri, 1) == []
    broken = SHADER.replace("float light = ring", "float light = rung")
    editor.edit(uri, broken, 2)
    (found,) = editor.problems(uri, 2)
    line = broken.splitlines()[LIGHT_LINE]
    assert "rung" in found.message
    assert found.range.start.line == LIGHT_LINE
    assert found.range.start.character == len(line[: line.index("rung")].encode("utf-16-le")) // 2
    editor.edit(uri, SHADER.replace("i < 64", "i < 512"), 3)
    assert editor.problems(uri, 3) == []
    # The saved version was counted too, however soon the edit came.
    since = editor.until(
        lambda: [t for t in editor.titles(uri) if "RTX 3060" in t and "since save" in t]
    )
    assert "+" in since[0]
    assert "likely" in since[0]
    pin = next(each.command for each in editor.lenses(uri) if each.command and
               each.command.title == "pin this version")  # fmt: skip
    editor.command(pin)
    editor.save(uri)
    editor.edit(uri, SHADER, 4)
    editor.until(lambda: any("since pin" in title for title in editor.titles(uri)))
    editor.close(uri)


def test_selecting_a_target_changes_the_shares(editor: LspEditor, counted: str):
    other = next(
        each.command
        for each in editor.lenses(counted)[1:]
        if each.command and each.command.title.startswith("SwiftShader")
    )
    editor.command(other)
    assert editor.titles(counted)[0].startswith("SwiftShader")
    assert all("SwiftShader" in str(each.tooltip) for each in editor.hints(counted))


def test_what_an_included_file_is_to_blame_for_stands_at_its_include(
    editor: LspEditor, tmp_path: Path
):
    common = tmp_path / "common.glsl"
    common.write_text("float half_of(float x) {\n    return x * hlf;\n}\n")
    path = tmp_path / "including.frag"
    text = '// first\n#include "common.glsl"\n' + SHADER
    uri = editor.open(path, text)
    (found,) = editor.problems(uri, 1)
    assert found.range.start.line == 1
    assert "common.glsl, line 2" in found.message
    assert found.related_information is not None
    there = found.related_information[0].location
    assert (there.uri, there.range.start.line) == (common.as_uri(), 1)
    common.write_text("float half_of(float x) {\n    return x * 0.5;\n}\n")
    editor.edit(uri, text + "\n", 2)
    assert editor.problems(uri, 2) == []
    # Another change of it, saved: the shader is compiled again without an edit of its own.
    editor.diagnostics.pop(uri)
    common.write_text("float half_of(float x) {\n    return x * hlf;\n}\n")
    editor.save(common.as_uri())
    assert len(editor.problems(uri, 2)) == 1
    editor.close(uri)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\x01",
        "void mainImage(" * 3000,
        "((((((((" * 20000,
        "/* " + "\ud800" + " */",
        "a\x0cb\u2028c\x85d\r\re\r\nf",
        "x" * 4_000_001,
        "#define A A A\n" * 50 + "A",
    ],
    ids=["empty", "controls", "calls", "brackets", "surrogate", "line ends", "long", "macros"],
)
def test_no_text_ends_the_server(editor: LspEditor, counted: str, tmp_path: Path, text: str):
    uri = editor.open(tmp_path / "hostile.frag", text)
    assert editor.problems(uri, 1), "a text that cannot compile has no problem"
    for _ in editor.lenses(uri), editor.hints(uri):
        pass
    editor.hover(uri, 0, 3)
    editor.hover(uri, 10**6, 10**6)
    editor.ask("completion", uri, 0, 2)
    editor.ask("definition", uri, 3, 1)
    editor.ask("signature_help", uri, 0, 40)
    editor.close(uri)
    assert editor.titles(counted)


def test_the_end_takes_all_children_along(tmp_path: Path):
    with lsp_editor("--device", "llvmpipe") as editor:
        uri = editor.open(tmp_path / "ring.frag", SHADER)
        editor.until(lambda: len(editor.titles(uri)) > 2)
        children = psutil.Process(editor.process.pid).children(recursive=True)
        assert len(children) >= 3
        assert editor.leave() == 0
        _, alive = psutil.wait_procs(children, timeout=30)
        assert alive == []


def test_an_editor_that_dies_takes_the_server_along(tmp_path: Path):
    with lsp_editor("--device", "llvmpipe") as editor:
        uri = editor.open(tmp_path / "ring.frag", SHADER)
        editor.until(lambda: len(editor.titles(uri)) > 2)
        server = psutil.Process(editor.process.pid)
        everyone = [server, *server.children(recursive=True)]
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        editor.wait(editor.process.wait())
        _, alive = psutil.wait_procs(everyone, timeout=30)
        assert alive == []


def test_an_editor_connects_to_a_port():
    with subprocess.Popen(
        [sys.executable, "-m", "shaderlab", "lsp", "--tcp", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().rpartition(":")[2])
        token = server.stderr.readline().rpartition(":")[2].strip()
        address = ("127.0.0.1", port)
        silent = [socket.create_connection(address, timeout=60) for _ in range(50)]
        for strange in (
            b"G",
            b"POST / HTTP/1.1\r\n",
            b"\x16\x03\x01",
            b"Content-Length: 9e9\r\n\r\n",
            b"Content-Length: 3\r\n\r\n[1]",
        ):
            with socket.create_connection(address, timeout=60) as other:
                other.sendall(strange)
                assert _ended(other)
        asks = {"id": 1, "method": "initialize", "params": {"capabilities": {}}}
        for wrong in (None, "", token[:-1], 5):
            with socket.create_connection(address, timeout=60) as other:
                stream = other.makefile("rwb")
                params = {"capabilities": {}, "initializationOptions": {"token": wrong}}
                _send(stream, {**asks, "params": params})
                assert "initializationOptions.token" in _receive(stream)["error"]["message"]
                assert _ended(other)
        asks["params"]["initializationOptions"] = {"token": token}
        with socket.create_connection(address, timeout=60) as connection:
            stream = connection.makefile("rwb")
            _send(stream, asks)
            answer = _receive(stream)
            assert answer["result"]["capabilities"]["codeLensProvider"]
            assert answer["result"]["serverInfo"]["name"] == "shaderlab"
            _send(stream, {"id": 2, "method": "shutdown"})
            assert _receive(stream)["id"] == 2
            _send(stream, {"method": "exit"})
        assert server.wait(60) == 0
        assert all(map(_ended, silent))


def _ended(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_nothing_is_read_beside_a_file_outside_the_workspace(tmp_path: Path):
    (tmp_path / "workspace").mkdir()
    for folder in (tmp_path, tmp_path / "workspace"):
        (folder / "kept.txt").write_text("#error secret words\n")
    text = '#include "kept.txt"\n' + SHADER
    with lsp_editor("--device", "none", root=tmp_path / "workspace") as editor:
        inside = editor.open(tmp_path / "workspace/a.frag", text)
        assert "secret" in str(editor.problems(inside, 1))
        outside = editor.open(tmp_path / "a.frag", text)
        found = editor.problems(outside, 1)
        assert "secret" not in str(found)
        assert "outside the workspace" in str(found)


def _send(stream: BinaryIO, message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def _receive(stream: BinaryIO) -> dict:
    length = int(stream.readline().partition(b":")[2])
    while stream.readline().strip():
        pass
    return json.loads(stream.read(length))
