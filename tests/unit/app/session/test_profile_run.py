"""A profile at several sizes."""

from shaderlab.app.session.profile_run import ProfileRun
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.measurement import Measurement
from shaderlab.scene.draw import CANONICAL_SIZE, SEVERAL_SIZES, Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source


def sized(size: tuple[int, int], seconds: float) -> Measurement:
    return Measurement("x", "X", "driver 1", size, 30, (seconds,) * 3, (), 1e-4)


def draw(spirv: bytes, **values: float) -> Draw:
    given = {name: Input((value,), Source.SET) for name, value in values.items()}
    return DrawState(Inputs(values=given)).draw(Program("p", Dialect.SPIRV, "", spirv, "main"))


def test_a_run_goes_through_its_sizes():
    run = ProfileRun(10, 30, SEVERAL_SIZES)
    asked = []
    for size in SEVERAL_SIZES:
        asked.append(run.next(draw(b"one")).size)
        last = run.add(sized(size, 1.0))
    assert last
    assert tuple(asked) == SEVERAL_SIZES
    assert run.canonical.size == CANONICAL_SIZE


def test_a_run_begins_again_with_another_program_or_value():
    run = ProfileRun(10, 30, SEVERAL_SIZES)
    run.next(draw(b"one"))
    assert not run.add(sized(SEVERAL_SIZES[0], 1.0))
    assert run.next(draw(b"one")).size == SEVERAL_SIZES[1]
    assert run.next(draw(b"two")).size == SEVERAL_SIZES[0]
    assert run.measured == []
    assert not run.add(sized(SEVERAL_SIZES[0], 1.0))
    asked = run.next(draw(b"two", steps=9))
    assert asked.size == SEVERAL_SIZES[0]
    assert asked.inputs.values["steps"].value == (9,)
