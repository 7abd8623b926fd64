"""The values of a line's variables in one pixel: the pixel drawn alone, by a program that records
them, and by one that counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.pixel_values import PixelValues
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.ended import require_known
from shaderlab.gpu.vulkan.frame_rendering import FrameRenderer
from shaderlab.gpu.vulkan.memory import HostBuffer, show_to_host
from shaderlab.gpu.vulkan.raw_drawing import (
    shades_each_pixel_once,
    tests_early_by_itself,
    vertex_descriptors,
)
from shaderlab.gpu.vulkan.shader_inputs import Pictures, StorageBinding
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.gpu.vulkan.tracing import require_end
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.passes.recording import HEADER_WORDS, record, steps
from shaderlab.spirv.trace import SourceLine

RECORDED_WORDS = 1 << 18
"""Room for values: a megabyte."""


def pixel_values(
    device: Device, frame: Frame, name: str, line: SourceLine, pixel: tuple[int, int]
) -> PixelValues:
    """What `pixel` of pass `name` (empty for the frame's picture) holds on a line.

    Passes it reads are drawn before, as `FrameRenderer.render_before` draws them.
    Raises UnsupportedShader, WrongUse (a pixel beyond the picture), OutOfDeviceMemory, DeviceLost.
    """
    if len(frame.passes) == 1 and not frame.reads_pictures:
        require_end(device, frame.named(name))
        return _of_draw(device, frame.named(name), line, pixel, None)
    with FrameRenderer(device, frame) as renderer:
        name = name or frame.passes[-1].name
        renderer.render_before(frame, name)
        require_end(device, frame.named(name), renderer.pictures)
        return _of_draw(device, frame.named(name), line, pixel, renderer.pictures)


def _of_draw(
    device: Device,
    draw: Draw,
    line: SourceLine,
    pixel: tuple[int, int],
    pictures: Pictures | None,
) -> PixelValues:
    width, height = draw.size
    if not (0 <= pixel[0] < width and 0 <= pixel[1] < height) or draw.draws_cube:
        raise WrongUse(f"the picture of {width} x {height} pixels has no pixel {pixel}")
    if "fragmentStoresAndAtomics" not in device.features:
        raise UnsupportedShader(
            f"{device.info.name} cannot store from fragment shaders, so it shows no values"
        )
    program = draw.program
    require_known(device, draw, program)  # values are recorded without bounds
    early = not shades_each_pixel_once(draw) and tests_early_by_itself(draw)
    taken = vertex_descriptors(draw)
    recording = record(program.module, program.entry_point, line, early=early, taken=taken)
    at = recording.descriptor_set, recording.binding
    header = (*pixel, 0, RECORDED_WORDS)
    raw, colour = _drawn(
        device, draw, recording.spirv, at, header, HEADER_WORDS + RECORDED_WORDS, pictures
    )
    events, overflowed = recording.events(raw)
    counting = instrument(
        program.module, program.entry_point, adding=True, early=early, taken=taken
    )
    size = counting.header_words + counting.counters
    counted, _ = _drawn(
        device, draw, counting.spirv, (counting.descriptor_set, counting.binding),
        (*pixel, 1, 1), size, pictures,
    )  # fmt: skip
    counts = counted[counting.header_words :].reshape(counting.counters, 1, 1)
    blocks = describe(program.module, counting.blocks, counting.block_counts(counts).tolist())
    return PixelValues(
        pixel,
        line,
        colour,
        int(counting.heat(counts)[0, 0]),
        max((block.count for block in blocks if line in block.lines), default=0),
        recording.sites,
        steps(recording.sites, events),
        not overflowed,
    )


def _drawn(
    device: Device,
    draw: Draw,
    spirv: bytes,
    at: tuple[int, int],
    header: Sequence[int],
    words: int,
    pictures: Pictures | None,
) -> tuple[np.ndarray, tuple[int, int, int, int]]:
    """Draw the header's pixel alone: the storage buffer after it, (words,) uint32, and its
    colour."""
    x, y = header[:2]
    with ExitStack() as stack:
        buffer = HostBuffer(device, 4 * words, vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, stack)
        kept = buffer.bytes.view(np.uint32)
        kept[:] = 0  # a header of zeros keeps what a drawing draws as it is made within the buffer
        buffer.flush()
        drawing = Drawing(
            device, draw, stack, instrumented=spirv, storage=StorageBinding(*at, buffer),
            quick=True, pictures=pictures,
        )  # fmt: skip
        kept[:] = 0
        kept[: len(header)] = header
        buffer.flush()
        drawing.set_inputs(draw.inputs, draw.state.geometry.camera)
        commands = device.command_buffer(stack)
        begin(commands)
        drawing.record(commands, Tile(x, y, 1, 1))
        show_to_host(commands)
        end(commands)
        device.run(commands)
        buffer.invalidate()
        usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
        picture = HostBuffer(device, drawing.target.picture_bytes, usage, stack)
        device.run_once(lambda each: drawing.target.copy_to(each, picture.handle))
        picture.invalidate()
        r, g, b, a = drawing.target.shown_pixels(picture.bytes)[y, x].tolist()
        return kept.copy(), (r, g, b, a)
