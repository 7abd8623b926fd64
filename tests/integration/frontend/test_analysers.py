"""Running optional programs of vendors: small scripts stand in that answer as documented."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.errors import ShaderlabError
from shaderlab.frontend import analysers
from shaderlab.frontend.compiler import compile_text
from shaderlab.workers.external import Analysers
from tests.processes import alive
from tests.unit.frontend.test_analysers import TABLE, report

TEXT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0.0, 1.0); }"


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!{sys.executable}\nimport pathlib, sys\narguments = sys.argv[1:]\n{body}")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def program():
    return compile_text(TEXT, "shader.frag", None)


def test_malioc_is_given_the_module_its_entry_point_and_the_core(program, tmp_path):
    seen = tmp_path / "seen"
    body = (
        f"pathlib.Path({str(seen)!r}).write_bytes(pathlib.Path(arguments[-1]).read_bytes())\n"
        "assert arguments[:4] == ['--vulkan', '--fragment', '--format', 'json']\n"
        "assert arguments[4:6] == ['--core', 'Mali-G57'], arguments\n"
        "assert arguments[-1].endswith('.frag.spv')\n"
        "print('deprecated option', file=sys.stderr, flush=True)\n"
        f"print({json.dumps(report())!r})\n"
    )
    (found,) = analysers.malioc(program, script(tmp_path / "malioc", body), "Mali-G57")
    assert found.target == "Mali-G710"
    assert seen.read_bytes() == program.spirv


def test_malioc_is_told_an_entry_point_of_another_name(program, tmp_path):
    body = f"assert arguments[4:6] == ['--name', 'other']\nprint({json.dumps(report())!r})\n"
    named = replace(program, entry_point="other")
    assert analysers.malioc(named, script(tmp_path / "malioc", body))


def test_rga_is_asked_for_each_family_by_its_llvm_name(program, tmp_path):
    body = (
        "assert arguments[:2] == ['-s', 'vk-spv-offline'] and arguments[4] == '--frag'\n"
        "gpu, table = arguments[3], pathlib.Path(arguments[arguments.index('--analysis') + 1])\n"
        f"text = {TABLE!r}.replace('gfx1100', gpu)\n"
        "table.with_name(f'{gpu}_{table.stem}_frag.csv').write_text(text)\n"
    )
    found = analysers.rga(program, script(tmp_path / "rga", body), ["navi23", "gfx1100"])
    assert [r.target for r in found] == ["gfx1032", "gfx1100"]
    assert found[0].properties["vgprs"] == 36


def test_failures_are_sentences_with_the_tools_words(program, tmp_path):
    failing = script(tmp_path / "malioc", "sys.exit('licence expired')\n")
    with pytest.raises(ShaderlabError, match="malioc failed: licence expired"):
        analysers.malioc(program, failing)
    silent = script(tmp_path / "rga", "print('Error: unknown GPU')\n")
    with pytest.raises(ShaderlabError, match="no table for gfx1032: Error: unknown GPU"):
        analysers.rga(program, silent, ["navi23"])


def test_a_tool_that_does_not_end_is_stopped(program, tmp_path, monkeypatch):
    monkeypatch.setattr(analysers, "TIMEOUT_S", 0.5)
    endless = script(tmp_path / "malioc", "import time\ntime.sleep(60)\n")
    with pytest.raises(ShaderlabError, match=r"malioc did not finish within 0\.5 s"):
        analysers.malioc(program, endless)


def test_closing_ends_the_analyser_at_work(program, tmp_path):
    started = tmp_path / "started"
    body = f"import os, time\npathlib.Path({str(started)!r}).write_text(f'{{os.getpid()}}\\n')\n"
    slow = script(tmp_path / "malioc", f"{body}time.sleep(60)\n")
    queue = Analysers()
    answer = queue.analyse(program, (), {"malioc": str(slow), "rga": ""})
    end = time.monotonic() + 20
    while not (started.exists() and started.read_text().endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.01)
    queue.close()
    assert answer.result(20).reports == ()
    assert not alive(int(started.read_text()))
