from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.gpu.vulkan.shared_textures import SharedTextures

USAGE = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT


def test_more_than_the_device_has_is_refused_and_leaves_nothing(llvmpipe):
    before = +llvmpipe.live
    with ExitStack() as stack, pytest.raises(OutOfDeviceMemory, match="llvmpipe"):
        HostBuffer(llvmpipe, 1 << 46, USAGE, stack)
    assert +llvmpipe.live == before


@pytest.mark.parametrize("kind", ["software", "discrete"])
def test_the_host_sees_what_the_device_wrote(device, kind, monkeypatch):
    """Also where it is in what a discrete GPU would have of its own."""
    monkeypatch.setattr(device, "info", replace(device.info, kind=kind))
    with ExitStack() as stack:
        buffer = HostBuffer(device, 4096, USAGE, stack, near=True)
        buffer.bytes[:] = 1
        buffer.flush()

        def fill(commands) -> None:
            vk.vkCmdFillBuffer(commands, buffer.handle, 1024, 2048, 0x04030201)

        device.run_once(fill)
        buffer.invalidate()
        words = buffer.bytes.view(np.uint32)
        assert (words[256:768] == 0x04030201).all()
        assert (words[:256] == 0x01010101).all()
        assert (words[768:] == 0x01010101).all()


def test_a_texture_is_uploaded_once_and_given_up_when_unused_ones_are_too_many(llvmpipe) -> None:
    before = +llvmpipe.live
    shared = SharedTextures(most_texels=16)
    made: list[int] = []

    def image(key: int, stack: ExitStack) -> DeviceImage:
        def make(own: ExitStack) -> DeviceImage:
            made.append(key)
            usage = vk.VK_IMAGE_USAGE_SAMPLED_BIT
            return DeviceImage(llvmpipe, (4, 3), vk.VK_FORMAT_R8G8B8A8_UNORM, usage, own)

        return shared.image(key, make, stack)

    with ExitStack() as one, ExitStack() as other:
        assert image(1, one) is image(1, other)
        assert image(2, one) is not image(1, other)
    with ExitStack() as stack:
        image(1, stack)
        assert made == [1, 2]
        image(2, stack)
        assert made == [1, 2, 2]
    shared.close()
    assert +llvmpipe.live == before
