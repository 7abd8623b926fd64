"""Put the calibration shaders in the order in which they say most about an unknown GPU.

    python -m models.recipes.calibration_order [--device llvmpipe]
        [--out resources/calibration/order.json]

Every shader is traced at 256x192.  Greedy Bayesian D-optimal design: next comes the shader that
shrinks the volume of what is unknown most for its time, the unknown being a calibration's
corrections, as seen from every target that a calibration could start from.  Its time is that of
tracing and timing it on llvmpipe, where a heavy shader would keep a first answer waiting; on a GPU
all take about as long.  Shaders slower than the tracing limit, and those with uninitialised reads,
are left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from models.recipes import shared
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.calibration_shaders import every
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.discovery import discover
from shaderlab.prediction.calibration import fitting as calibration
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.features.example import example
from shaderlab.prediction.models.additive import predict_s
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.training.shader_data import SIZE
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits

TRACED = (256, 192)
NOISE = 0.05
"""Error of a measured log time, beside which knowledge counts."""


SHADER_S, DRAWS = 2.0, 6
"""What any shader takes beside being drawn, and how often a slow one is drawn."""


def order(information: np.ndarray, seconds: np.ndarray) -> list[int]:
    """Rows by greedy D-optimality per second, (n, parameters) in units of prior deviations over
    noise and (n,)."""
    left = information.copy()
    found: list[int] = []
    for _ in range(len(information)):
        gain = np.log1p((left**2).sum(1)) / seconds
        gain[found] = -1.0
        best = int(gain.argmax())
        found.append(best)
        # Conditioning on it shrinks the rest's sensitivities along its own (a rank-one update).
        along = left[best] / np.sqrt(1 + (left[best] ** 2).sum())
        shrink = 1 - 1 / np.sqrt(1 + (left[best] ** 2).sum())
        unit = along / max(np.linalg.norm(along), 1e-30)
        left = left - shrink * np.outer(left @ unit, unit)
    return found


def traced(device: str) -> list[TimedWork]:
    info = discover().choose(device)
    found = []
    with closing(DeviceWorker(info, Limits(trace=60.0))) as worker:
        for shader in every():
            try:
                program = compile_text(shader.text, shader.name, None)
                trace = worker.trace(Draw.of(program, TRACED)).result()
            except ShaderlabError as error:
                print(f"{shader.name}: {error}", file=sys.stderr)
                continue
            if uninitialised_reads(program.module, program.entry_point, trace.executed_blocks):
                print(f"{shader.name}: has uninitialised reads", file=sys.stderr)
                continue
            seen = example(program.module, trace, SIZE[0] * SIZE[1])
            found.append(TimedWork(shader.name, seen, 1.0))
    return found


def information(shaders: Sequence[TimedWork]) -> np.ndarray:
    parts = []
    for weights in bases().values():
        times_s = predict_s(weights, [each.example for each in shaders])
        timed = [
            TimedWork(each.name, each.example, time_s)
            for each, time_s in zip(shaders, times_s.tolist(), strict=True)
        ]
        slopes = calibration.sensitivities(weights, timed)
        slopes[:, 0] /= np.abs(slopes[:, 0]).max()  # the scale is learned by the first shader
        parts.append(slopes / NOISE)
    return np.column_stack(parts) / np.sqrt(len(parts))


def seconds(shaders: Sequence[TimedWork]) -> np.ndarray:
    """(n,) of timing and tracing each on llvmpipe, as forecast."""
    drawn_s = predict_s(bases()["llvmpipe"], [each.example for each in shaders])
    return SHADER_S + DRAWS * drawn_s


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--out", type=Path, default=Path("resources/calibration/order.json"))
    options = parser.parse_args()
    shaders = traced(options.device)
    names = [shaders[row].name for row in order(information(shaders), seconds(shaders))]
    options.out.write_text(json.dumps(names, indent=1) + "\n", encoding="utf-8")
    print(f"{len(names)} shaders in {options.out}")


if __name__ == "__main__":
    main()
