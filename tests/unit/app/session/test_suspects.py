import pytest

from shaderlab.app.session.suspects import Suspects
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import (
    Abandoned,
    CompileFailed,
    DeviceLost,
    DeviceStuck,
    OutOfMemory,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.frontend import compiler

POISON = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float x = fragCoord.x;
    while (x >= 0.0) x = abs(sin(x));
    fragColor = vec4(x);
}
"""


def compiled(text):
    return compiler.compile_text(text, "poison.frag", None)


@pytest.fixture(scope="module")
def poison():
    return compiled(POISON)


def test_the_code_counts_and_not_its_comments_names_or_lines(poison):
    held = Suspects()
    held.add(poison, "render", "llvmpipe", "took too long")
    for same in (
        POISON.replace("float x", "/* why */ float x"),
        "// first\n\n" + POISON,
        POISON.replace("x", "yy").replace("fragCoord.yy", "fragCoord.x"),
    ):
        assert held.reason(compiled(same), "render", "llvmpipe") == "took too long"
    other = compiled(POISON.replace("sin", "cos"))
    assert held.reason(other, "render", "llvmpipe") == ""


def test_other_tasks_and_devices_are_free(poison):
    held = Suspects()
    held.add(poison, "trace", "llvmpipe", "took too long")
    assert held.reason(poison, "render", "llvmpipe") == ""
    assert held.reason(poison, "trace", "rtx3060") == ""
    assert held.reason(poison, "trace", "llvmpipe")


def test_it_outlives_the_run_and_is_released_by_hand_for_good(poison):
    Suspects().add(poison, "render", "swiftshader", "crashed")
    second = Suspects()
    assert second.reason(poison, "render", "swiftshader") == "crashed"
    second.release(poison)
    assert second.reason(poison, "render", "swiftshader") == ""
    assert Suspects().reason(poison, "render", "swiftshader") == ""


@pytest.mark.parametrize(
    ("error", "blamed"),
    [
        (ShaderTimeout("x"), True),
        (OutOfMemory("x"), True),
        (DeviceLost("x"), True),
        (StuckDuring("x"), True),
        (DeviceStuck("x"), False),
        (StartFailed("x"), False),
        (Abandoned("x"), False),
        (UnsupportedShader("x"), False),
        (CompileFailed("x"), False),
    ],
)
def test_a_program_is_blamed_for_what_it_did_alone(error, blamed):
    assert ends_workers(error) is blamed
