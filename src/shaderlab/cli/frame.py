"""The frame that `--size`, `--time` and `--frame` describe."""

from __future__ import annotations

import argparse
import math

from shaderlab.errors import WrongUse
from shaderlab.gpu.uniforms import Uniforms


def uniforms(arguments: argparse.Namespace) -> Uniforms:
    if not math.isfinite(arguments.time):
        raise WrongUse(f"--time must be finite, not {arguments.time}")
    return Uniforms(size=arguments.size, time_s=arguments.time, frame=arguments.frame)
