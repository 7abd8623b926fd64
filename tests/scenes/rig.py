"""What the scenes are made with: images, buffers, descriptors and pipelines in few words."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import features
from shaderlab.gpu.vulkan.device import Device, begin, end

SIZE = (96, 64)
_TO = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL
_ALL = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT
_COMMANDS = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
STAGES = {
    "vert": vk.VK_SHADER_STAGE_VERTEX_BIT,
    "tesc": vk.VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    "tese": vk.VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    "geom": vk.VK_SHADER_STAGE_GEOMETRY_BIT,
    "frag": vk.VK_SHADER_STAGE_FRAGMENT_BIT,
    "comp": vk.VK_SHADER_STAGE_COMPUTE_BIT,
}
_BUFFER_KINDS = {
    "uniform": vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    "storage": vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    "dynamic": vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
}
_TEXEL_KINDS = {
    "texels": vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    "texels out": vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
}
_IMAGE_KINDS = {
    "texture": vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    "image": vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    "sampler": vk.VK_DESCRIPTOR_TYPE_SAMPLER,
    "stored": vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    "input": vk.VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
}
_MORE = {
    "VkPhysicalDeviceVulkan12Features": (
        "bufferDeviceAddress", "descriptorBindingPartiallyBound", "drawIndirectCount",
        "descriptorBindingVariableDescriptorCount",
    ),
    "VkPhysicalDeviceVulkan13Features": ("dynamicRendering", "synchronization2"),
}  # fmt: skip


@cache
def spirv(text: str, stage: str) -> bytes:
    """Of GLSL, by the program `glslangValidator`."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / f"scene.{stage}", Path(folder) / "made.spv"
        source.write_text(text)
        command = ("glslangValidator", "-V", "--target-env", "vulkan1.2", "-g", str(source), "-o")
        result = subprocess.run((*command, str(made)), capture_output=True, check=False)
        if result.returncode:
            raise SystemExit(f"{text}\n{result.stdout.decode()}")
        return made.read_bytes()


def open_device(info: DeviceInfo) -> Device:
    """With features on that shaderlab itself does not need."""
    features.CORE += (
        "tessellationShader", "logicOp", "multiDrawIndirect", "drawIndirectFirstInstance",
        "largePoints", "wideLines", "alphaToOne",
    )  # fmt: skip
    for kind, names in _MORE.items():
        features.NEWER[kind] += names
    return Device.open(info, ("VK_KHR_push_descriptor", "VK_EXT_vertex_attribute_divisor"))


