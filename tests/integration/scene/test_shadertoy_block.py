"""The block that Shadertoy's bodies declare, byte by byte."""

from __future__ import annotations

import struct

from shaderlab.frontend.compiler import compile_text
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.reflection import Descriptor

BODY = "void mainImage(out vec4 c, in vec2 p) { c = vec4(iTime); }\n"


def test_each_value_lies_at_its_std140_offset() -> None:
    uniforms = Uniforms(
        time_s=2.5,
        frame=-7,
        time_delta_s=0.25,
        frame_rate=4.0,
        mouse=(1.0, 2.0, 3.0, 4.0),
        date=(2026.0, 10.0, 20.0, 3600.0),
    )
    program = compile_text(BODY, "toy", None)
    blocks = Binding(program.interface).blocks(Inputs.at(uniforms), (640, 360))
    block = blocks[Descriptor(0, 0)]
    assert set(blocks) == {Descriptor(0, 0)}

    def floats(offset: int, count: int) -> tuple[float, ...]:
        return struct.unpack_from(f"<{count}f", block, offset)

    assert len(block) == 144
    assert floats(0, 4) == (640.0, 360.0, 0.0, 2.5)
    assert floats(16, 4) == (0.0,) * 4
    assert floats(32, 4) == uniforms.mouse
    assert floats(48, 4) == uniforms.date
    assert floats(64, 17) == (0.0,) * 17
    assert struct.unpack_from("<i", block, 132) == (-7,)
    assert floats(136, 2) == (0.25, 4.0)
