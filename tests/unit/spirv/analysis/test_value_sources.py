"""What values are made of; those made of themselves, again and again, take a bounded time."""

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.spirv.analysis.value_sources import WITHIN_GROUP, Sources, ValueSources
from shaderlab.spirv.reflection import reflect


def program(body: str) -> Program:
    head = (
        "#version 450\nlayout(local_size_x = 64) in;\nshared int held[64];\n"
        "layout(std430, binding = 0) buffer Data { int data[]; };\n"
    )
    return compile_text(f"{head}void main() {{\n{body}\n}}\n", "kernel.comp", None)


def warnings(body: str) -> list[int]:
    return [each.line for each in program(body).diagnostics]


def test_a_loop_that_counts_down_by_the_invocation_holds_its_barrier_apart():
    loop = "for (int i = int(gl_LocalInvocationID.x); i > data[0]; i -= 32)\n  barrier();"
    assert warnings(loop) == [7]


def test_a_chain_of_differences_is_followed():
    lines = [f"int x{n + 1} = x{n} - data[{n}];" for n in range(400)]
    chain = ["int x0 = int(gl_LocalInvocationID.x);", *lines, "if (x400 > 3)", "  barrier();"]
    assert warnings("\n".join(chain)) == [4 + len(chain) + 1]


def test_vectors_with_many_stores_are_looked_into_once():
    lines = ["v = v + ivec2(data[v.x], data[v.y]);" for _ in range(40)]
    body = "\n".join(["ivec2 v = ivec2(gl_GlobalInvocationID.xy);", *lines, "data[v.x] = v.y;"])
    (use,) = program(body).kernel_uses.by_value.values()
    assert use.links


def test_the_stores_of_a_variable_are_followed_once_for_all_its_loads():
    lines = [f"x = x - data[x]; if (x < {n}) x += held[x];" for n in range(150)]
    body = "\n".join(["int x = int(gl_LocalInvocationID.x);", *lines, "data[x] = 1;"])
    (use,) = program(body).kernel_uses.by_value.values()
    assert use.links


HEAD = """\
#version 450
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
struct Item { int next; uint flags[3]; ivec2 at; };
layout(std430, set = 1, binding = 2) buffer Items { int count; Item items[]; };
layout(std430, binding = 3) buffer Plain { uint plain[]; };
layout(push_constant) uniform Push { int width; ivec3 size; };
layout(std430, binding = 4) buffer Result { int result; };
shared int held[64];
int twice(int x) { return x * 2; }
int either(bool first, int a, int b) { if (first) return a; return b; }
int outer(int x) { return twice(x) + width; }
void main() {
    uvec3 g = gl_GlobalInvocationID; uvec3 l = gl_LocalInvocationID;
"""


def made_of(body: str, value: str, numbers: frozenset[int] | None = None) -> Sources:
    """Of what is stored as the result."""
    text = f"{HEAD}{body}\nresult = int({value});\n}}\n"
    module = compile_text(text, "kernel.comp", None).module
    entry = module.entry_points[0]
    interface = reflect(module, entry)
    given = () if numbers is None else (numbers,)
    found = ValueSources(module, entry, interface, *given)
    (result,) = [each.variable for each in interface.resources if each.descriptor == (0, 4)]
    ((_, stored),) = found.stores[result]
    return found.of(stored)


def blocks(found: Sources) -> dict[str, int]:
    """Largest factor by name, with the set and binding of what is no push constant."""
    return {
        path if place is None else f"{path} of {place[0]}.{place[1]}": factor
        for (place, path), factor in found.leaves.items()
    }


