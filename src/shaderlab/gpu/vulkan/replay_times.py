"""Times of captured draws and dispatches on a device of this machine."""

from __future__ import annotations

import time
from contextlib import ExitStack
from math import nan
from statistics import median

from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.dispatching import Dispatching
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.timestamps import Stopwatch


def seconds(device: Device, drawing: Drawing | Dispatching, trials: int) -> float:
    """Of one run, the median of `trials`: by the device's clock, or on a software device the CPU
    time of all threads; nan where it cannot be timed."""
    if not device.has_clock or not trials:
        return nan
    with ExitStack() as stack:
        stopwatch, commands = Stopwatch(device, stack), device.command_buffer(stack)
        begin(commands)
        stopwatch.start(commands)
        drawing.record(commands, keep=True)
        stopwatch.stop(commands)
        end(commands)
        found = []
        for _ in range(trials):
            drawing.restore()
            cpu = time.process_time()
            device.run(commands)
            cpu = time.process_time() - cpu
            found.append(cpu if device.info.kind == "software" else stopwatch.seconds())
    return median(found)
