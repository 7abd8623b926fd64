"""An open Vulkan device: its queue, its clock, and the life of what is made on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from shaderlab.errors import DeviceLost, NoTimestamps, NoVulkan
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.features import Offer
from shaderlab.gpu.vulkan.instance import Instance, has_timestamps

_FENCE_SLICE_NS = 100_000_000
"""Fence waits return this often, so that signals are handled during a long draw."""


class Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=Closable)


@dataclass(frozen=True)
class Clock:
    """A queue's timestamp counter."""

    period_ns: float
    """Nanoseconds per tick."""
    valid_bits: int
    """The counter wraps around after this many bits."""

    def seconds(self, start: int, end: int) -> float:
        """From one timestamp to a later one, across at most one wrap."""
        ticks = (end - start) & ((1 << self.valid_bits) - 1)
        return ticks * self.period_ns * 1e-9


class Device:
    """A logical device with one graphics queue.  A context manager; used from one thread."""

    def __init__(
        self,
        info: DeviceInfo,
        instance: Instance,
        physical: Any,
        stack: ExitStack,
        extensions: tuple[str, ...] = (),
        extension_features: vk.Struct | None = None,
    ):
        """Use `open`.  Takes over `stack`, which holds the instance."""
        self.info = info
        self.instance = instance
        self.physical = physical
        self._properties = vk.vkGetPhysicalDeviceProperties(physical)
        self.limits = self._properties.limits
        """VkPhysicalDeviceLimits."""
        self.memory_properties = vk.vkGetPhysicalDeviceMemoryProperties(physical)
        self.spirv_version = instance.spirv_version(physical)
        self.live: Counter[str] = Counter()
        """Vulkan objects made through `create` and not yet destroyed, by kind."""

        family = self._graphics_family()
        offer = Offer(instance, physical, extension_features)
        self.features = offer.names
        """Enabled features, by their names in VkPhysicalDeviceFeatures and its successors;
        extensions; `subgroup BASIC` and the like."""
        self.handle = vk.vkCreateDevice(
            physical,
            vk.VkDeviceCreateInfo(
                pNext=offer.chain,
                ppEnabledExtensionNames=list(dict.fromkeys([*extensions, *offer.extensions])),
                pQueueCreateInfos=[
                    vk.VkDeviceQueueCreateInfo(queueFamilyIndex=family, pQueuePriorities=[1.0])
                ],
                pEnabledFeatures=vk.VkPhysicalDeviceFeatures(**dict.fromkeys(offer.core, 1)),
            ),
            None,
        )
        self._stack = stack
        stack.callback(vk.vkDestroyDevice, self.handle, None)
        self._companions: dict[type, Any] = {}
        self.draw_seconds: dict[Hashable, float] = {}
        """Seconds a draw took when it was last rendered, by its `pipeline_key`."""
        self.counted_seconds: dict[Hashable, float] = {}
        """The same, of its counting program: of those that take longer than a submission may."""
        self.queue = vk.vkGetDeviceQueue(self.handle, family, 0)
        self._command_pool = self.create(
            "CommandPool",
            vk.VkCommandPoolCreateInfo(
                flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=family
            ),
            stack,
        )
        self._fence = self.create("Fence", vk.VkFenceCreateInfo(), stack)

    @property
    def subgroup(self) -> int | None:
        """Invocations of a subgroup, where all its compute shaders have the same."""
        if "subgroup BASIC" not in self.features:
            return None
        own = vk.VkPhysicalDeviceSubgroupProperties()
        sides = vk.VkPhysicalDeviceSubgroupSizeControlProperties(pNext=own)
        vk.vkGetPhysicalDeviceProperties2(
            self.physical, vk.VkPhysicalDeviceProperties2(pNext=sides)
        )
        least, most = sides.pointer.minSubgroupSize, sides.pointer.maxSubgroupSize
        if not most:  # from before a shader could choose
            return own.pointer.subgroupSize
        return least if least == most else None

    @classmethod
    def open(
        cls,
        info: DeviceInfo,
        extensions: tuple[str, ...] = (),
        extension_features: vk.Struct | None = None,
    ) -> Device:
        """Open the device `info` describes; `drivers.select(info.manifest)` came before.

        `extensions` are enabled, with the feature structs of the `extension_features` chain.
        Raises NoVulkan if its driver offers no device, DeviceLost if this one is gone.
        """
        with ExitStack() as stack:
            instance = stack.enter_context(Instance.create())
            devices = instance.physical_devices()
            names = [vk.text(vk.vkGetPhysicalDeviceProperties(d).deviceName) for d in devices]
            if info.index >= len(devices) or names[info.index] != info.name:
                raise DeviceLost(f"{info.name} is no longer there")
            device = cls(info, instance, devices[info.index], stack, extensions, extension_features)
            device._stack = stack.pop_all()
            return device

    @property
    def clock(self) -> Clock:
        """Raises NoTimestamps where the queue has no usable timestamps."""
        if self._clock is None:
            raise NoTimestamps(f"{self.info.name} cannot write timestamps, so it cannot be timed")
        return self._clock

    @property
    def has_clock(self) -> bool:
        return self._clock is not None

    def supports(self, image_format: int, features: int) -> bool:
        """Whether images of a VkFormat with optimal tiling have all these VkFormatFeatureFlags."""
        found = vk.vkGetPhysicalDeviceFormatProperties(self.physical, image_format)
        return found.optimalTilingFeatures & features == features

    def create(self, kind: str, info: vk.Struct, stack: ExitStack) -> Any:
        """Handle of vkCreate<kind>; `stack` destroys it."""
        handle = getattr(vk, f"vkCreate{kind}")(self.handle, info, None)
        self.owned(kind, getattr(vk, f"vkDestroy{kind}"), handle, stack)
        return handle

    def owned(self, kind: str, destroy: Callable[..., Any], handle: Any, stack: ExitStack) -> None:
        """Have `stack` call `destroy(device, handle, None)`, and count the object meanwhile."""
        self.live[kind] += 1

        def give_back() -> None:
            destroy(self.handle, handle, None)
            self.live[kind] -= 1

        stack.callback(give_back)

    def command_buffer(self, stack: ExitStack) -> Any:
        """A primary command buffer; `stack` frees it."""
        commands = vk.vkAllocateCommandBuffers(
            self.handle,
            vk.VkCommandBufferAllocateInfo(
                commandPool=self._command_pool,
                level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                commandBufferCount=1,
            ),
        )
        self.live["CommandBuffer"] += 1

        def give_back() -> None:
            vk.vkFreeCommandBuffers(self.handle, self._command_pool, 1, [commands])
            self.live["CommandBuffer"] -= 1

        stack.callback(give_back)
        return commands

    def companion(self, kind: type[T], make: Callable[[], T]) -> T:
        """The device's one object of a class, made when first asked for, closed with the device."""
        if kind not in self._companions:
            self._companions[kind] = make()
        return self._companions[kind]

    def run(self, commands: Any) -> None:
        """Submit a recorded command buffer and wait for its end, however long that takes.

        A shader that never ends never returns: whoever owns this process watches the time.
        Raises DeviceLost.
        """
        vk.vkResetFences(self.handle, 1, [self._fence])
        vk.vkQueueSubmit(self.queue, 1, vk.VkSubmitInfo(pCommandBuffers=[commands]), self._fence)
        while (
            vk.vkWaitForFences(self.handle, 1, [self._fence], 1, _FENCE_SLICE_NS) == vk.VK_TIMEOUT
        ):
            pass

    def run_once(self, record: Callable[[Any], None]) -> None:
        """Record commands into a temporary buffer, run them, and free it."""
        with ExitStack() as stack:
            commands = self.command_buffer(stack)
            begin(commands)
            record(commands)
            end(commands)
            self.run(commands)

    def close(self) -> None:
        """Destroy the device and its companions.  What else was made on it is closed before."""
        for companion in self._companions.values():
            companion.close()
        self._companions.clear()
        self._stack.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _graphics_family(self) -> int:
        families = vk.enumerate_all("vkGetPhysicalDeviceQueueFamilyProperties", self.physical)
        for index, family in enumerate(families):
            if family.queueFlags & vk.VK_QUEUE_GRAPHICS_BIT:
                bits, period = family.timestampValidBits, self.limits.timestampPeriod
                self._clock = Clock(period, bits) if has_timestamps(bits, period) else None
                return index
        raise NoVulkan(f"{self.info.name} has no graphics queue")


def begin(commands: Any, flags: int = 0) -> None:
    """Start recording a command buffer."""
    vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo(flags=flags))


def end(commands: Any) -> None:
    """Finish recording a command buffer."""
    vk.vkEndCommandBuffer(commands)
