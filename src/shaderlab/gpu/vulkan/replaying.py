"""A captured draw drawn again: its picture compared with the captured one, and timed."""

from __future__ import annotations

from contextlib import ExitStack
from math import nan

import numpy as np

from shaderlab.errors import WrongUse
from shaderlab.gpu.replayed import TOLERANCE, Replayed
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.given_target import GivenTarget
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.pipeline_statistics import pipeline_statistics
from shaderlab.gpu.vulkan.replay_times import seconds
from shaderlab.gpu.vulkan.replaying_dispatch import replay_dispatch
from shaderlab.scene.draw import Draw
from shaderlab.scene.fixed_functions import FixedFunctions
from shaderlab.scene.texel_decoding import differing


def replay(
    device: Device,
    draw: Draw,
    *,
    trials: int = 3,
    with_picture: bool = False,
    outputs: bool = False,
) -> Replayed:
    """Draw onto the captured contents, compare what comes of it, and time some more.

    `outputs`: give the bytes of what it wrote too.

    Raises WrongUse for a draw that is not a captured one, and as `Renderer` does.
    """
    if draw.is_compute:
        return replay_dispatch(device, draw, trials=trials, outputs=outputs)
    fixed = draw.state.attachments.fixed
    if fixed is None:
        raise WrongUse(f"{draw.program.name} is not a captured draw")
    with ExitStack() as stack:
        drawing = Drawing(device, draw, stack)
        target = drawing.target
        assert isinstance(target, GivenTarget)
        usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
        host = HostBuffer(device, target.picture_bytes, usage, stack)

        def draw_and_copy(commands) -> None:
            drawing.record(commands)
            target.copy_to(commands, host.handle)

        device.run_once(draw_and_copy)
        host.invalidate()
        texels = target.texels(host.bytes)
        difference = _difference(fixed, texels)
        colours = {at: data.tobytes() for at, data in texels.items()} if outputs else {}
        depth = target.depth_texels(device) if outputs else None
        statistics = pipeline_statistics(device, drawing)
        return Replayed(
            difference,
            seconds(device, drawing, trials),
            statistics.fragment_invocations if statistics else None,
            drawing.pipeline_s,
            target.shown_pixels(host.bytes) if with_picture else None,
            colours,
            depth,
        )


def _difference(fixed: FixedFunctions, ours: dict[int, np.ndarray]) -> float:
    off: np.ndarray | None = None
    for location, data in ours.items():
        target = fixed.colours[location]
        if target is None or target.after is None:
            continue
        found = differing(target.format, data.tobytes(), target.after.read(), TOLERANCE)
        if found is not None:
            here = np.asarray(found.reshape(fixed.samples, -1).any(axis=0))
            off = here if off is None else off | here
    return nan if off is None else float(off.mean())
