"""Values that are made of themselves, again and again, are followed in a bounded time."""

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program


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
