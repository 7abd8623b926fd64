"""Warnings about barriers and shared memory: at the line, and none where nothing is wrong."""

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Severity
from tests import kernels

HEAD = """\
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { float p[]; };
layout(push_constant) uniform C { uint n; };
shared float s[128], other[128];
void wait() { barrier(); }   void outer() { wait(); }   void calm() { p[0] = 1.0; }
void main() {
    uint l = gl_LocalInvocationID.x; uint g = gl_GlobalInvocationID.x;
"""
"""Eight lines; what follows begins at line 9."""


def warnings(body: str, head: str = HEAD) -> list[tuple[int, str]]:
    program = compile_text(head + body + "\n}\n", "a.comp", None)
    return [
        (each.line, each.message)
        for each in program.diagnostics
        if each.severity is Severity.WARNING
    ]


@pytest.mark.parametrize(
    ("body", "line", "decided"),
    [
        ("if (g >= n) { return; }\nbarrier();", 10, 9),
        ("if (l == 0u) {\n barrier(); }", 10, 9),
        ("bool some = l < 7u;\nif (some && n > 3u) {\n wait(); }", 11, 9),
        ("for (uint i = l; i < n; i += 64u) {\n barrier(); }", 10, 9),
        ("if (gl_LocalInvocationIndex > 4u) { s[0] = 1.0; } else {\n barrier(); }", 10, 9),
    ],
)
def test_a_barrier_that_only_some_reach(body, line, decided):
    ((where, text),) = warnings(body)
    assert where == line
    assert f"at line {decided} depends on the invocation ID" in text


def test_a_barrier_needs_no_shared_memory_to_be_missed():
    head = HEAD.replace("shared float s[128], other[128];", "")
    ((where, text),) = warnings("if (l == 0u) {\n barrier(); }", head)
    assert where == 10
    assert "depends on the invocation ID" in text


@pytest.mark.parametrize(
    ("body", "line", "text"),
    [
        ("s[l] = p[g];\np[g] = s[l + 1u];", 10, "loads an element of s"),
        (
            "s[l] = p[g];\nbarrier();\np[g] = s[l] + s[0];\ns[l] = 2.0;",
            12,
            "stores an element of s",
        ),
        ("s[l] = p[g];\nmemoryBarrierShared();\np[g] = s[3];", 11, "stored at line 9"),
        (
            "float sum = 0.0;\nfor (uint t = 0u; t < n; t += 64u) {\n s[l] = p[t + l];\n"
            " barrier();\n for (int j = 0; j < 64; j++) { sum += s[j]; }\n}\np[g] = sum;",
            11,
            "loaded at line 13",
        ),
    ],
)
def test_a_race_in_shared_memory(body, line, text):
    ((where, said),) = warnings(body)
    assert where == line
    assert text in said


