"""Whatever runs a program of the user's is known here: a GPU cannot stop one that never ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import shaderlab

SOURCES = Path(shaderlab.__file__).parent
WITHOUT_ASKING = {
    ("gpu/vulkan/buffer_sizes.py", "_run"): "`record_indices` bounds it",
    ("gpu/vulkan/compute_tracing.py", "windows"): "`instrument_compute` bounds it",
    ("gpu/vulkan/drawing.py", "bounded_drawing"): "`bounded_form` of each stage, else it asks",
    ("gpu/vulkan/pixel_values.py", "_drawn"): "`_of_draw` asks: it runs with no bounds",
    (
        "gpu/vulkan/tracing.py",
        "__init__",
    ): "`instrument` bounds it, `bounded_form` its vertices",
    ("gpu/vulkan/vertex_tracing.py", "trace_vertex"): "`counting_vertex` bounds it",
}
"""Who gives `Drawing` or `Dispatching` a module in place of the program, which those do not ask
about as of a program as it is (`ended.require_known`), and what ends it."""
PIPELINES = {  # of which the last draws with shaders of ours alone
    ("gpu/vulkan/dispatching.py", "compute_pipeline"),
    ("gpu/vulkan/fetched_vertices.py", "_pipeline"),
    ("gpu/vulkan/pipeline.py", "__init__"),
    ("gpu/vulkan/sample_copies.py", "__init__"),
}
USERS = {
    ("compute_pipeline", "gpu/compilers/compiler.py"): "drivers that run nothing",
    ("compute_pipeline", "gpu/vulkan/dispatching.py"): "`Dispatching` asks",
    ("_pipeline", "gpu/vulkan/fetched_vertices.py"): "`trace_fetched` asks, counts with bounds",
    ("Pipeline", "gpu/compilers/compiler.py"): "drivers that run nothing",
    ("Pipeline", "gpu/vulkan/raw_drawing.py"): "whoever draws it raw says why",
    ("RawDrawing", "gpu/vulkan/loop_limit.py"): "a shader of ours, one pixel, on software devices",
}
"""Who has pipelines made."""


def _calls() -> Iterator[tuple[str, str, str, set[str]]]:
    """Of each call: the file, the function it is in, what is called, its keywords."""
    for path in SOURCES.rglob("*.py"):
        file = path.relative_to(SOURCES).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for owner in ast.walk(tree):
            if not isinstance(owner, ast.FunctionDef):
                continue
            for each in ast.walk(owner):
                if isinstance(each, ast.Call):
                    named = each.func
                    name = getattr(named, "id", getattr(named, "attr", ""))
                    yield file, owner.name, name, {str(word.arg) for word in each.keywords}


def test_who_runs_a_module_without_asking_is_registered() -> None:
    instead = {"instrumented", "instrumented_vertex"}
    found = {
        (file, owner)
        for file, owner, name, words in _calls()
        if name in ("Drawing", "Dispatching") and words & (instead | {"None"})
    }
    assert found == set(WITHOUT_ASKING), "say what ends it"


def test_pipelines_are_made_where_somebody_asks() -> None:
    makers = {
        (path.relative_to(SOURCES).as_posix(), owner.name)
        for path in (SOURCES / "gpu").rglob("*.py")
        for owner in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(owner, ast.FunctionDef)
        for each in ast.walk(owner)
        if isinstance(each, ast.Attribute)
        and each.attr in ("vkCreateGraphicsPipelines", "vkCreateComputePipelines")
    }
    assert makers == PIPELINES
    users = {
        (name, file)
        for file, _, name, _ in _calls()
        if name in ("compute_pipeline", "_pipeline", "Pipeline", "RawDrawing")
        and file.startswith("gpu/")
    }
    assert users == set(USERS), "ask `ended.require_known` before it runs"
