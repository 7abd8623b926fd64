from __future__ import annotations

import pickle
from dataclasses import replace

from shaderlab.frontend.program import Dialect, Program
from shaderlab.scene.draw import CANONICAL, Attachments, Draw, DrawState, Frame
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Pattern, Texture
from shaderlab.scene.uniforms import Uniforms

PROGRAM = Program("one", Dialect.SPIRV, "", b"\x03\x02\x23\x07", "main")
TEXTURED = Inputs(textures={"sky": Input(Texture(Pattern.NOISE))})
OTHER = replace(PROGRAM, spirv=b"\x03\x02\x23\x08")


def test_the_default_draw_is_the_canonical_run():
    draw = Draw(PROGRAM)
    assert draw == Draw.of(PROGRAM) == CANONICAL.draw(PROGRAM)
    assert draw.size == (1024, 768)
    assert draw.state.geometry.is_full_screen
    assert draw.inputs.uniforms == Uniforms(time_s=1.0, frame=1)
    assert not draw.inputs.values
    assert not draw.inputs.textures


def test_what_nobody_chose_is_marked_as_a_default():
    default, chosen = Inputs.at(), Inputs.at(Uniforms(time_s=2.0))
    assert default.clock.source is Source.DEFAULT
    assert chosen.clock.source is Source.SET


def test_who_chose_a_value_does_not_make_two_draws_differ():
    assert Draw.of(PROGRAM, (64, 32), Uniforms()) == Draw.of(PROGRAM, (64, 32))


def test_only_values_of_uniforms_leave_the_pipeline_as_it_is():
    draw = Draw.of(PROGRAM, (64, 32))
    later = Draw.of(PROGRAM, (64, 32), Uniforms(time_s=2.0))
    assert later != draw
    assert later.pipeline_key == draw.pipeline_key
    others = (
        draw.of_program(OTHER),
        draw.of_program(replace(PROGRAM, entry_point="other")),
        Draw.of(PROGRAM, (32, 64)),
        Draw(PROGRAM, DrawState(TEXTURED, attachments=Attachments((64, 32)))),
    )
    assert len({draw.pipeline_key, *(other.pipeline_key for other in others)}) == 5


def test_the_same_draw_of_another_program():
    draw = Draw.of(PROGRAM, (64, 32), Uniforms(time_s=2.0))
    other = draw.of_program(OTHER)
    assert (other.program, other.state) == (OTHER, draw.state)


def test_a_draw_goes_to_another_process():
    draw = Draw.of(PROGRAM, (64, 32), Uniforms(time_s=2.0))
    there = pickle.loads(pickle.dumps(draw))
    assert there == draw
    assert there.inputs.clock.source is Source.SET


def test_a_frame_shows_its_last_draw():
    first, last = Draw.of(PROGRAM, (32, 32)), Draw.of(OTHER, (64, 64))
    assert Frame.of(first, last).shown is last
