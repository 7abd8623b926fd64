from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.memory import HostBuffer

USAGE = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT


def test_more_than_the_device_has_is_refused_and_leaves_nothing(llvmpipe):
    before = +llvmpipe.live
    with ExitStack() as stack, pytest.raises(OutOfDeviceMemory, match="llvmpipe"):
        HostBuffer(llvmpipe, 1 << 46, USAGE, stack)
    assert +llvmpipe.live == before


def test_the_host_sees_what_the_device_wrote(device):
    with ExitStack() as stack:
        buffer = HostBuffer(device, 4096, USAGE, stack)
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
