"""Random programs on real drivers: counts are those of the same program run in Python, or the trace
says why not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.tracing import trace
from shaderlab.scene.draw import DrawState
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.trace import SourceLine

SIZE = (16, 8)
PIXELS = [(x, y) for y in range(SIZE[1]) for x in range(SIZE[0])]


class Statement(NamedTuple):
    """`first`, `second`: the numbers in it."""

    kind: str
    first: int = 0
    second: int = 0
    inside: tuple[Statement, ...] = ()


class Endless(Exception):
    """An invocation is in a loop where it was before."""


JUMPS = ("break", "continue", "return", "discard")
NOTHING: st.SearchStrategy[tuple[Statement, ...]] = st.just(())


def _statement(
    kind: str,
    first: tuple[int, int],
    second: tuple[int, int] = (0, 0),
    inside: st.SearchStrategy[tuple[Statement, ...]] = NOTHING,
) -> st.SearchStrategy[Statement]:
    parts = st.tuples(st.integers(*first), st.integers(*second), inside)
    return parts.map(lambda each: Statement(kind, *each))


SIMPLE = st.one_of(
    _statement("assign", (1, 7), (0, 63)),
    _statement("fall", (0, 9)),
    st.sampled_from(JUMPS).map(Statement),
)


def _blocks(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    bodies = st.lists(inner, min_size=1, max_size=4).map(tuple)
    return st.one_of(
        _statement("for", (0, 5), inside=bodies),
        _statement("while", (0, 60), inside=bodies),
        _statement("if", (2, 9), (1, 5), bodies),
    )


_nested = SIMPLE
for _ in range(3):
    _nested = st.one_of(SIMPLE, _blocks(_nested))
PROGRAMS = st.lists(_nested, min_size=1, max_size=5)
TEXTS = {
    "assign": "a = (a * {} + b + {}) & 63; b = (b * 5 + a) & 63;",
    "fall": "a = max(a - {}, 0);",
    "for": "for (int {name} = 0; {name} < {}; {name}++) {{",
    "while": "while (a > {}) {{",
    "if": "if (b % {} < {}) {{",
} | {jump: f"{jump};" for jump in JUMPS}


PIXEL = (
    "void mainImage(out vec4 c, in vec2 p) { int a = int(p.x), b = int(p.y); c = vec4(0.0);",
    "c = vec4(a, b, 0, 1); }",
    1,
)
CALLED = (
    "void step(inout int a, inout int b) {",
    "} void mainImage(out vec4 c, in vec2 p) { int a = int(p.x), b = int(p.y);\n"
    "for (int n = 0; n < 2; n++) step(a, b);\nc = vec4(a, b, 0, 1); }",
    2,
)
COMPUTE = (
    "#version 450\nlayout(local_size_x = 16, local_size_y = 8) in;\n"
    "layout(set = 0, binding = 0) buffer Result { int result[]; };\n"
    "void main() { int a = int(gl_LocalInvocationID.x), b = int(gl_LocalInvocationID.y);",
    "result[gl_LocalInvocationIndex] = a + b; }",
    1,
)
"""What is above and below the statements, and how often an invocation goes through them."""


class Written:
    """The text of a program, and on which line each statement is."""

    def __init__(self, program: list[Statement], above: str, below: str):
        self._has_discard = "gl_Local" not in above
        self.lines = above.split("\n")
        self.line_of: dict[tuple[int, ...], int] = {}
        """By indices of the statements around it, and its own."""
        self._write(program, (), in_loop=False)
        self.lines.append(below)

    def _write(self, body: list[Statement], path: tuple[int, ...], *, in_loop: bool) -> None:
        for number, each in enumerate(body):
            here = (*path, number)
            if each.kind in ("break", "continue") and not in_loop:
                continue
            if each.kind == "discard" and not self._has_discard:
                continue
            numbers = (each.first, each.second)
            self.lines.append(TEXTS[each.kind].format(*numbers, name=f"i{len(path)}"))
            self.line_of[here] = len(self.lines)
            if each.inside:
                is_loop = each.kind != "if"
                self._write(list(each.inside), here, in_loop=in_loop or is_loop)
                self.lines.append("}")


class Invocation:
    """One pixel of a program, in Python."""

    def __init__(self, written: Written, pixel: tuple[int, int]):
        self._written = written
        self._a, self._b = pixel
        self.runs: Counter[int] = Counter()
        """Of statements without any inside, by line."""

    def run(self, body: tuple[Statement, ...], path: tuple[int, ...] = ()) -> str:
        """How the body is left: by one of the jumps, or "" at its end.  Raises Endless."""
        for number, each in enumerate(body):
            here = (*path, number)
            line = self._written.line_of.get(here)
            if line is None:
                continue
            if each.inside:
                left = self._block(each, here)
            else:
                self.runs[line] += 1
                left = self._simple(each)
            if left:
                return left
        return ""

    def _simple(self, each: Statement) -> str:
        if each.kind == "assign":
            self._a = self._a * each.first + self._b + each.second & 63
            self._b = self._b * 5 + self._a & 63
        elif each.kind == "fall":
            self._a = max(self._a - each.first, 0)
        else:
            return each.kind
        return ""

    def _block(self, each: Statement, here: tuple[int, ...]) -> str:
        if each.kind == "if":
            return self.run(each.inside, here) if self._b % each.first < each.second else ""
        done = 0
        seen: set[tuple[int, int]] = set()
        while done < each.first if each.kind == "for" else self._a > each.first:
            if each.kind == "while" and (self._a, self._b) in seen:
                raise Endless
            seen.add((self._a, self._b))
            left = self.run(each.inside, here)
            if left == "break":
                break
            if left in ("return", "discard"):
                return left
            done += 1
        return ""


@pytest.mark.parametrize("around", [PIXEL, CALLED, COMPUTE], ids=["pixel", "called", "compute"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=PROGRAMS)
def test_counts_are_those_of_the_same_program_in_python(
    device: Device, around: tuple[str, str, int], program: list[Statement]
):
    above, below, times = around
    written = Written(program, above, below)
    text = "\n".join(written.lines)
    expected: Counter[int] = Counter()
    endless = 0
    for pixel in PIXELS:
        invocation = Invocation(written, pixel)
        try:
            for _ in range(times):
                if invocation.run(tuple(program)) == "discard":
                    break
        except Endless:
            endless += 1
        expected += invocation.runs
    state = replace(DrawState.of(SIZE), launch=LaunchChoice(groups=(1, 1, 1)))
    found = trace(device, state.draw(compile_text(text, "random", None)))
    assert found.runs_of("main") + found.lost == len(PIXELS)
    assert bool(found.notes) == bool(endless), text
    if not endless:
        counted = found.line_counts
        counts = {line: counted.get(SourceLine("", line), 0) for line in expected}
        assert counts == dict(expected), text
