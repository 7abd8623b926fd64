"""No module or room of the package imports, by whatever way, what imports it.

Read from the source: imports inside functions and under TYPE_CHECKING count like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

import shaderlab

SOURCE = Path(shaderlab.__file__).parent
ROOMS_OF_APP = (
    "shell",
    "panels",
    "documents",
    "editor",
    "session",
    "settings",
    "storage",
    "widgets",
    "qt",
    "early",
)
"""From the top: each imports none above it."""

Graph = Mapping[str, Iterable[str]]


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package in a folder, by its full name."""
    found = {}
    for path in source.rglob("*.py"):
        parts = path.relative_to(source.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Iterable[str]) -> Iterator[str]:
    """Those of the known modules that a file imports, absolutely as everywhere here."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in known or node.module in known:
                    yield name if name in known else node.module


def import_graph(source: Path) -> dict[str, set[str]]:
    """What each module imports of its own package."""
    known = modules(source)
    return {name: set(imported(path, known)) - {name} for name, path in known.items()}


def grouped(graph: Graph, room_of: Mapping[str, str]) -> dict[str, set[str]]:
    """The same between rooms; modules that are in none are left out."""
    rooms: dict[str, set[str]] = {room: set() for room in room_of.values()}
    for module, targets in graph.items():
        for target in targets:
            here, there = room_of.get(module), room_of.get(target)
            if here and there and here != there:
                rooms[here].add(there)
    return rooms


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """A shortest way around for every set of nodes that all reach each other."""
    reach = {node: _reachable(graph, node) for node in graph}
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for node in sorted(graph):
        if node in reach[node]:
            members = frozenset(other for other in reach[node] if node in reach[other])
            if members not in found:
                found[members] = _way_back(graph, node)
    return list(found.values())


def _reachable(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    open_ = list(graph.get(start, ()))
    while open_:
        node = open_.pop()
        if node not in seen:
            seen.add(node)
            open_ += graph.get(node, ())
    return seen


def _way_back(graph: Graph, start: str) -> tuple[str, ...]:
    ways: list[tuple[str, ...]] = [(start,)]
    for way in ways:  # grows while it is gone through: breadth first
        for target in sorted(graph.get(way[-1], ())):
            if target == start:
                return (*way, start)
            if target not in way:
                ways.append((*way, target))
    raise AssertionError(f"{start} is in no circle")


GRAPH = import_graph(SOURCE)


def test_no_module_imports_itself_by_way_of_others():
    found = circles(GRAPH)
    assert found == [], "\n".join(" -> ".join(way) for way in found)


def test_rooms_of_the_window_are_a_ladder():
    known = {name for name in GRAPH if name.startswith("shaderlab.app.")}
    room_of = {name: name.split(".")[2] for name in known}
    assert set(room_of.values()) == set(ROOMS_OF_APP)
    rooms = grouped(GRAPH, room_of)
    assert circles(rooms) == []
    upward = [
        f"{room} -> {target}"
        for room, targets in rooms.items()
        for target in targets
        if ROOMS_OF_APP.index(target) < ROOMS_OF_APP.index(room)
    ]
    assert upward == []


def test_panels_know_nothing_of_each_other():
    panel_of = {
        name: name.split(".")[3] for name in GRAPH if name.startswith("shaderlab.app.panels.")
    }
    rooms = grouped(GRAPH, panel_of)
    assert {panel: targets for panel, targets in rooms.items() if targets} == {}


def test_circles_are_found_and_named(tmp_path):
    package = tmp_path / "made"
    package.mkdir()
    for name, text in {
        "__init__": "",
        "a": "from made.b import thing",
        "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from made import c",
        "c": "def later():\n    import made.a",
        "d": "import made.a\nimport os",
    }.items():
        (package / f"{name}.py").write_text(text)
    graph = import_graph(package)
    assert graph["made.d"] == {"made.a"}
    assert circles(graph) == [("made.a", "made.b", "made.c", "made.a")]
    rooms = {"made.a": "low", "made.b": "high", "made.c": "low"}
    assert circles(grouped(graph, rooms)) == [("high", "low", "high")]


STARTS = {
    "shaderlab.system.process_group": "subprocess",
    "shaderlab.workers.supervisor.child_process": "multiprocessing",
    "shaderlab.workers.supervisor.reloading": "os.execve subprocess",
    "shaderlab.gpu.radv.probe": "os.fork",
    "shaderlab.app.editor.formatting": "QProcess",
    "shaderlab.campaigns.ray_connection": "ray.init",
}
"""Who may start a process, and by what; all else goes through `system.process_group`."""
ASKS_FOR_THE_INTERPRETER = {
    "shaderlab.system.process_group",
    "shaderlab.workers.supervisor.reloading",
    "shaderlab.captures.finding",
    "shaderlab.cli.version",
    "shaderlab.cli.doctor",
}


STARTING = re.compile(
    r"^(?P<what>subprocess)(?!$|\.(DEVNULL|PIPE|TimeoutExpired|Popen)$)"
    r"|^from (?P<from>subprocess)"
    r"|^(from )?(?P<pool>multiprocessing)"
    r"(?!\.(connection|reduction|shared_memory|parent_process|process|resource_tracker)\b)"
    r"|(?P<other>^(from )?(os|posix)\.(exec|spawn|fork|posix_spawn|system|popen|startfile)\w*"
    r"|^ray\.init$|^sys\.executable$|\b(QProcess|ProcessPoolExecutor|runpy|pty)$"
    r"|\bcreate_subprocess_\w+$)"
)


def starts(text: str) -> set[str]:
    """By what a module's text could start a process."""
    names = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"from {node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute):
            names.add(ast.unparse(node))
        elif isinstance(node, ast.Call):
            names.add(f"{ast.unparse(node.func)}()")
            names |= {f"{each.value}()" for each in node.args if isinstance(each, ast.Constant)}
    found = filter(None, map(STARTING.search, names))
    return {next(filter(None, each.groupdict().values())).removeprefix("from ") for each in found}


