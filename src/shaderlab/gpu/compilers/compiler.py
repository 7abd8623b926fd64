"""A vendor's chip that is not there: compiles pipelines and reports what came out; runs nothing."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from shaderlab.errors import (
    DeviceLost,
    NoVulkan,
    OutOfDeviceMemory,
    ShaderlabError,
    UnsupportedShader,
)
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import (
    Executable,
    Statistic,
    VendorStats,
    last_assembly,
    last_ir,
    mali_statistics,
)
from shaderlab.gpu.compilers.discovery import VendorTarget
from shaderlab.gpu.compilers.probe import EXTENSION
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.probe import probe
from shaderlab.locations import resources
from shaderlab.spirv.reflection import Component, Interface, ResourceKind
from shaderlab.spirv.value_types import size

_SIZE = (1024, 768)
"""Pixels of the attachments there would be; the code does not depend on it."""
_MOST_TEXT = 16 << 20
"""Bytes of one of the driver's texts."""
_MOST_DESCRIPTORS = 4096

_NO_STATISTICS = ("Source hash",)
"""What drivers report beside: ANV the digest of the source."""

_DESCRIPTOR_TYPES = {
    ResourceKind.UNIFORM_BLOCK: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    ResourceKind.STORAGE_BUFFER: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    ResourceKind.SAMPLED_TEXTURE: vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    ResourceKind.TEXTURE: vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    ResourceKind.SAMPLER: vk.VK_DESCRIPTOR_TYPE_SAMPLER,
    ResourceKind.STORAGE_IMAGE: vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    ResourceKind.UNIFORM_TEXEL_BUFFER: vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    ResourceKind.STORAGE_TEXEL_BUFFER: vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
}
_FORMATS = {
    Component.FLOAT: vk.VK_FORMAT_R8G8B8A8_UNORM,
    Component.INT: vk.VK_FORMAT_R8G8B8A8_SINT,
    Component.UINT: vk.VK_FORMAT_R8G8B8A8_UINT,
}