@pytest.mark.parametrize(
    ("body", "value", "leaves"),
    [
        ("", "width", {"width": 1}),
        ("", "width * 4", {"width": 4}),
        ("", "4 * width", {"width": 4}),
        ("", "width * width", {"width": 1}),
        ("", "(width * 3) * 5", {"width": 15}),
        ("", "width << 3", {"width": 8}),
        ("", "width << count", {"width": 1}),
        ("", "width << 40", {"width": 1 << 31}),
        ("", "width * 3 + width * 7 - width", {"width": 7}),
        ("", "width / count", {"width": 1}),
        ("", "plain[width] >> 2", {"plain of 0.3": 1}),
        ("", "width % 5", {}),
        ("", "-width | count", {"width": 1, "count of 1.2": 1}),
        ("", "width ^ ~count", {"width": 1}),
        ("", "float(width)", {}),
        ("", "uint(count) + plain[0]", {"count of 1.2": 1, "plain of 0.3": 1}),
        ("", "items[3].next", {"items.next of 1.2": 1}),
        ("", "items[count].flags[1]", {"items.flags of 1.2": 1}),
        ("", "items[0].at.y", {"items.at of 1.2": 1}),
        ("", "size.z", {"size": 1}),
        ("ivec3 s = size;", "s.y", {"size": 1}),
        ("ivec2 s = size.zx;", "s.y * 2", {"size": 2}),
        ("ivec3 s = ivec3(width, count, 1);", "s.x", {"width": 1}),
        ("ivec3 s = ivec3(width, count, 1);", "s.y", {"count of 1.2": 1}),
        ("ivec3 s = ivec3(width, count, 1);", "s.z", {}),
        ("ivec2 s = ivec2(width, count) + ivec2(1, 2);", "s.y", {"count of 1.2": 1}),
        ("ivec2 s = ivec2(1, count); s.x = width;", "s.x", {"width": 1, "count of 1.2": 1}),
        ("int kept[2]; kept[0] = width; kept[1] = count;", "kept[0]",
         {"width": 1, "count of 1.2": 1}),
        ("", "twice(width)", {"width": 2}),
        ("", "outer(count)", {"count of 1.2": 2, "width": 1}),
        ("", "either(count > 3, width, 2)", {"width": 1}),
        ("", "count > 3 ? width * 2 : items[1].next", {"width": 2, "items.next of 1.2": 1}),
        ("", "atomicAdd(count, width)", {"count of 1.2": 1}),
        ("", "atomicAdd(plain[3], 2u)", {"plain of 0.3": 1}),
        ("", "atomicExchange(count, 3)", {}),
        ("held[3] = width; barrier();", "held[l.x]", {"width": 1}),
    ],
)  # fmt: skip
def test_a_value_is_made_of_values_in_blocks(body, value, leaves):
    assert blocks(made_of(body, value)) == leaves


@pytest.mark.parametrize(
    ("body", "value", "axes"),
    [
        ("", "g.x", {0}),
        ("", "g.y + 1u", {1}),
        ("", "gl_GlobalInvocationID.z * 4u", {2}),
        ("", "gl_WorkGroupID.y", {1}),
        ("", "gl_WorkGroupID[count]", {0, 1, 2}),
        ("uvec3 w = gl_WorkGroupID;", "w.zxy.y", {0}),
        ("uvec2 w = g.zy + uvec2(1u);", "w.x", {2}),
        ("", "l.x", set()),
        ("", "gl_LocalInvocationIndex", set()),
        ("", "g.x / 64u + (g.y >> 3)", {0, 1}),
        ("", "g.x - l.x", {0}),
        ("", "uvec4(g, 1u).y", {1}),
        ("", "uvec4(g, 1u).w", set()),
    ],
)
def test_a_value_depends_on_axes_of_the_dispatch(body, value, axes):
    assert made_of(body, value).axes == axes


@pytest.mark.parametrize(
    ("body", "value", "axes"),
    [
        ("", "l.y", {1}),
        ("", "g.z", {2}),
        ("", "gl_WorkGroupID.x", set()),
        ("", "gl_LocalInvocationIndex", {0, 1, 2}),
        ("", "g.x / 64u", set()),
        ("", "g.x >> 3", set()),
        ("", "g.x - l.x", set()),
        ("", "g.x - 5u", {0}),
        ("", "g.x - gl_WorkGroupID.x", {0}),
        ("", "5u - l.y", {1}),
        ("uint x = g.x; uint y = l.x;", "(x - y) - (y - x)", set()),
        ("uint x = g.x;", "(x - plain[0]) - plain[1]", {0}),
    ],
)
def test_a_value_differs_within_a_workgroup(body, value, axes):
    assert made_of(body, value, WITHIN_GROUP).axes == axes


def test_constants_and_variables_on_the_way_are_named():
    assert len(made_of("", "count > 3 ? 7 : 9").constants) == 2
    assert made_of("", "width").variables == set()
    assert len(made_of("int x = 2; int y = x;", "y").variables) == 2


def test_components_are_followed_apart_while_only_whole_vectors_are_stored():
    body = "ivec2 v = ivec2(gl_GlobalInvocationID.x, count);"
    assert made_of(body, "v.x").axes == {0}
    assert made_of(body, "v.y").axes == set()
    body += "\nv.y = width;"
    found = made_of(body, "v.y")
    assert (found.axes, set(blocks(found))) == ({0}, {"count of 1.2", "width"})


def test_a_long_chain_ends_at_the_bound():
    lines = "\n".join(f"int x{n + 1} = x{n} + 1;" for n in range(3_000))
    found = made_of(f"int x0 = width;\n{lines}", "x3000")
    assert blocks(found) == {}, "four values for each addition: beyond the bound"
    lines = "\n".join(f"int x{n + 1} = x{n} + 1;" for n in range(900))
    assert blocks(made_of(f"int x0 = width;\n{lines}", "x900")) == {"width": 1}
