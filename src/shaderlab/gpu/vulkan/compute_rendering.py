"""Dispatching a compute shader again and again, and what it leaves in images and buffers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.gpu.outputs import BINS, BufferOutput, Outputs
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import formats
from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.dispatching import Dispatching
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer, copy_to_host
from shaderlab.gpu.vulkan.parts import Submissions, dispatch_parts
from shaderlab.scene.draw import Draw
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.access import accesses
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.value_types import (
    Array,
    Component,
    Dimension,
    Numeric,
    Struct,
    ValueType,
    size,
)

_BY_VULKAN = {each.vulkan: each for each in formats.BY_NAME.values()}
_SHOWN = 8
"""First components that are listed."""
_MOST_ARRAYS = 16


class ComputeRenderer:
    """Runs a dispatch, with other values of its uniforms each time.  A context manager."""

    def __init__(self, device: Device, draw: Draw):
        """Raises UnsupportedShader, WrongUse, OutOfDeviceMemory, DeviceLost."""
        self._device, self._draw = device, draw
        self._key = draw.pipeline_key
        _, self._written = accesses(draw.program.module)
        with ExitStack() as stack:
            lengths = buffer_sizes(device).lengths(draw)
            self._dispatching = Dispatching(device, draw, stack, lengths)
            self.pipeline_s = self._dispatching.pipeline_s
            """Seconds the driver took to compile the shader."""
            self._image, self._note = self._shown_image()
            self._picture: HostBuffer | None = None
            if self._image is not None:
                _, made = self._image
                texel = _BY_VULKAN[made.format].texel_bytes
                usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
                nbytes = made.size[0] * made.size[1] * texel
                self._picture = HostBuffer(device, nbytes, usage, stack)
            self._submissions = Submissions(
                device, self._dispatching, stack, self._copy, dispatch_parts(device, draw)
            )
            self._stack = stack.pop_all()

    def render(self, inputs: Inputs, out: np.ndarray, camera: Camera | None = None) -> float:
        """Run with these inputs, and copy the image it wrote to `out`, (height, width, 4) uint8.

        Row 0 is the image's first; without an image `out` turns black.  Returns the dispatch's
        seconds by the device's own clock, nan where it has none.  Raises DeviceLost.
        """
        if self._dispatching.set_inputs(inputs, camera):
            self._submissions.record()
        self._submissions.divide(dispatch_parts(self._device, self._draw))
        if self._dispatching.begins_anew:
            self._dispatching.restore()
        seconds = self._submissions.run()
        self._device.draw_seconds[self._key] = seconds
        out[:] = 0
        if self._image is not None and self._picture is not None:
            self._picture.invalidate()
            pixels = _pixels(self._picture.bytes, self._image[1])
            height, width = min(len(pixels), len(out)), min(pixels.shape[1], out.shape[1])
            out[:height, :width] = pixels[:height, :width]
        return seconds

    def buffer(self, at: Descriptor) -> np.ndarray:
        """(nbytes,) uint8 of a storage buffer after the last run; a view."""
        return self._dispatching.buffer(at)

    def outputs(self) -> Outputs:
        """What the last run left."""
        found: list[BufferOutput] = []
        for resource in self._draw.program.interface.resources:
            is_buffer = resource.kind is ResourceKind.STORAGE_BUFFER
            if is_buffer and resource.variable in self._written:
                before = self._dispatching.contents[resource.descriptor]
                after = self._dispatching.buffer(resource.descriptor)
                found += _outputs(resource, before, after)
        image = self._image[0].name if self._image is not None else ""
        return Outputs(tuple(found[:_MOST_ARRAYS]), image, self._note)

    def close(self) -> None:
        self._device.draw_seconds.pop(self._key, None)
        self._stack.close()

    def __enter__(self) -> ComputeRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _copy(self, commands: Any) -> None:
        if self._image is not None and self._picture is not None:
            copy_to_host(commands, self._image[1], vk.VK_IMAGE_LAYOUT_GENERAL, self._picture.handle)

    def _shown_image(self) -> tuple[tuple[Resource, DeviceImage] | None, str]:
        note = ""
        for resource, made in self._dispatching.stored_images.values():
            image = resource.image
            if resource.variable not in self._written or image is None:
                continue
            known = _BY_VULKAN.get(made.format)
            if image.dimension is not Dimension.D2 or image.arrayed:
                note = f"{resource.name} is written, but only images of two dimensions are shown."
            elif known is None or known.dtype is None:
                note = f"{resource.name} is written, but its format, {image.format}, is not shown."
            else:
                return (resource, made), ""
        return None, note


def _pixels(raw: np.ndarray, image: DeviceImage) -> np.ndarray:
    """(height, width, 4) uint8 RGBA: fractions clamped to 0 to 1, integers to 0 to 255."""
    width, height = image.size
    kind = _BY_VULKAN[image.format]
    assert kind.dtype is not None
    values = raw.view(kind.dtype).reshape(height, width, kind.components)
    if kind.is_whole:
        shown = np.clip(values, 0, 255).astype(np.uint8)
    else:
        numbers = values.astype(np.float32) / (kind.scale or 1.0)
        numbers = np.nan_to_num(numbers, nan=0.0, posinf=1.0, neginf=0.0)
        shown = (np.clip(numbers, 0.0, 1.0) * 255 + 0.5).astype(np.uint8)
    found = np.zeros((height, width, 4), np.uint8)
    found[..., 3] = 255
    if kind.components == 1:
        found[..., :3] = shown
    else:
        found[..., : kind.components] = shown
    return found


def _outputs(resource: Resource, before: np.ndarray, after: np.ndarray) -> Iterator[BufferOutput]:
    block = resource.block
    assert block is not None
    for member in block.members:
        prefix = member.name if resource.is_anonymous else f"{resource.name}.{member.name}"
        kind = member.type
        stride, count = size(kind, member), 1
        if isinstance(kind, Array):
            stride = kind.stride or size(kind.element, member) or 4
            count = kind.length or (len(after) - member.offset) // stride
            kind = kind.element
        span = slice(member.offset, member.offset + count * stride)
        if span.stop > len(after) or not count or not stride:
            continue
        rows = [each[span].reshape(count, stride) for each in (before, after)]
        for path, numeric, offset in _numbers(kind, prefix, 0):
            yield _output(path, numeric, offset, rows[0], rows[1])


def _numbers(kind: ValueType, path: str, offset: int) -> Iterator[tuple[str, Numeric, int]]:
    """Scalars and vectors in one element, with their names and first bytes."""
    if isinstance(kind, Numeric) and kind.columns == 1:
        yield path, kind, offset
    elif isinstance(kind, Struct):
        for each in kind.members:
            yield from _numbers(each.type, f"{path}[].{each.name}", offset + each.offset)


def _output(
    name: str, kind: Numeric, offset: int, before: np.ndarray, after: np.ndarray
) -> BufferOutput:
    span = slice(offset, offset + kind.nbytes)
    own, former = np.ascontiguousarray(after[:, span]), before[:, span]
    letter = {Component.FLOAT: "f", Component.INT: "i"}.get(kind.component, "u")
    values = own.view(f"<{letter}{kind.bits // 8}").reshape(-1).astype(np.float64)
    finite = values[np.isfinite(values)]
    some = len(finite) > 0
    low, high = (float(finite.min()), float(finite.max())) if some else (np.nan, np.nan)
    bins = np.histogram(finite, BINS, (low, high))[0].tolist() if some else [0] * BINS
    return BufferOutput(
        name.removesuffix(".@data"),
        kind.glsl,
        len(own),
        int(np.any(own != former, axis=1).sum()),
        low,
        high,
        float(finite.mean()) if some else np.nan,
        int(len(values) - len(finite)),
        tuple(map(int, bins)),
        tuple(values[:_SHOWN].tolist()),
        hashlib.sha256(own.tobytes()).hexdigest(),
    )