class VendorCompiler:
    """Compiles programs for one family.  A context manager; used from one thread.

    The process was started with `target.environment`, and has called `drivers.select(target.icd)`
    before Vulkan was loaded.
    """

    def __init__(self, target: VendorTarget):
        """Raises NoVulkan if the driver does not offer the chip."""
        self.target = target
        with _stderr():  # what the stand-in does not know, which does not matter
            self._device = self._open()

    def _open(self) -> Device:
        found = probe(self.target.icd)
        if not found:
            family = self.target.family
            raise NoVulkan(f"{family.vendor.driver} offers no device for {family.slug}")
        feature = vk.VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR(
            pipelineExecutableInfo=1
        )
        return Device.open(found[0], (EXTENSION,), feature)

    def compile(self, program: Program) -> VendorStats:
        """What the compiler makes of the fragment shader.  Raises UnsupportedShader."""
        interface = program.interface
        self._check(interface)
        with ExitStack() as stack, _stderr() as printed:
            layout = self._layout(interface, stack)
            handle, seconds, processor_s = self._pipeline(program, interface, layout, stack)
            executables = self._executables(handle, printed)
        return VendorStats(
            target=self.target.family.slug,
            name=self.target.family.name,
            vendor=self.target.family.vendor,
            driver=self.target.driver,
            executables=executables,
            compile_s=seconds,
            processor_s=processor_s,
        )

    def close(self) -> None:
        self._device.close()

    def __enter__(self) -> VendorCompiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self, interface: Interface) -> None:
        """Refuse what cannot be compiled here, before the driver sees it.

        Not for its SPIR-V version: Mesa reads all there are (spirv_to_nir.c), also where a driver
        offers no Vulkan that goes with them.
        """
        for varying in interface.varyings:
            if varying.is_read:
                raise UnsupportedShader(
                    f"{varying.name}: no vertex shader writes the input at location "
                    f"{varying.location}"
                )
        for resource in interface.resources:
            if resource.kind not in _DESCRIPTOR_TYPES:
                raise UnsupportedShader(f"{resource.name}: {resource.kind} is not supported")
            if resource.count is None or not 0 < resource.count <= _MOST_DESCRIPTORS:
                raise UnsupportedShader(f"{resource.name}: its array has no length, or too many")
        for output in interface.outputs:
            if output.component not in _FORMATS or output.type.bits != 32:
                raise UnsupportedShader(f"{output.name}: no attachment has this type")
            if output.blend_source:
                raise UnsupportedShader(f"{output.name}: dual-source blending is not supported")

    def _layout(self, interface: Interface, stack: ExitStack) -> Any:
        sets: dict[int, dict[int, Any]] = {}
        for resource in interface.resources:
            at = resource.descriptor
            sets.setdefault(at.set, {})[at.binding] = vk.VkDescriptorSetLayoutBinding(
                binding=at.binding,
                descriptorType=_DESCRIPTOR_TYPES[resource.kind],
                descriptorCount=resource.count,
                stageFlags=vk.VK_SHADER_STAGE_FRAGMENT_BIT,
            )
        limit = self._device.limits.maxBoundDescriptorSets
        if sets and max(sets) >= limit:
            raise UnsupportedShader(
                f"the shader uses descriptor set {max(sets)}, and the chip has {limit}"
            )
        create = self._device.create
        layouts = [
            create(
                "DescriptorSetLayout",
                vk.VkDescriptorSetLayoutCreateInfo(pBindings=list(sets.get(n, {}).values())),
                stack,
            )
            for n in range(max(sets, default=-1) + 1)
        ]
        ranges = []
        if interface.push_constants:
            nbytes = max(size(block.block) for block in interface.push_constants)
            limit = self._device.limits.maxPushConstantsSize
            if nbytes > limit:
                raise UnsupportedShader(
                    f"the push constants have {nbytes} bytes, and the chip has {limit}"
                )
            ranges.append(
                vk.VkPushConstantRange(
                    stageFlags=vk.VK_SHADER_STAGE_FRAGMENT_BIT, size=(nbytes + 3) & ~3
                )
            )
        info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=layouts, pPushConstantRanges=ranges)
        return create("PipelineLayout", info, stack)

    def _render_pass(self, interface: Interface, stack: ExitStack) -> tuple[Any, tuple[bool, ...]]:
        """And by output location, whether the shader writes it."""
        outputs = {output.location: output.component for output in interface.outputs}
        by_location = {0: Component.FLOAT} | outputs
        count = max(by_location) + 1
        if count > self._device.limits.maxColorAttachments:
            raise UnsupportedShader(f"the shader writes output location {count - 1}")
        used = sorted(by_location)
        attachments = [
            vk.VkAttachmentDescription(
                format=_FORMATS[by_location[location]],
                samples=vk.VK_SAMPLE_COUNT_1_BIT,
                finalLayout=vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            )
            for location in used
        ]
        references = [
            vk.VkAttachmentReference(
                attachment=used.index(n) if n in by_location else vk.VK_ATTACHMENT_UNUSED,
                layout=vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            )
            for n in range(count)
        ]
        subpass = vk.VkSubpassDescription(
            pipelineBindPoint=vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
            colorAttachmentCount=count,
            pColorAttachments=references,
        )
        info = vk.VkRenderPassCreateInfo(pAttachments=attachments, pSubpasses=[subpass])
        handle = self._device.create("RenderPass", info, stack)
        return handle, tuple(n in outputs for n in range(count))

    def _pipeline(
        self, program: Program, interface: Interface, layout: Any, stack: ExitStack
    ) -> tuple[Any, float, float]:
        """And the seconds the driver took, of the clock and of the processor."""
        render_pass, written = self._render_pass(interface, stack)
        vertex = self._module((resources() / "gpu" / "quad.vert.spv").read_bytes(), stack)
        fragment = self._module(program.spirv, stack)
        info = vk.VkGraphicsPipelineCreateInfo(
            flags=vk.VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
            | vk.VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
            pStages=[
                vk.VkPipelineShaderStageCreateInfo(
                    stage=vk.VK_SHADER_STAGE_VERTEX_BIT, module=vertex, pName="main"
                ),
                vk.VkPipelineShaderStageCreateInfo(
                    stage=vk.VK_SHADER_STAGE_FRAGMENT_BIT,
                    module=fragment,
                    pName=program.entry_point,
                ),
            ],
            pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(),
            pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
                topology=vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
            ),
            pViewportState=vk.VkPipelineViewportStateCreateInfo(
                pViewports=[vk.VkViewport(width=_SIZE[0], height=_SIZE[1], maxDepth=1.0)],
                scissorCount=1,
            ),
            pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                polygonMode=vk.VK_POLYGON_MODE_FILL,
                cullMode=vk.VK_CULL_MODE_NONE,
                lineWidth=1.0,
            ),
            pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(
                rasterizationSamples=vk.VK_SAMPLE_COUNT_1_BIT
            ),
            pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                pAttachments=[
                    vk.VkPipelineColorBlendAttachmentState(colorWriteMask=0xF if each else 0)
                    for each in written
                ]
            ),
            pDynamicState=vk.VkPipelineDynamicStateCreateInfo(
                pDynamicStates=[vk.VK_DYNAMIC_STATE_SCISSOR]
            ),
            layout=layout,
            renderPass=render_pass,
        )
        start, worked = time.perf_counter(), time.process_time()
        try:
            handle = vk.vkCreateGraphicsPipelines(self._device.handle, vk.ffi.NULL, 1, info, None)
        except (DeviceLost, OutOfDeviceMemory):
            raise
        except ShaderlabError as error:
            driver = self.target.family.vendor.driver
            raise UnsupportedShader(f"{driver} does not accept the shader: {error}") from None
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        self._device.owned("Pipeline", vk.vkDestroyPipeline, handle, stack)
        return handle, seconds, worked

    def _module(self, spirv: bytes, stack: ExitStack) -> Any:
        info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
        return self._device.create("ShaderModule", info, stack)

    def _executables(self, pipeline: Any, printed: Callable[[], str]) -> tuple[Executable, ...]:
        """The fragment stage's."""
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutablePropertiesKHR",
            self._device.handle,
            vk.VkPipelineInfoKHR(pipeline=pipeline),
        )
        more = mali_statistics(printed()) if self.target.family.vendor.slug == "mali" else ()
        executables = []
        for index, properties in enumerate(found):
            if not properties.stages & vk.VK_SHADER_STAGE_FRAGMENT_BIT:
                continue
            query = vk.VkPipelineExecutableInfoKHR(pipeline=pipeline, executableIndex=index)
            texts = self._representations(query)
            executables.append(
                Executable(
                    vk.text(properties.name),
                    properties.subgroupSize,
                    (*self._statistics(query), *more),
                    last_assembly(texts),
                    last_ir(texts),
                )
            )
        if not executables:
            driver = self.target.family.vendor.driver
            raise UnsupportedShader(f"{driver} made no fragment shader of this program")
        return tuple(executables)

    def _statistics(self, query: vk.Struct) -> tuple[Statistic, ...]:
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutableStatisticsKHR",
            self._device.handle,
            query,
        )
        return tuple(
            Statistic(vk.text(each.name), _value(each), vk.text(each.description))
            for each in found
            if vk.text(each.name) not in _NO_STATISTICS
        )

    def _representations(self, query: vk.Struct) -> list[tuple[str, str]]:
        """The driver's texts with its names for them.  The second call needs the sizes first."""
        command = vk.device_command(
            self._device.handle, "vkGetPipelineExecutableInternalRepresentationsKHR"
        )
        count = vk.ffi.new("uint32_t *")
        command(self._device.handle, query, count, None)
        items = vk.ffi.new("VkPipelineExecutableInternalRepresentationKHR[]", count[0])
        for item in items:
            item.sType = vk.VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR
        command(self._device.handle, query, count, items)
        rooms = []
        for item in items:
            item.dataSize = min(item.dataSize, _MOST_TEXT)
            rooms.append(vk.ffi.new("char[]", item.dataSize + 1))
            item.pData = rooms[-1]
        command(self._device.handle, query, count, items)
        return [
            (vk.text(item.name), vk.text(room))
            for item, room in zip(items, rooms, strict=True)
            if item.isText
        ]


def _value(statistic: Any) -> float:
    formats = {
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: "b32",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: "i64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: "u64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: "f64",
    }
    return float(getattr(statistic.value, formats[statistic.format]))


@contextmanager
def _stderr() -> Iterator[Callable[[], str]]:
    """Keep what the driver writes to stderr meanwhile; yields a function that reads it."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)

        def read() -> str:
            file.seek(0)
            return file.read(_MOST_TEXT).decode("utf-8", "replace")

        try:
            yield read
        finally:
            os.dup2(kept, 2)
            os.close(kept)
