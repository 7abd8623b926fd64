"""A captured dispatch run again: what it leaves in buffers and images, compared and timed."""

from __future__ import annotations

from contextlib import ExitStack
from math import nan

import numpy as np

from shaderlab.gpu.replayed import TOLERANCE, Replayed
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.dispatching import Dispatching
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.gpu.vulkan.replay_times import seconds
from shaderlab.scene.bound import Bound, BoundBuffer, BoundImage
from shaderlab.scene.draw import Draw
from shaderlab.scene.texel_decoding import differing, differing_words
from shaderlab.scene.texel_layouts import layout
from shaderlab.spirv.reflection import Descriptor


def replay_dispatch(device: Device, draw: Draw, *, trials: int, outputs: bool = False) -> Replayed:
    """Run it once on what it found, compare what it wrote, and time some more.

    `outputs`: give the bytes too.  Raises as `Dispatching` does, and WrongUse for a damaged file.
    """
    bound = draw.inputs.bound or Bound()
    with ExitStack() as stack:
        dispatching = Dispatching(device, draw, stack, buffer_sizes(device).lengths(draw))
        device.run_once(dispatching.record)
        shares, written = [], {}
        for at, elements in bound.resources.items():
            their = elements[0]
            ours = _left(device, dispatching, at, their)
            if ours is None or their.after is None:
                continue
            written[at] = ours
            off = _off(their, ours)
            if off is not None:
                shares.append(float(off.mean()) if off.size else 0.0)
        return Replayed(
            max(shares, default=nan),
            seconds(device, dispatching, trials),
            draw.launch.invocations,
            dispatching.pipeline_s,
            buffers=written if outputs else {},
        )


def _off(their: BoundBuffer | BoundImage, ours: bytes) -> np.ndarray | None:
    assert their.after is not None
    theirs = their.after.read()
    if isinstance(their, BoundBuffer):
        return differing_words(ours[: len(theirs)], theirs[: len(ours)])
    assert their.image is not None
    return differing(their.image.format, ours, theirs, TOLERANCE)


def _left(
    device: Device, dispatching: Dispatching, at: Descriptor, their: BoundBuffer | BoundImage
) -> bytes | None:
    """Bytes after the run of a buffer, or of an image's level and layer; None for others."""
    if isinstance(their, BoundBuffer):
        if at not in dispatching.contents:
            return None
        return dispatching.buffer(at)[: their.contents.nbytes].tobytes()
    if at not in dispatching.stored_images or their.image is None or their.view is None:
        return None
    its = layout(their.image.format)
    if its is None:
        return None
    return _texels(device, dispatching.stored_images[at][1], their, its.size)


def _texels(device: Device, image: DeviceImage, their: BoundImage, size) -> bytes:
    assert their.image is not None
    assert their.view is not None
    level = their.view.first_level
    width, height, depth = (max(1, side >> level) for side in their.image.size)
    nbytes = size(width, height, depth)
    with ExitStack() as stack:
        usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
        host = HostBuffer(device, max(16, nbytes), usage, stack)
        region = vk.VkBufferImageCopy(
            imageSubresource=vk.VkImageSubresourceLayers(
                aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT,
                mipLevel=level,
                baseArrayLayer=their.view.first_layer,
                layerCount=1,
            ),
            imageExtent=vk.VkExtent3D(width=width, height=height, depth=depth),
        )
        general = vk.VK_IMAGE_LAYOUT_GENERAL
        device.run_once(
            lambda commands: vk.vkCmdCopyImageToBuffer(
                commands, image.handle, general, host.handle, 1, [region]
            )
        )
        host.invalidate()
        return host.bytes[:nbytes].tobytes()
