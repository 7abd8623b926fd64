"""What a compute shader does with the integers that it is given."""

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.spirv.analysis.kernel_uses import KernelUses, Use, kernel_uses

HEAD = """\
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(std430, binding = 0) buffer Next { int next[]; };
layout(std430, binding = 1) buffer Values { float values[]; };
layout(std430, binding = 2) buffer Grid { vec4 rows[12][5]; };
layout(std430, binding = 3) buffer State { int state; int sums[6]; };
layout(push_constant) uniform Push { int n; int first; int width; ivec3 size; };
layout(constant_id = 0) const int SIDE = 9;
shared float tile[SIDE];
void main() {
    int x = int(gl_GlobalInvocationID.x); int y = int(gl_GlobalInvocationID.y);
"""
NEXT, VALUES, GRID, STATE = ((0, binding) for binding in range(4))


def compiled(body: str) -> Program:
    return compile_text(f"{HEAD}{body}\n}}\n", "kernel.comp", None)


def uses(body: str) -> KernelUses:
    found = compiled(body).kernel_uses
    assert found is not None
    return found


def said(use: Use) -> dict[str, object]:
    """What is so, and not by default."""
    return {name: value for name, value in vars(use).items() if value}


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("values[n] = 1.0;", "n", {"indexes": {"values"}, "reaches": {VALUES}}),
        (
            "values[next[first]] = 1.0;",
            "first",
            {"indexes": {"next"}, "reaches": {NEXT}},
        ),
        (
            "values[0] = rows[n][1].x;",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 12},
        ),
        (
            "values[0] = rows[1][n].x;",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 5},
        ),
        (
            "values[0] = rows[1][2][n];",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 4},
        ),
        (
            "values[0] = rows[n][n].x;",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 5},
        ),
        (
            "values[0] = rows[n * 4][1].x;",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 3},
        ),
        (
            "values[0] = rows[n * 20][1].x;",
            "n",
            {"indexes": {"rows"}, "reaches": {GRID}, "limit": 1},
        ),
        ("tile[n] = 1.0; values[x] = tile[0];", "n", {"indexes": {"tile"}, "limit": 9}),
        ("sums[n] = x;", "n", {"indexes": {"sums"}, "reaches": {STATE}, "limit": 6}),
        ("if (x >= n) return; values[0] = 1.0;", "n", {"axes": {0}}),
        ("if (n > y) values[0] = 1.0;", "n", {"axes": {1}}),
        ("if (x + y < n) values[0] = 1.0;", "n", {"axes": {0, 1}}),
        ("if (first < n) values[0] = 1.0;", "n", {}),
        ("if (x < y + n) values[0] = 1.0;", "n", {}),
        ("if (n == 7) values[0] = 1.0;", "n", {"is_compared": True, "compared": {7}}),
        ("if (3 != n || n == 5) values[0] = 1.0;", "n", {"is_compared": True, "compared": {3, 5}}),
        ("if (n == first) values[0] = 1.0;", "n", {"is_compared": True}),
        ("if (n == x) values[0] = 1.0;", "n", {}),
        ("values[y * width + x] = 1.0;", "width", {"indexes": {"values"}, "reaches": {VALUES},
                                                    "is_pitch": True}),
        ("values[width * y] = 1.0;", "width", {"indexes": {"values"}, "reaches": {VALUES},
                                                "is_pitch": True}),
        ("values[x * width] = 1.0;", "width", {"indexes": {"values"}, "reaches": {VALUES}}),
        ("values[(x + y) * width] = 1.0;", "width", {"indexes": {"values"}, "reaches": {VALUES}}),
        ("for (int i = 0; i < n; i++) values[0] += 1.0;", "n", {"ends": True, "repeats": True}),
        ("for (int i = x; i < n; i++) values[0] += 1.0;", "n", {"ends": True, "axes": {0}}),
        ("for (int i = first; i < 9; i++) values[0] += 1.0;", "first", {"starts": True}),
        ("for (int i = 0; n > i; i++) values[0] += 1.0;", "n", {"ends": True, "repeats": True}),
        ("int i = 0; while (true) { if (i++ > n) break; values[0] += 1.0; }", "n",
         {"ends": True, "repeats": True}),
        ("for (int i = n; i > 0; i -= width) values[0] += 1.0;", "width", {"starts": True}),
    ],
)  # fmt: skip
def test_a_scalar_is_used(body, name, expected):
    assert said(uses(body).of(None, name)) == expected


def test_a_comparison_in_a_loop_that_does_not_leave_it_ends_nothing():
    body = "for (int i = 0; i < first; ++i) { if (i < n) values[x] += 1.0; values[y] += 2.0; }"
    found = uses(body)
    assert (found.of(None, "first").ends, found.of(None, "n").ends) == (True, False)
    counted = "for (int i = 0; i < n; i++) values[0] += sin(values[1]);"
    made = optimized(compiled(counted))
    by_phi = kernel_uses(made.module, made.entry(), made.interface)
    assert said(by_phi.of(None, "n")) == {"ends": True, "repeats": True}


def test_an_element_that_chooses_the_next_one_is_a_link():
    found = uses("int at = next[x]; while (at > 0) at = next[at]; values[x] = float(at);")
    use = found.of(NEXT, "next")
    assert (use.links, use.reaches) == (True, {NEXT})
    assert not uses("values[next[x]] = 1.0;").of(NEXT, "next").links


def test_an_exchange_compares_with_what_it_expects():
    found = uses("atomicCompSwap(state, 7, 9); atomicCompSwap(next[n], -1, x);")
    assert said(found.of(STATE, "state")) == {"is_compared": True, "compared": {7}}
    assert found.of(NEXT, "next").compared == {0xFFFFFFFF}


def test_buffers_that_are_read_written_and_gathered_from():
    found = uses("values[next[x]] += 1.0; state = 1;")
    assert (found.read, found.written) == ({NEXT, VALUES}, {VALUES, STATE})
    assert found.gathered == {VALUES}
    rows = "for (int i = next[x]; i < next[x + 1]; i++) values[x] += rows[i][0].x;"
    assert uses(rows).gathered == set(), "from one element to the next"
    assert uses("values[n] = 1.0;").gathered == set(), "the same for all"
    assert uses("next[x] = 1; values[x] = 1.0;").gathered == set()


def test_work_that_grows_with_the_square_of_a_scalar():
    loop = "for (int i = 0; i < {}; i++) values[x] += 1.0;"
    assert uses("if (x >= n) return; " + loop.format("n")).repeated == "n"
    assert uses("if (x >= n) return; " + loop.format("width")).repeated == ""
    assert uses(loop.format("n")).repeated == ""


def test_what_nothing_is_done_with_has_no_use():
    assert said(uses("values[x] = 1.0;").of(None, "n")) == {}
