"""How fast this processor is beside the one that a software device's prices come from.

A few of the shaders that come with shaderlab are counted, forecast and timed here; measured over
forecast time is the pace that brings a forecast to this processor, so that only what a shader does
beyond it says something of that shader (`prediction.forecasts.witness`).  It is kept by processor,
driver and version, unless other work kept the processors busy.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from shaderlab import __version__, files, locations
from shaderlab.engine.crew import Crew
from shaderlab.engine.graph import Asking, question
from shaderlab.errors import DeviceStuck, ShaderlabError
from shaderlab.frontend.examples import examples
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.forecast import Measured
from shaderlab.scene.draw import Draw
from shaderlab.system import processors
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker

SHADERS = ("mandelbrot", "plasma", "truchet")
"""Their mean ratio is near the median of all shipped shaders, on llvmpipe 1.5 of 1.5 and on
SwiftShader 0.6 of 0.6 on one machine; all three together take about a second."""
SIZE = 512, 384
"""Pixels, of the frames that llvmpipe's prices were fitted to."""
_TRIALS = _DRAWS = 2
_MOST, _MOST_BYTES = 32, 64 << 10


def measured_by(measured: Measurement, info: DeviceInfo, pace: float | None) -> Measured | None:
    """The time of a frame as a witness of others; None where its device's clock was not read."""
    if info.kind != "software":
        return Measured(measured.device, measured.time_s)
    if not measured.cpu_trials_s:
        return None
    time_s = measured.on_processor.time_s
    return Measured(measured.device, time_s, pace, measured.waited or 0.0)


def pace_of(
    info: DeviceInfo, device: DeviceWorker, compiler: CompilerWorker, predictor: PredictorWorker
) -> float | None:
    """The kept one, else measured now, in about a second; 1 of a GPU, whose prices are its own.

    None where it cannot be measured: there is no forecast for the device, or a child failed.
    Raises DeviceStuck.
    """
    if (known := kept(info)) is not None:
        return known
    try:
        return _measured(info, device, compiler, predictor)
    except DeviceStuck:
        raise
    except ShaderlabError:
        return None


@question()
async def pace(q: Asking[Crew], info: DeviceInfo) -> float | None:
    """`pace_of`, by the children that answer questions."""
    crew, device = q.crew, q.crew.counting_device(info)
    return await q.apart(lambda: pace_of(info, device, crew.optimizer, crew.predictor))


def kept(info: DeviceInfo) -> float | None:
    """What was measured before with this processor and driver; 1 of a GPU."""
    return 1.0 if info.kind != "software" else _read().get(_key(info))


def _measured(
    info: DeviceInfo, device: DeviceWorker, compiler: CompilerWorker, predictor: PredictorWorker
) -> float | None:
    if not any(each.target == info.slug for each in predictor.targets().result()):
        return None
    logarithms, waited = [], 0.0
    for each in examples():
        if each.path.stem not in SHADERS:
            continue
        draw = Draw.of(compiler.load(each.path).result(), SIZE)
        counted = device.trace(draw).result()
        timed = device.profile(draw, _TRIALS, _DRAWS).result()
        (forecast,) = predictor.predict(draw, counted, [info.slug]).result()
        if not timed.cpu_trials_s or not forecast.time_s:
            return None
        waited = max(waited, timed.waited or 0.0)
        logarithms.append(math.log(timed.on_processor.time_s / forecast.time_s))
    pace = math.exp(sum(logarithms) / len(logarithms))
    if waited <= Measured.MOST_WAITED:
        _keep(info, pace)
    return pace


def _key(info: DeviceInfo) -> str:
    return f"{processors.name()} x{processors.usable()}; {info.driver}; {__version__}"


def _file() -> Path:
    return locations.user_cache() / "paces.json"


def _read() -> dict[str, float]:
    """Empty where nothing was kept, or what was cannot be read."""
    try:
        found = msgspec.json.decode(files.read_bytes(_file(), _MOST_BYTES), type=dict[str, float])
    except (ShaderlabError, OSError, msgspec.MsgspecError):
        return {}
    return {key: pace for key, pace in found.items() if 0 < pace < math.inf}


def _keep(info: DeviceInfo, pace: float) -> None:
    known = {**_read(), _key(info): pace}
    latest = dict([*known.items()][-_MOST:])
    try:
        _file().parent.mkdir(parents=True, exist_ok=True)
        files.write(_file(), msgspec.json.encode(latest))
    except (ShaderlabError, OSError):
        return  # measured again the next time
