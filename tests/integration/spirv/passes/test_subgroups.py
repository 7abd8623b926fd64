"""Which compute shaders get subgroups of another size, and which are left as they are."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.subgroups import emulated, uses_subgroups

HEAD = """\
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(push_constant) uniform Pushed { uint n; uint rounds[4]; };
shared uint part[64];
uint total(uint v) { return subgroupAdd(v); }
void changed(inout uint v) { v += gl_LocalInvocationID.x; }
"""
AT = "uint at = gl_LocalInvocationID.x;"


def made(body: str, local: tuple[int, int, int] = (64, 1, 1), size: int = 32) -> bytes | None:
    text = f"{HEAD.replace('= 64) in', f'= {local[0]}) in')}void main() {{ {AT} {body} }}"
    program = compile_text(text, "made-for-the-test.comp", None)
    assert uses_subgroups(program.module)
    return emulated(program.module, program.entry_point, local, size)


def validate(spirv: bytes) -> None:
    """As far as there is a validator."""
    if shutil.which("spirv-val"):
        command = ["spirv-val", "--target-env", "vulkan1.2", "-"]
        done = subprocess.run(command, input=spirv, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "body",
    [
        "result[at] = subgroupAdd(at);",
        "if (n > 3u) result[at] = subgroupAdd(at);",
        "for (uint i = 0u; i < n; i++) result[at] += subgroupAdd(at + i);",
        "for (uint i = 0u; i < result[0]; i++) result[at] += subgroupAdd(at + i);",
        "if (gl_WorkGroupID.x == 3u) result[at] = subgroupAdd(at);",
        "if (gl_GlobalInvocationID.y == 3u) result[at] = subgroupAdd(at);",
        "uint y = gl_LocalInvocationID.y; if (y == 0u) result[at] = subgroupAdd(at);",
        "switch (rounds[n]) { case 1u: result[at] = subgroupAdd(at); break; }",
        "result[at] = total(at) + total(at + 1u);",
        "part[at] = at; barrier(); if (part[3] == 3u) result[at] = subgroupAdd(at);",
        "if (at > 5u) result[at] = 1u; result[at] += subgroupAdd(at);",
        "if (at > 5u) result[at] = gl_SubgroupSize;",
        "if (at > 5u) result[at] = subgroupBallotBitCount(uvec4(at, 0u, 0u, 0u));",
        "part[at] = at; subgroupBarrier(); result[at] = part[at ^ gl_SubgroupSize / 2u];",
        "subgroupMemoryBarrierShared(); result[at] = gl_SubgroupID;",
    ],
)
@pytest.mark.parametrize("size", [16, 32, 64])
def test_what_all_invocations_reach_is_emulated(body, size):
    found = made(body, size=size)
    assert found is not None
    validate(found)


@pytest.mark.parametrize(
    "body",
    [
        "if (at > 5u) result[at] = subgroupAdd(at);",
        "if (at > 5u) result[at] = total(at);",
        "if (at > 5u) result[at] = uint(subgroupElect());",
        "if (at > 5u) subgroupBarrier(); result[at] = gl_SubgroupSize;",
        "if (at >= n) return; result[at] = subgroupAdd(at);",
        "for (uint i = 0u; i < at; i++) result[at] += subgroupAdd(at);",
        "for (uint i = 0u; i < n; i++) { if (i == at) break; result[at] += subgroupAdd(at); }",
        "uint m = n; if (at > 5u) m = 7u; if (m == 7u) result[at] = subgroupAdd(at);",
        "uint m = n; changed(m); if (m == 7u) result[at] = subgroupAdd(at);",
        "uint m = 0u; while (m < at) m++; if (m == 7u) result[at] = subgroupAdd(at);",
        "uint m = atomicAdd(part[0], 1u); if (m == 0u) result[at] = subgroupAdd(at);",
        "if (part[at] == 1u) result[at] = subgroupAdd(at);",
        "if (rounds[at] == 1u) result[at] = subgroupAdd(at);",
        "if (subgroupAdd(at) > 900u) result[at] = subgroupAdd(at);",
        "if (gl_SubgroupID == 1u) result[at] = subgroupAdd(at);",
        "if (gl_LocalInvocationID[n] == 1u) result[at] = subgroupAdd(at);",
        "float whole; float rest = modf(float(at), whole); if (whole > 5.0) "
        "result[at] = subgroupAdd(at);",
    ],
)
def test_what_only_some_may_reach_is_left_as_it_is(body):
    assert made(body) is None


def test_a_subgroup_that_is_the_whole_workgroup_decides_together():
    body = "if (subgroupAdd(at) > 900u) result[at] = subgroupAdd(at);"
    found = made(body, (32, 1, 1))
    assert found is not None
    assert (
        made("if (subgroupInclusiveAdd(at) > 9u) result[at] = subgroupAdd(at);", (32, 1, 1)) is None
    )


def test_shared_memory_that_would_not_fit_is_not_asked_for():
    body = "vec4 v = vec4(at); result[at] = uint(subgroupAdd(v).x + subgroupAdd(ivec4(v)).x);"
    assert made(body, (512, 1, 1)) is not None
    assert made(body, (1024, 1, 1)) is None


def test_blocks_keep_their_labels():
    text = f"{HEAD}void main() {{ {AT} if (n > 2u) result[at] = total(at); }}"
    program = compile_text(text, "made-for-the-test.comp", None)
    found = emulated(program.module, program.entry_point, (64, 1, 1))
    assert found is not None
    after = Module.parse(found)
    labels = [[block.label for block in each.blocks] for each in after.functions]
    assert labels == [[block.label for block in each.blocks] for each in program.module.functions]