class Image:
    """An image with its memory, in the layout GENERAL from the first command on."""

    def __init__(self, rig: Rig, kind: str, size: Sequence[int], **its: Any):
        """`its`: samples, layers, levels, dimension, cube; `depth` for its aspects."""
        self.format = getattr(vk, f"VK_FORMAT_{kind}")
        self.size = (*size, 1, 1)[:3]
        self.samples, self.layers = its.get("samples", 1), its.get("layers", 1)
        self.levels, self.dimension = its.get("levels", 1), its.get("dimension", 2)
        self.is_cube = its.get("cube", False)
        depth = 0 if kind == "S8_UINT" else vk.VK_IMAGE_ASPECT_DEPTH_BIT
        stencil = vk.VK_IMAGE_ASPECT_STENCIL_BIT if "S8" in kind else 0
        is_depth = kind.startswith(("D16", "D24", "D32", "X8_D24")) or kind == "S8_UINT"
        self.aspect = (depth | stencil) if is_depth else vk.VK_IMAGE_ASPECT_COLOR_BIT
        self._rig = rig
        usage = (
            vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
            | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
            | vk.VK_IMAGE_USAGE_SAMPLED_BIT
        )
        can = vk.vkGetPhysicalDeviceFormatProperties(rig.device.physical, self.format)
        offered = can.optimalTilingFeatures
        if is_depth:
            usage |= vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
        elif offered & vk.VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT:
            usage |= vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
        if its.get("attached"):
            usage |= vk.VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
        if offered & vk.VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT and self.samples == 1:
            usage |= vk.VK_IMAGE_USAGE_STORAGE_BIT
        self.handle = rig.device.create(
            "Image",
            vk.VkImageCreateInfo(
                flags=(vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT if self.is_cube else 0)
                | its.get("flags", 0),
                imageType=self.dimension - 1,
                format=self.format,
                extent=vk.VkExtent3D(
                    width=self.size[0], height=self.size[1], depth=self.size[2]
                ),
                mipLevels=self.levels,
                arrayLayers=self.layers,
                samples=self.samples,
                usage=usage,
            ),
            rig.stack,
        )  # fmt: skip
        needs = vk.vkGetImageMemoryRequirements(rig.device.handle, self.handle)
        memory = rig.memory(needs, 0)
        vk.vkBindImageMemory(rig.device.handle, self.handle, memory, 0)
        rig.run(lambda c: self.barrier(c, 0, GENERAL))

    def part(self, aspect: int = 0, level: int = 0, layer: int = 0, **counts: int) -> vk.Struct:
        return vk.VkImageSubresourceRange(
            aspectMask=aspect or self.aspect,
            baseMipLevel=level,
            levelCount=counts.get("levels", self.levels - level),
            baseArrayLayer=layer,
            layerCount=counts.get("layers", self.layers - layer),
        )

    def barrier(self, commands: Any, old: int = GENERAL, new: int = GENERAL) -> None:
        its = vk.VkImageMemoryBarrier(
            srcAccessMask=_ALL, dstAccessMask=_ALL, oldLayout=old, newLayout=new,
            srcQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            dstQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            image=self.handle, subresourceRange=self.part(),
        )  # fmt: skip
        vk.vkCmdPipelineBarrier(commands, _COMMANDS, _COMMANDS, 0, 0, None, 0, None, 1, [its])

    def view(self, kind: str = "", aspect: int = 0, **part: int) -> Any:
        """`kind`: word after VK_IMAGE_VIEW_TYPE_; the format by `format`."""
        plain = f"{self.dimension}D" + ("_ARRAY" if self.layers > 1 else "")
        name = kind or ("CUBE" if self.is_cube else plain)
        info = vk.VkImageViewCreateInfo(
            image=self.handle,
            viewType=getattr(vk, f"VK_IMAGE_VIEW_TYPE_{name}"),
            format=part.pop("format", self.format),
            subresourceRange=self.part(aspect, **part),
        )
        return self._rig.device.create("ImageView", info, self._rig.stack)

    def fill(self, nbytes: int, block: int = 1, dtype: type = np.uint8) -> Image:
        """Bytes by chance in every level and layer; of floats numbers from 0 to 1."""
        chance = np.random.default_rng(nbytes)
        regions, at, data = [], 0, []
        for level in range(self.levels):
            width, height, depth = (max(1, side >> level) for side in self.size)
            count = -(-width // block) * -(-height // block) * depth * self.layers
            part = chance.integers(0, 256, count * nbytes).astype(np.uint8)
            if dtype is not np.uint8:
                numbers = chance.random(count * nbytes // np.dtype(dtype).itemsize)
                part = numbers.astype(dtype).view(np.uint8)
            regions.append(
                vk.VkBufferImageCopy(
                    bufferOffset=at,
                    imageSubresource=vk.VkImageSubresourceLayers(
                        aspectMask=self.aspect, mipLevel=level, layerCount=self.layers
                    ),
                    imageExtent=vk.VkExtent3D(width=width, height=height, depth=depth),
                )
            )
            data.append(np.pad(part, (0, -len(part) % 16)))
            at += len(data[-1])
        buffer = self._rig.buffer(np.concatenate(data))
        self._rig.run(
            lambda c: vk.vkCmdCopyBufferToImage(
                c, buffer, self.handle, GENERAL, len(regions), regions
            )
        )
        return self


class Rig:
    """A device, and the frame's one command buffer."""

    def __init__(self, device: Device, stack: ExitStack):
        self.device, self.stack = device, stack
        self.commands: Any = None
        self.drawn: list[str] = []
        """The name of the scene of each draw and dispatch, in their order."""
        self.scene = ""
        self._get = vk.ffi.typeof("PFN_vkCmdPushDescriptorSetKHR")
        found = vk.vkGetDeviceProcAddr(device.handle, "vkCmdPushDescriptorSetKHR")
        self.push_descriptors = vk.ffi.cast(self._get, found)

    def memory(self, needs: Any, wanted: int, *, addressed: bool = False) -> Any:
        kinds = self.device.memory_properties
        index = next(
            n
            for n in range(kinds.memoryTypeCount)
            if needs.memoryTypeBits >> n & 1
            and kinds.memoryTypes[n].propertyFlags & wanted == wanted
        )
        flags = vk.VkMemoryAllocateFlagsInfo(flags=2)  # device address
        info = vk.VkMemoryAllocateInfo(
            pNext=flags if addressed else None, allocationSize=needs.size, memoryTypeIndex=index
        )
        made = vk.vkAllocateMemory(self.device.handle, info, None)
        self.stack.callback(vk.vkFreeMemory, self.device.handle, made, None)
        return made

    def buffer(self, data: Any, *, addressed: bool = False) -> Any:
        """With these contents, for every use."""
        raw = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        usage = 0x1FF | (0x20000 if addressed else 0)
        info = vk.VkBufferCreateInfo(size=max(16, len(raw)), usage=usage)
        made = self.device.create("Buffer", info, self.stack)
        needs = vk.vkGetBufferMemoryRequirements(self.device.handle, made)
        memory = self.memory(needs, vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, addressed=addressed)
        vk.vkBindBufferMemory(self.device.handle, made, memory, 0)
        address = vk.vkMapMemory(self.device.handle, memory, 0, vk.VK_WHOLE_SIZE, 0)
        np.frombuffer(vk.ffi.buffer(address, len(raw)), np.uint8)[:] = raw  # pyright: ignore[reportArgumentType]
        vk.vkUnmapMemory(self.device.handle, memory)
        return made

    def run(self, record: Any) -> None:
        """Before the frame, or in it once it has begun."""
        if self.commands is None:
            self.device.run_once(record)
        else:
            record(self.commands)

    def sampler(self, **its: Any) -> Any:
        linear = {"magFilter": 1, "minFilter": 1, "mipmapMode": 1, "maxLod": 16.0}
        return self.device.create("Sampler", vk.VkSamplerCreateInfo(**linear | its), self.stack)

    def bound(self, binds: Sequence[tuple[str, list[Any]]], **its: Any) -> tuple[Any, list[Any]]:
        """VkPipelineLayout and descriptor sets (one) of kinds and infos by binding.

        `its`: push (bytes), pushed (descriptors pushed), partly (how many of the last are declared)
        """
        stages = vk.VK_SHADER_STAGE_ALL
        listed, sizes = [], {}
        for number, (kind, infos) in enumerate(binds):
            count = len(infos)
            if its.get("partly") and number == len(binds) - 1:
                count = its["partly"]
            vulkan = (_BUFFER_KINDS | _TEXEL_KINDS | _IMAGE_KINDS)[kind]
            listed.append(
                vk.VkDescriptorSetLayoutBinding(
                    binding=number, descriptorType=vulkan, descriptorCount=count, stageFlags=stages
                )
            )
            sizes[vulkan] = sizes.get(vulkan, 0) + count
        flags = vk.VkDescriptorSetLayoutBindingFlagsCreateInfo(
            pBindingFlags=[vk.VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT] * len(listed)
        )
        pushed = 0x1 if its.get("pushed") else 0  # VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_…
        info = vk.VkDescriptorSetLayoutCreateInfo(
            pNext=flags if its.get("partly") else None, flags=pushed, pBindings=listed
        )
        layout = self.device.create("DescriptorSetLayout", info, self.stack)
        ranges = (
            [vk.VkPushConstantRange(stageFlags=stages, size=its["push"])] if its.get("push") else []
        )
        made = self.device.create(
            "PipelineLayout",
            vk.VkPipelineLayoutCreateInfo(pSetLayouts=[layout], pPushConstantRanges=ranges),
            self.stack,
        )
        if its.get("pushed"):
            return made, [self.write(None, n, k, i) for n, (k, i) in enumerate(binds)]
        pools = [vk.VkDescriptorPoolSize(type=k, descriptorCount=n) for k, n in sizes.items()]
        if not pools:
            return made, []
        pool = self.device.create(
            "DescriptorPool", vk.VkDescriptorPoolCreateInfo(maxSets=1, pPoolSizes=pools), self.stack
        )
        sets = vk.ffi.new("VkDescriptorSet[]", 1)
        given = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=[layout])
        vk.vkAllocateDescriptorSets(self.device.handle, given, sets)
        for number, (kind, infos) in enumerate(binds):
            written = self.write(sets[0], number, kind, infos)
            vk.vkUpdateDescriptorSets(self.device.handle, 1, [written], 0, None)
        return made, [sets[0]]

    def write(self, into: Any, number: int, kind: str, infos: list[Any]) -> vk.Struct:
        """VkWriteDescriptorSet.  Infos: buffers (or with a range), views, (view, sampler)."""
        fields: dict[str, Any] = {}
        if kind in _BUFFER_KINDS:
            fields["pBufferInfo"] = [
                vk.VkDescriptorBufferInfo(
                    buffer=each[0] if isinstance(each, tuple) else each,
                    range=each[1] if isinstance(each, tuple) else vk.VK_WHOLE_SIZE,
                )
                for each in infos
            ]
        elif kind in _TEXEL_KINDS:
            fields["pTexelBufferView"] = infos
        else:
            pairs = [each if isinstance(each, tuple) else (each, None) for each in infos]
            if kind == "sampler":
                pairs = [(None, each) for each in infos]
            fields["pImageInfo"] = [
                vk.VkDescriptorImageInfo(imageView=v, sampler=s, imageLayout=GENERAL)
                for v, s in pairs
            ]
        kinds = _BUFFER_KINDS | _TEXEL_KINDS | _IMAGE_KINDS
        return vk.VkWriteDescriptorSet(
            dstSet=into, dstBinding=number, descriptorCount=len(infos),
            descriptorType=kinds[kind], **fields,
        )  # fmt: skip

    def stages(self, texts: dict[str, str], constants: vk.Struct | None = None) -> list[vk.Struct]:
        made = []
        for stage, text in texts.items():
            code = spirv(text, stage)
            info = vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code)
            module = self.device.create("ShaderModule", info, self.stack)
            made.append(
                vk.VkPipelineShaderStageCreateInfo(
                    stage=STAGES[stage], module=module, pName="main",
                    pSpecializationInfo=constants if stage in ("frag", "comp") else None,
                )
            )  # fmt: skip
        return made

    def kernel(
        self, text: str, layout: Any, constants: vk.Struct | None = None, flags: int = 0
    ) -> Any:
        (stage,) = self.stages({"comp": text}, constants)
        info = vk.VkComputePipelineCreateInfo(
            flags=flags, stage=stage, layout=layout, basePipelineIndex=-1
        )
        made = vk.vkCreateComputePipelines(self.device.handle, vk.ffi.NULL, 1, info, None)
        self.stack.callback(vk.vkDestroyPipeline, self.device.handle, made, None)
        return made

    @contextmanager
    def frame(self) -> Iterator[None]:
        """All commands until its end are one submission."""
        self.commands = self.device.command_buffer(self.stack)
        begin(self.commands)
        yield
        end(self.commands)
        self.device.run(self.commands)

    def dispatch(self, pipeline: Any, layout: Any, sets: list[Any], groups: Sequence[int]) -> None:
        point = vk.VK_PIPELINE_BIND_POINT_COMPUTE
        c = self.commands
        vk.vkCmdBindPipeline(c, point, pipeline)
        vk.vkCmdBindDescriptorSets(c, point, layout, 0, len(sets), sets, 0, None)
        self.drawn.append(self.scene)
        vk.vkCmdDispatch(c, *groups)
        self.everything()

    def everything(self) -> None:
        """Wait for everything before."""
        both = vk.VkMemoryBarrier(srcAccessMask=_ALL, dstAccessMask=_ALL)
        vk.vkCmdPipelineBarrier(self.commands, _COMMANDS, _COMMANDS, 0, 1, [both], 0, None, 0, None)
