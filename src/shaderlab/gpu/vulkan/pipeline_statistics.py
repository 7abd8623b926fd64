"""Pipeline statistics queries: what the device says one draw made it do."""

from __future__ import annotations

from contextlib import ExitStack

from shaderlab.gpu.measurement import PipelineStatistics
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing

_FEATURE = "pipelineStatisticsQuery"
_NUMBER = len(PipelineStatistics._fields)
"""One for each of the lowest bits (Vulkan spec, VkQueryPipelineStatisticFlagBits)."""


def pipeline_statistics(device: Device, drawing: Drawing) -> PipelineStatistics | None:
    """Draw once more and count; None where the device does not offer it."""
    if _FEATURE not in device.features:
        return None
    with ExitStack() as stack:
        info = vk.VkQueryPoolCreateInfo(
            queryType=vk.VK_QUERY_TYPE_PIPELINE_STATISTICS,
            queryCount=1,
            pipelineStatistics=(1 << _NUMBER) - 1,
        )
        pool = device.create("QueryPool", info, stack)

        def record(commands) -> None:
            vk.vkCmdResetQueryPool(commands, pool, 0, 1)
            vk.vkCmdBeginQuery(commands, pool, 0, 0)
            drawing.record(commands, keep=drawing.begins_anew)
            vk.vkCmdEndQuery(commands, pool, 0)

        drawing.restore()  # given samples are drawn into the attachments, which must not count
        device.run_once(record)
        # In the order of the bits asked for.
        counts = vk.ffi.new(f"uint64_t[{_NUMBER}]")
        flags = vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WAIT_BIT
        nbytes = 8 * _NUMBER
        vk.vkGetQueryPoolResults(device.handle, pool, 0, 1, nbytes, counts, nbytes, flags)
    return PipelineStatistics(*map(int, counts))
