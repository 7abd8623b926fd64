from __future__ import annotations

import struct

from shaderlab.scene.uniforms import BLOCK_BYTES, Uniforms


def test_each_value_lies_at_its_std140_offset():
    uniforms = Uniforms(
        time_s=2.5,
        frame=-7,
        time_delta_s=0.25,
        frame_rate=4.0,
        mouse=(1.0, 2.0, 3.0, 4.0),
        date=(2026.0, 10.0, 20.0, 3600.0),
    )
    block = uniforms.pack((640, 360))
    assert len(block) == BLOCK_BYTES == 144

    def floats(offset: int, count: int) -> tuple[float, ...]:
        return struct.unpack_from(f"<{count}f", block, offset)

    assert floats(0, 4) == (640.0, 360.0, 0.0, 2.5)
    assert floats(16, 4) == (0.0,) * 4
    assert floats(32, 4) == uniforms.mouse
    assert floats(48, 4) == uniforms.date
    assert floats(64, 17) == (0.0,) * 17
    assert struct.unpack_from("<i", block, 132) == (-7,)
    assert floats(136, 2) == (0.25, 4.0)


def test_the_defaults_are_the_canonical_run():
    canonical = Uniforms()
    assert (canonical.time_s, canonical.frame) == (1.0, 1)
    assert canonical.time_delta_s == canonical.frame_rate == 0
    assert canonical.mouse == canonical.date == (0.0,) * 4
