"""The draw that `--size`, `--time` and `--frame` describe."""

from __future__ import annotations

import argparse
import math

from shaderlab.errors import WrongUse
from shaderlab.scene.draw import DrawState
from shaderlab.scene.uniforms import Uniforms


def draw_state(arguments: argparse.Namespace) -> DrawState:
    if not math.isfinite(arguments.time):
        raise WrongUse(f"--time must be finite, not {arguments.time}")
    return DrawState.of(arguments.size, Uniforms(arguments.time, arguments.frame))