def test_no_second_way_starts_a_process():
    """What starts a Python elsewhere runs files of the folder that the user stands in."""
    for name, path in modules(SOURCE).items():
        found = starts(path.read_text(encoding="utf-8"))
        if "sys.executable" in found:
            assert name in ASKS_FOR_THE_INTERPRETER, f"{name}: say `process_group.python`"
        found -= {"sys.executable", *STARTS.get(name, "").split()}
        assert not found, f"{name} starts processes by {found}: use `system.process_group`"


@pytest.mark.parametrize("name", ["setup.sh", "compilers.sh", "github-action/action.yml"])
def test_scripts_that_run_in_a_users_folder_start_pythons_isolated(name: str):
    """`run.sh`, which an editor may start, reads the first."""
    text = (SOURCE.parent.parent / "packaging" / name).read_text(encoding="utf-8")
    found = re.findall(r"(?:python3?|candidate|find_python\)|python\))\"? (-\S*)", text)
    assert found
    assert set(found) <= {"-I", "-P"}


def test_temporary_folders_are_those_that_the_next_start_removes():
    """But for the one beside a new store, which is renamed onto the store's place, and those whose
    whole contents Ray copies to other machines."""
    others = ("system.scratch", "samples.new_store", "laboratory.ray_engine")
    for name, path in modules(SOURCE).items():
        if name.removeprefix("shaderlab.") not in others:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"TemporaryDirectory|mkdtemp", text), f"{name}: `system.scratch`"


def test_every_way_of_starting_one_is_seen():
    for text in (
        "import subprocess\nsubprocess.run([])",
        "import subprocess\nf = subprocess.check_output",
        "from subprocess import Popen",
        "import multiprocessing",
        "from multiprocessing import get_context",
        "from multiprocessing.pool import Pool",
        "from concurrent.futures import ProcessPoolExecutor",
        "import concurrent.futures\nconcurrent.futures.ProcessPoolExecutor()",
        "import os\nos.posix_spawn('a', [], {})",
        "from os import execv",
        "import asyncio\nasyncio.create_subprocess_exec('a')",
        "import importlib\nimportlib.import_module('subprocess')",
        "import sys\nrun([sys.executable])",
        "import runpy",
        "QtCore.QProcess(self)",
        "ray.init()",
    ):
        assert starts(text), text
    harmless = (
        "import subprocess\nx: subprocess.Popen[bytes]\nexcept_ = subprocess.TimeoutExpired\n"
        "from multiprocessing.connection import wait\nimport os\nos.environ\n"
    )
    assert not starts(harmless)
