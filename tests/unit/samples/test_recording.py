"""What of a draw, its times and its counts becomes a sample, and what a sample cannot hold."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from shaderlab.errors import WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.samples import schema, validation
from shaderlab.samples.recording import (
    CAPTURED,
    Origin,
    SharedText,
    check_inputs,
    device_record,
    inputs_record,
    record,
    texture_records,
    timing_record,
    with_counts,
)
from shaderlab.scene.bound import Bound, BoundBuffer
from shaderlab.scene.draw import CANONICAL, Attachments, ColourFormat, Draw, DrawState
from shaderlab.scene.fixed_functions import ColourTarget, FixedFunctions, Rectangle, Viewport
from shaderlab.scene.geometry import Body, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, ImageFile, NoisePicture, Pattern, Texture, Wrap
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockCount, Trace
from tests.unit.captures.builders import contents
from tests.unit.samples.builders import sample
from tests.unit.samples.test_traces import PROGRAM

DEVICE = DeviceInfo(
    "gpu",
    "A GPU",
    "discrete",
    "driver 1",
    "1.3",
    7,
    9,
    "00ff",
    "/i.json",
    0,
    timestamps=True,
    memory_bytes=1 << 30,
)
TIMES = (0.010, 0.011, 0.012, 0.5)
MEASURED = Measurement(
    "gpu", "A GPU", "driver 1", (1024, 768), 4, TIMES, (3,), 0.0005, cpu_trials_s=TIMES[::-1],
    clocks="2 GHz",
)  # fmt: skip


def traced() -> Trace:
    """Of PROGRAM: its second block half as often as the others."""
    module = PROGRAM.module
    blocks = [
        BlockCount(
            function.id, "", block.label, 4 if block.label == 101 else 8, (),
            {"OpReturn": 1}, None if block.label == 103 else block.label - 99,
        )
        for function in module.functions[:2]
        for block in function.blocks
    ]  # fmt: skip
    return Trace("gpu", (1024, 768), 1.0, 1, tuple(blocks), nan)


def test_a_sample_has_program_inputs_times_device_and_counts():
    found = record(
        CANONICAL.draw(PROGRAM), MEASURED, DEVICE, trace=traced(), picture="varied",
        origin=Origin("made-up", "p"),
    )  # fmt: skip
    program = found.program
    assert (program.digest, program.collection, program.id) == (PROGRAM.digest, "made-up", "p")
    assert (program.words, program.dialect) == (len(PROGRAM.spirv) // 4, "spirv")
    assert program.opcodes["OpLabel"] == 5
    assert (program.text, program.license, found.optimized) == (None, None, None)
    assert (found.schema, found.picture, found.textures) == (1, "varied", None)
    assert found.timing == timing_record(MEASURED, DEVICE)
    assert found.device == device_record(DEVICE, "2 GHz")
    assert found.inputs == inputs_record(CANONICAL)
    blocks = found.trace.blocks
    assert [block.count for block in blocks] == [8, 4, 8, 8]
    assert [block.lane_groups for block in blocks] == [1, 2, 3, None]
    assert [block.successors for block in blocks] == [(1, 2), (2,), (), ()]
    assert found.trace.opcodes == {"OpReturn": 28}
    assert found == schema.from_row(schema.to_row(found))


def test_a_source_comes_with_its_licence_and_changes_no_id():
    plain = record(CANONICAL.draw(PROGRAM), MEASURED, DEVICE)
    shared = record(
        CANONICAL.draw(PROGRAM), MEASURED, DEVICE, shared=SharedText("void main", "MIT")
    )
    assert (shared.program.text, shared.program.license) == ("void main", "MIT")
    assert shared.id == plain.id
    assert plain.trace is None


def test_counts_of_another_sample_are_taken_over():
    plain, other = record(CANONICAL.draw(PROGRAM), MEASURED, DEVICE), sample("other")
    joined = with_counts(plain, other.trace, other.trace)
    assert (joined.trace, joined.optimized) == (other.trace, other.trace)
    assert joined.id != plain.id
    assert joined.timing == plain.timing


def test_the_row_keeps_what_uniforms_were():
    uniforms = Uniforms(
        time_s=2, frame=3, time_delta_s=1, frame_rate=60, mouse=(1, 2, 3, 4), date=(5, 6, 7, 8)
    )
    found = inputs_record(DrawState(Inputs.at(uniforms), attachments=Attachments((64, 32))))
    assert (found.width, found.height) == (64, 32)
    assert (found.time_s, found.frame, found.time_delta_s, found.frame_rate) == (2.0, 3, 1.0, 60.0)
    assert (found.mouse, found.date) == ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0))


@pytest.mark.parametrize(("floor", "kept"), [(0.25, 0.25), (nan, None), (inf, None)])
def test_times_are_those_of_the_devices_clock_without_outliers(floor, kept):
    found = timing_record(replace(MEASURED, floor_s=floor), DEVICE)
    assert (found.clock, found.rejected, found.draws) == ("device", (3,), 4)
    assert (found.time_s, found.median_s) == (pytest.approx(0.011), pytest.approx(0.011))
    assert (found.trials_s, found.cpu_trials_s) == (TIMES, TIMES[::-1])
    assert found.floor_s == kept


@pytest.mark.parametrize("trials", [TIMES, ()])
def test_a_software_device_is_timed_by_the_processor_where_that_was_recorded(trials):
    found = timing_record(replace(MEASURED, cpu_trials_s=trials), replace(DEVICE, kind="software"))
    assert found.clock == ("cpu" if trials else "device")


def test_a_device_is_known_by_a_hash_and_never_by_its_serial_number():
    found = device_record(DEVICE, None)
    assert found.uuid_hash == hashlib.sha256(b"00ff").hexdigest()[:16]
    assert (found.vendor_id, found.device_id, found.memory_bytes) == (7, 9, 1 << 30)
    bare = device_record(replace(DEVICE, uuid="", memory_bytes=0), None)
    assert bare.uuid_hash is bare.memory_bytes is bare.clocks is None


GIVEN = Input((1.0,), Source.SET)
IMAGE = Input(Texture(ImageFile(Path("picture.png"))), Source.SET)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (CANONICAL, ""),
        (DrawState.of((8, 8)), ""),
        (DrawState(Inputs(values={"a": Input((1.0,), Source.DEFAULT)})), ""),
        (DrawState(Inputs(values={"a": Input((1.0,), Source.DEFAULT), "b": GIVEN})), "values"),
        (DrawState(Inputs(textures={"a": Input(Texture(Pattern.NOISE), Source.SET)})), ""),
        (DrawState(Inputs(textures={"a": Input(Texture(NoisePicture((8, 8))), Source.SET)})), ""),
        (DrawState(Inputs(textures={"a": replace(IMAGE, source=Source.DEFAULT)})), ""),
        (
            DrawState(
                Inputs(textures={"a": Input(Texture(Pattern.NOISE), Source.SET), "b": IMAGE})
            ),
            "images",
        ),
        (DrawState(geometry=Geometry(Body.TORUS)), "geometry"),
        (DrawState(attachments=Attachments((8, 8), ColourFormat.RGBA32F)), "attachments"),
        (
            DrawState(Inputs(values={"b": GIVEN}), geometry=Geometry(Body.TORUS)),
            "values and geometry",
        ),
    ],
)
def test_what_a_reader_would_take_for_the_canonical_run_is_refused(state, said):
    if not said:
        check_inputs(state.draw(PROGRAM))
    else:
        with pytest.raises(WrongUse, match=f"cannot hold {said} of your own"):
            check_inputs(state.draw(PROGRAM))


def drawn(declared: str, value: str, **given: Texture) -> Draw:
    text = (
        "#version 450\nlayout(location = 0) out vec4 colour;\n"
        f"{declared}\nvoid main() {{ colour = vec4({value}); }}"
    )
    program = compile_text(text, "textured", None)
    textures = {name: Input(each, Source.SET) for name, each in given.items()}
    return DrawState(Inputs(textures=textures)).draw(program)


def test_textures_are_described_as_they_were_bound():
    mirrored = Texture(Pattern.CHECKER, Filter.MIPMAP, Wrap.MIRROR)
    picture = Texture(NoisePicture((40, 20)), Filter.NEAREST, Wrap.CLAMP)
    draw = drawn(
        "uniform sampler2D a; uniform samplerCube b; uniform sampler2D c;"
        " layout(binding = 9) uniform Block { float factor; };",
        "factor * texture(a, vec2(0)) + texture(b, vec3(1)) + texture(c, vec2(0))",
        a=mirrored,
        b=Texture(Pattern.BLACK),
        c=picture,
    )
    a, b, c = texture_records(draw)
    assert (a.name, a.holds, a.dimension, a.format) == ("a", "checker", "2D", "rgba8")
    assert (a.width, a.height, a.depth, a.levels) == (256, 256, 1, 9)
    assert (a.filter, a.wrap) == ("mipmap", "mirror")
    assert (b.holds, b.dimension, b.width, b.levels) == ("black", "Cube", 1, 1)
    assert (c.holds, c.format, c.width, c.height) == ("noise", "rgba32f", 40, 20)
    assert (c.filter, c.wrap) == ("nearest", "clamp")
    assert record(draw, MEASURED, DEVICE).schema == 2


def test_without_textures_given_there_is_nothing_to_describe():
    assert texture_records(drawn("uniform sampler2D a;", "texture(a, vec2(0))")) is None
    assert texture_records(drawn("", "1", a=Texture(Pattern.NOISE))) is None


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("uniform isampler2D other;", "texture(other, vec2(0))"),
        ("uniform sampler2DArray other;", "texture(other, vec3(0))"),
        ("uniform sampler2DShadow other;", "texture(other, vec3(0))"),
        ("uniform sampler2DMS other;", "texelFetch(other, ivec2(0), 0)"),
        ("uniform samplerBuffer other;", "texelFetch(other, 0)"),
    ],
)
def test_kinds_of_textures_that_no_sample_describes_are_refused(declared, value):
    draw = drawn(f"uniform sampler2D a; {declared}", f"texture(a, vec2(0)) + vec4({value})",
                 a=Texture(Pattern.NOISE))  # fmt: skip
    with pytest.raises(WrongUse, match="a sample cannot hold other, a "):
        texture_records(draw)


def test_a_captured_draw_keeps_counts_and_times_alone(tmp_path: Path):
    shown = contents(tmp_path / "pack", b"what was drawn" * 2)
    target = ColourTarget("R8G8B8A8_UNORM", shown, 0xF, None, None, shown)
    fixed = FixedFunctions(Viewport(0, 0, 7, 1, 0, 1), Rectangle(0, 0, 7, 1), (target,))
    bound = Bound({Descriptor(0, 1): (BoundBuffer(shown),)}, b"pushed")
    state = DrawState(Inputs(bound=bound), attachments=Attachments((7, 1), fixed=fixed))
    ids = reachable_blocks(PROGRAM.module, PROGRAM.entry())
    covered = describe(PROGRAM.module, ids, [5] * len(ids))  # of seven pixels
    counted = Trace("gpu", (7, 1), 0.0, 0, covered, nan)
    made = record(
        Draw(PROGRAM, state), MEASURED, DEVICE, trace=counted, shared=SharedText("void", "MIT")
    )
    validation.check(made)
    assert made.program.text is None
    assert made.program.collection == CAPTURED
    assert made.textures is None
    assert made.picture is None
    written = repr(schema.to_row(made))
    assert shown.digest not in written
    assert "what was drawn" not in written
    assert b"pushed".hex() not in written
    given = replace(state.inputs, values={"tint": Input((1.0,), Source.SET)})
    with pytest.raises(WrongUse, match="values"):
        record(Draw(PROGRAM, replace(state, inputs=given)), MEASURED, DEVICE)