@pytest.mark.parametrize(
    "body",
    [
        "if (n > 4u) { barrier(); }",  # the same for all
        "if (gl_WorkGroupID.x == 3u) { barrier(); }",
        "if (g / 64u == 2u) { barrier(); }",
        "if (g - l < n) { barrier(); }",  # where the group begins
        "if (p[0] > 1.0) { barrier(); }",  # may be the same
        "if (gl_LocalInvocationID.y == 0u) { barrier(); }",  # one deep along y
        "for (uint i = l; i < 128u; i += 64u) { s[i] = 0.0; barrier(); }",
        "s[l] = p[g];\nbarrier();\np[g] = s[l + 1u];",
        "s[l] = p[g];\np[g] = s[l];",  # its own
        "if (l < 8u) { s[l] = s[l + 8u]; }",  # who stores does not load
        "s[l] = p[g];\nbarrier();\nfor (uint w = 32u; w > 0u; w >>= 1) {\n"
        " if (l < w) { s[l] += s[l + w]; }\n barrier();\n}\np[g] = s[0];",
    ],
)
def test_nothing_is_said_of_what_may_be_right(body):
    assert warnings(body) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # Barriers
        ("switch (int(l)) { case 0: barrier(); break; case 1: s[0] = 1.0; }", [9]),
        ("switch (int(n)) { case 0: barrier(); break; case 1: s[0] = 1.0; }", []),
        ("if (l > 3u) { if (n > 2u) { barrier(); } }", [9]),
        ("if (n > 2u) { if (l > 3u) { p[0] = 1.0; }\nbarrier(); }", []),
        ("while (true) { if (l > n) break;\nbarrier(); }", [10]),
        ("for (uint i = l; i < n; i += 32u) { p[i] = 1.0; }\nbarrier();", []),
        ("if (l == 1u) { outer(); }", [9]),
        ("if (l == 1u) { calm(); }", []),
        ("if (gl_LocalInvocationIndex == l) { barrier(); }", []),
        ("if (!(l < 4u)) {\nbarrier();\nbarrier(); }", [10, 11]),
        # Races
        ("s[l] = p[g];\np[g] = s[l - 1u];", [10]),
        ("s[l] = p[g];\np[g] = s[l + 1u - 1u];", []),
        ("s[l + 2u] = p[g];\np[g] = s[l + 2u];", []),
        ("p[g] = s[l + 1u];\ns[l] = 2.0;", [10]),
        ("s[l] = p[g];\np[g] = s[n];", []),  # n may be its own
        ("s[3] = p[g];\np[g] = s[l];", []),  # all store the same
        ("s[l] = p[g];\np[g] = s[gl_LocalInvocationIndex];", []),  # may be its own
        ("s[l] = p[g];\np[g] = s[l * 2u];", []),
        ("s[gl_LocalInvocationID.x] = p[g];\np[g] = s[gl_LocalInvocationID.x + 4u];", [10]),
        ("s[l] = p[g];\np[g] = other[l + 1u];", []),
        ("if (l == 3u) s[l] = p[g];\np[g] = s[l + 1u];", []),
        ("if (g < n) s[l] = p[g];\np[g] = s[l + 1u];", [10]),
        ("switch (n) { case 1u: s[l] = p[g]; }\np[g] = s[l + 1u];", []),
        ("s[l] = p[g]; if (n > 3u) barrier();\np[g] = s[l + 1u];", [10]),
        ("s[l] = p[g]; if (n > 3u) { barrier(); } else { wait(); }\np[g] = s[l + 1u];", []),
        ("s[l] = p[g]; outer();\np[g] = s[l + 1u];", []),
        ("s[l] = p[g]; calm();\np[g] = s[l + 1u];", [10]),
        (
            "for (uint i = 0u; i < n; i++) {\n p[g] = s[l + 1u]; barrier();\n s[l] = p[i];\n}",
            [10],
        ),
        (
            "for (uint i = 0u; i < n; i++) {\n p[g] = s[l + 1u]; barrier();\n s[l] = p[i];"
            " barrier(); }",
            [],
        ),
    ],
)
def test_lines_that_are_warned_of(body, found):
    assert [line for line, _ in warnings(body)] == found


@pytest.mark.parametrize(
    ("sizes", "axis", "found"),
    [
        ("local_size_y = 8", "y", 1),
        ("local_size_y = 8", "x", 0),
        ("local_size_z = 2", "z", 1),
        ("local_size_z = 2, local_size_y = 2", "x", 0),
        ("local_size_x_id = 3", "x", 1),  # one deep unless the application says otherwise
        ("local_size_x_id = 3", "y", 0),
        ("local_size_y_id = 3", "y", 1),
    ],
)
def test_only_axes_along_which_a_workgroup_is_wide_count(sizes, axis, found):
    head = HEAD.replace("local_size_x = 64", sizes)
    assert len(warnings(f"if (gl_LocalInvocationID.{axis} == 0u) barrier();", head)) == found


def test_what_is_wrong_is_said_in_full():
    (barrier,) = warnings("if (l > 3u) {\n wait(); }")
    assert barrier == (
        10,
        "the barrier in this call may not be reached by all invocations of a workgroup: the branch"
        " at line 9 depends on the invocation ID; the behaviour is then undefined",
    )
    ((line, race),) = warnings("s[l] = p[g];\np[g] = s[l + 1u];")
    assert (line, race) == (
        10,
        "data race: this loads an element of s that another invocation has stored at line 9, with"
        " no barrier between",
    )


def test_a_group_of_one_waits_for_nobody():
    assert warnings("if (g == 0u) { barrier(); }", HEAD.replace("= 64", "= 1")) == []


@pytest.mark.parametrize("name", sorted(kernels.KERNELS))
def test_nothing_is_said_of_our_kernels(name):
    assert kernels.program(name).diagnostics == ()
