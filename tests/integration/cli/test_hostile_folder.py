"""Files that have the names of modules, in the folder that shaderlab is started in, are not run.

Every module of the standard library and of all that is installed has a namesake there, which
leaves a mark when it is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import shaderlab
from shaderlab import errors
from shaderlab.cli.commands import COMMANDS
from shaderlab.workers import pair_studies
from tests.lsp_client import lsp_editor

SHADER = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p.x); }"
KERNEL = (
    "#version 450\nlayout(local_size_x=64) in;\nlayout(set=0,binding=0) buffer B { float b[]; };\n"
    "void main() { b[gl_GlobalInvocationID.x] = 1.0; }\n"
)
MARK = """\
import os
with open({path!r}, "a") as file:
    file.write(f"{{__name__}} in {{open('/proc/self/cmdline').read()!r}}\\n")
"""
SMALL = ("--size", "16x16")
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "compile": (("a.frag",),),
    "render": (("a.frag", "-o", "a.png", *SMALL),),
    "trace": (("a.frag", *SMALL),),
    "profile": (("a.frag", *SMALL, "--json"),),
    "inputs": (("a.frag",),),
    "import": (("a.json", "-o", "a.shaderlab.toml"),),
    "predict": (("a.frag", *SMALL),),
    "targets": ((),),
    "check": (("a.frag", *SMALL),),
    "capture": (("a.rdc",), ("--run", "true")),
    "scale": (("a.frag", "--over", "size", "--trials", "1", "--draws", "1"),),
    "sweep": (("a.frag", "iTime=0,1", *SMALL),),
    "explore": (("a.frag", "--family", "navi21", *SMALL),),
    "occupancy": (("a.comp",),),
    "report": (("a.frag", "-o", "report", *SMALL),),
    "evaluate": (("--method", "additive"),),
    "pairs": (("--host", "samples", "--target", "samples"),),
    "compiled": (("a.frag", "--target", "navi21"),),
    "compilers": (("status",),),
    "calibrate": (("--device", "none"),),
    "record": (("a.frag", "--to", "samples", *SMALL),),
    "dataset": (("stats", "samples"), ("pull", "https://127.0.0.1:1/a")),
    "campaign": (("corpus", "--to", "measured", "--limit", "1", "--trials", "1", *SMALL),),
    "lsp": (("--help",),),  # below with an editor
    "doctor": ((),),
    "version": ((),),
}
"""At least one call of every command; those that may fail do so behind what they start."""


def installed() -> set[str]:
    names = {*metadata.packages_distributions(), *sys.stdlib_module_names}
    return {each for each in names if each.isidentifier()} | {
        "renderdoc", "sitecustomize", "usercustomize", "torch", "ray", "shaderlab",
    }  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in installed():
        (folder / f"{name}.py").write_text(MARK.format(path=str(tmp_path / "mark")))
    (folder / "a.frag").write_text(SHADER)
    (folder / "a.comp").write_text(KERNEL)
    (folder / "a.json").write_text("{}")
    # As far as the first section of a capture, so that RenderDoc is asked for it.
    (folder / "a.rdc").write_bytes(b"RDOC" + bytes(60))
    (folder / "corpus").mkdir()
    (folder / "corpus/a.frag").write_text(SHADER)
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """As pip writes it into an environment's `bin`."""
    path = tmp_path / "bin" / "shaderlab"
    path.parent.mkdir()
    path.write_text(
        "import sys\nfrom shaderlab.cli import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    return path


def ran(hostile: Path) -> str:
    mark = hostile.parent / "mark"
    return mark.read_text().replace("\\x00", " ") if mark.exists() else ""


def call(hostile: Path, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *command], cwd=hostile, capture_output=True, text=True, timeout=300
    )
    assert "Traceback" not in done.stderr, (command, done.stderr)
    return done


def test_every_command_is_called() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("name", CALLS)
def test_a_command_runs_no_file_of_its_folder(name: str, hostile: Path, script: Path) -> None:
    for words in CALLS[name]:
        call(hostile, str(script), name, *words)
        assert not ran(hostile)


def test_it_answers_as_anywhere_else(hostile: Path, script: Path) -> None:
    done = call(hostile, str(script), "predict", "a.frag", *SMALL)
    assert done.returncode == 0
    assert "llvmpipe" in done.stdout


def test_neither_does_the_module(hostile: Path) -> None:
    """But for what Python itself looks for before it has found the module."""
    loaded = "import runpy, sys, shaderlab; print(*{n.partition('.')[0] for n in sys.modules})"
    before = subprocess.check_output([sys.executable, "-P", "-c", loaded], text=True)
    for name in before.split():
        (hostile / f"{name}.py").unlink(missing_ok=True)
    package = str(Path(shaderlab.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", "predict", "a.frag", *SMALL],
        cwd=hostile, env={**os.environ, "PYTHONPATH": package}, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not ran(hostile)


def test_nor_the_language_server_that_an_editor_starts_there(
    hostile: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    with lsp_editor(program=(sys.executable, str(script))) as editor:
        uri = editor.open(hostile / "a.frag", SHADER)
        assert editor.until(lambda: editor.titles(uri))
    assert not ran(hostile)


def test_nor_the_judging_of_a_pair(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile)
    with pytest.raises(errors.WrongUse):
        pair_studies.judged(Path("a.frag"), Path("a.frag"), lambda _: None, lambda: False)
    assert not ran(hostile)
