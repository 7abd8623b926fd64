from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.passes.recording import Access, record
from shaderlab.spirv.trace import SourceLine

TEXT = """\
struct Ray { vec3 at; mat2 turn; float steps[4]; };
void mainImage(out vec4 color, in vec2 at) {
    Ray ray;
    ray.at = vec3(1.0);
    ray.turn = mat2(1.0);
    for (int i = 0; i < 3; i++)
        ray.steps[i] += ray.at.x * ray.at.x * iTime + ray.turn[1].y;
    color = vec4(texture(iChannel0, at).x, ray.at);
}
"""


def sites(line: int) -> list[tuple[str, str]]:
    program = compile_text(TEXT, "test", None)
    found = record(program.module, program.entry_point, SourceLine("", line), early=False).sites
    return [(site.name, site.access.value) for site in found]


def test_variables_are_named_as_the_source_writes_them():
    read, written = Access.READ.value, Access.WRITTEN.value
    assert set(sites(7)) == {
        ("i", read), ("ray.at.x", read), ("iTime", read), ("ray.turn[1].y", read),
        ("ray.steps[i]", read), ("ray.steps[i]", written),
    }  # fmt: skip
    assert sites(7).count(("ray.at.x", read)) == 1, "read twice, recorded once"


def test_what_is_no_number_is_left_out():
    names = [name for name, _ in sites(8)]
    assert "iChannel0" not in names
    assert "color" in names


def test_lines_that_compute_nothing_have_no_sites():
    assert sites(3) == []
    assert sites(99) == []
