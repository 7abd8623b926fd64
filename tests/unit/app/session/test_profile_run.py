"""A profile at several sizes."""

import pytest

from shaderlab.app.session.profile_run import TOGETHER, ProfileRun
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
        (name, wanted), sized_draw = run.next(draw(b"one"))
        assert (name, wanted) == ("", sized_draw.size)
        asked.append(wanted)
        last = run.add(sized(size, 1.0))
    assert last
    assert tuple(asked) == SEVERAL_SIZES
    assert run.canonical.size == CANONICAL_SIZE
    assert run.frame({}) is None


def test_a_frame_s_passes_follow_the_edited_one_and_then_all_together():
    run = ProfileRun(10, 30, (CANONICAL_SIZE,))
    names, asked, measured = ("A", "B", "Image"), [], []
    last = False
    while not last:
        (name, size), _ = run.next(draw(b"one"), "B", names)
        assert size == CANONICAL_SIZE
        asked.append(name)
        measured.append(sized(size, float(len(measured))))
        assert run.frame(dict.fromkeys(names, 1)) is None
        last = run.add(measured[-1])
    assert asked == ["B", "A", "Image", TOGETHER]
    frame = run.frame({"A": 6, "B": 1, "Image": 1})
    assert dict(frame.passes) == {"B": measured[0], "A": measured[1], "Image": measured[2]}
    assert list(frame.passes) == list(names)
    assert frame.together is measured[3]
    assert run.canonical is measured[0]


@pytest.mark.parametrize(
    "how", [{"sizes": SEVERAL_SIZES}, {"sizes": (CANONICAL_SIZE,), "alone": True}]
)
def test_several_sizes_or_a_sample_are_of_the_edited_pass_alone(how):
    run = ProfileRun(10, 30, **how)
    last = False
    for _ in how["sizes"]:
        (name, size), _ = run.next(draw(b"one"), "B", ("A", "B"))
        assert name == "B"
        last = run.add(sized(size, 1.0))
    assert last


def test_a_run_begins_again_with_another_program_or_value():
    run = ProfileRun(10, 30, SEVERAL_SIZES)
    run.next(draw(b"one"))
    assert not run.add(sized(SEVERAL_SIZES[0], 1.0))
    assert run.next(draw(b"one"))[1].size == SEVERAL_SIZES[1]
    assert run.next(draw(b"two"))[1].size == SEVERAL_SIZES[0]
    assert run.by_size == ()
    assert run.canonical is None
    assert not run.add(sized(SEVERAL_SIZES[0], 1.0))
    _, asked = run.next(draw(b"two", steps=9))
    assert asked.size == SEVERAL_SIZES[0]
    assert asked.inputs.values["steps"].value == (9,)
