"""Timestamp queries around recorded commands."""

from __future__ import annotations

from contextlib import ExitStack
from math import nan
from typing import Any

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device


class Stopwatch:
    """Two timestamps.  On a queue without a clock it records nothing and reads nan."""

    def __init__(self, device: Device, stack: ExitStack):
        self._device = device
        self._pool = None
        if device.has_clock:
            info = vk.VkQueryPoolCreateInfo(queryType=vk.VK_QUERY_TYPE_TIMESTAMP, queryCount=2)
            self._pool = device.create("QueryPool", info, stack)
            self._ticks = vk.ffi.new("uint64_t[2]")

    def start(self, commands: Any) -> None:
        """Record the first timestamp, outside a render pass."""
        if self._pool is not None:
            vk.vkCmdResetQueryPool(commands, self._pool, 0, 2)
            top = vk.VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
            vk.vkCmdWriteTimestamp(commands, top, self._pool, 0)

    def stop(self, commands: Any) -> None:
        """Record the second one: when everything before it is done."""
        if self._pool is not None:
            bottom = vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
            vk.vkCmdWriteTimestamp(commands, bottom, self._pool, 1)

    def seconds(self) -> float:
        """Between the two, once the commands have run."""
        if self._pool is None:
            return nan
        flags = vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WAIT_BIT
        vk.vkGetQueryPoolResults(self._device.handle, self._pool, 0, 2, 16, self._ticks, 8, flags)
        return self._device.clock.seconds(self._ticks[0], self._ticks[1])
