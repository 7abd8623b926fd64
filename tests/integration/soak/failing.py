"""Device servers that fail as drivers do, for real workers to meet."""

from __future__ import annotations

from shaderlab.gpu.vulkan import binding
from shaderlab.workers.device import DeviceServer

DEVICE_LOST = -4
"""VK_ERROR_DEVICE_LOST, as a driver returns it."""


class LosesTheDevice(DeviceServer):
    """Its driver gives the device up at the first frame that has `lost` in its name."""

    def render(self, frame, shown, buffer):
        if "lose the device" in frame.shown.program.text:
            binding.check("vkQueueSubmit", DEVICE_LOST)
        return super().render(frame, shown, buffer)

    def render_heat(self, frame, view, shown, buffer):
        if "lose it while counting" in frame.shown.program.text:
            binding.check("vkQueueSubmit", DEVICE_LOST)
        return super().render_heat(frame, view, shown, buffer)
