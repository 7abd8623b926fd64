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
shared float s[128];
void wait() { barrier(); }
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


def test_a_group_of_one_waits_for_nobody():
    assert warnings("if (g == 0u) { barrier(); }", HEAD.replace("= 64", "= 1")) == []


@pytest.mark.parametrize("name", sorted(kernels.KERNELS))
def test_nothing_is_said_of_our_kernels(name):
    assert kernels.program(name).diagnostics == ()
