from __future__ import annotations

from shaderlab.scene.uniforms import Uniforms


def test_the_defaults_are_the_canonical_run():
    canonical = Uniforms()
    assert (canonical.time_s, canonical.frame) == (1.0, 1)
    assert canonical.time_delta_s * canonical.frame_rate == 1
    assert canonical.mouse == canonical.date == (0.0,) * 4
