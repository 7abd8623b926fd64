"""Features of devices that shaders use, and the SPIR-V capabilities that stand for them.

Vulkan specification, "SPIR-V Capabilities" and "Features".
"""

from __future__ import annotations

from typing import Any

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.instance import VERSION_1_1, VERSION_1_2, VERSION_1_3, Instance
from shaderlab.spirv.grammar import ENUMS

CORE = (
    "depthBounds",
    "depthClamp",
    "dualSrcBlend",
    "fillModeNonSolid",
    "fragmentStoresAndAtomics",
    "geometryShader",
    "imageCubeArray",
    "independentBlend",
    "largePoints",
    "logicOp",
    "multiViewport",
    "pipelineStatisticsQuery",
    "sampleRateShading",
    "samplerAnisotropy",
    "shaderClipDistance",
    "shaderCullDistance",
    "shaderFloat64",
    "shaderImageGatherExtended",
    "shaderInt16",
    "shaderInt64",
    "shaderResourceMinLod",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "shaderStorageImageExtendedFormats",
    "shaderStorageImageMultisample",
    "shaderStorageImageReadWithoutFormat",
    "shaderStorageImageWriteWithoutFormat",
    "shaderUniformBufferArrayDynamicIndexing",
    "textureCompressionBC",
    "textureCompressionETC2",
    "vertexPipelineStoresAndAtomics",
    "wideLines",
)
"""Of VkPhysicalDeviceFeatures; enabled where the device has them."""

_NON_UNIFORM = (
    "InputAttachment", "SampledImage", "StorageBuffer", "StorageImage", "StorageTexelBuffer",
    "UniformBuffer", "UniformTexelBuffer",
)  # fmt: skip
_DYNAMIC = ("InputAttachment", "StorageTexelBuffer", "UniformTexelBuffer")

NEWER = {
    "VkPhysicalDeviceVulkan11Features": (
        "multiview",
        "shaderDrawParameters",
        "storageBuffer16BitAccess",
        "storageInputOutput16",
        "storagePushConstant16",
        "uniformAndStorageBuffer16BitAccess",
        "variablePointers",
        "variablePointersStorageBuffer",
    ),
    "VkPhysicalDeviceVulkan12Features": (
        "runtimeDescriptorArray",
        "scalarBlockLayout",
        "shaderBufferInt64Atomics",
        "shaderFloat16",
        "shaderInt8",
        "shaderOutputLayer",
        "shaderOutputViewportIndex",
        "shaderSubgroupExtendedTypes",
        "storageBuffer8BitAccess",
        "storagePushConstant8",
        "uniformAndStorageBuffer8BitAccess",
        "uniformBufferStandardLayout",
        "vulkanMemoryModel",
        "vulkanMemoryModelDeviceScope",
        *(f"shader{kind}ArrayNonUniformIndexing" for kind in _NON_UNIFORM),
        *(f"shader{kind}ArrayDynamicIndexing" for kind in _DYNAMIC),
    ),
    "VkPhysicalDeviceVulkan13Features": (
        "shaderDemoteToHelperInvocation",
        "shaderIntegerDotProduct",
        "shaderTerminateInvocation",
    ),
}
"""The same of the structs that later versions of Vulkan added."""

_SINCE = {
    "VkPhysicalDeviceVulkan11Features": VERSION_1_2,  # newer than what it describes
    "VkPhysicalDeviceVulkan12Features": VERSION_1_2,
    "VkPhysicalDeviceVulkan13Features": VERSION_1_3,
}

_EXTENSIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "VK_KHR_fragment_shader_barycentric": (
        "VkPhysicalDeviceFragmentShaderBarycentricFeaturesKHR",
        ("fragmentShaderBarycentric",),
    ),
    "VK_EXT_fragment_shader_interlock": (
        "VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT",
        ("fragmentShaderPixelInterlock", "fragmentShaderSampleInterlock"),
    ),
    "VK_EXT_shader_atomic_float": (
        "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
        ("shaderBufferFloat32AtomicAdd", "shaderBufferFloat64AtomicAdd"),
    ),
    "VK_KHR_shader_clock": (
        "VkPhysicalDeviceShaderClockFeaturesKHR",
        ("shaderDeviceClock", "shaderSubgroupClock"),
    ),
    "VK_EXT_post_depth_coverage": ("", ()),
    "VK_EXT_shader_stencil_export": ("", ()),
    "VK_EXT_shader_subgroup_ballot": ("", ()),
    "VK_EXT_shader_subgroup_vote": ("", ()),
    "VK_EXT_shader_viewport_index_layer": ("", ()),
}
"""By extension: the struct of its features, and those of them that shaders use."""

_CAPABILITIES = ENUMS["Capability"]
NAMES = {number: name for name, number in reversed(_CAPABILITIES.items())}
"""Of capabilities."""

ALWAYS = {
    _CAPABILITIES[name]
    for name in (
        "Matrix", "Shader", "DerivativeControl", "ImageQuery", "Image1D", "Sampled1D",
        "ImageBuffer", "SampledBuffer", "InputAttachment",
    )
}  # fmt: skip
"""Capabilities every device has."""

_SUBGROUP = {
    "GroupNonUniform": "BASIC", "GroupNonUniformVote": "VOTE",
    "GroupNonUniformArithmetic": "ARITHMETIC", "GroupNonUniformBallot": "BALLOT",
    "GroupNonUniformShuffle": "SHUFFLE", "GroupNonUniformShuffleRelative": "SHUFFLE_RELATIVE",
    "GroupNonUniformClustered": "CLUSTERED", "GroupNonUniformQuad": "QUAD",
}  # fmt: skip

_NEEDED = {
    "AtomicFloat32AddEXT": "shaderBufferFloat32AtomicAdd",
    "AtomicFloat64AddEXT": "shaderBufferFloat64AtomicAdd",
    "ClipDistance": "shaderClipDistance",
    "CullDistance": "shaderCullDistance",
    "DemoteToHelperInvocation": "shaderDemoteToHelperInvocation",
    "DotProduct": "shaderIntegerDotProduct",
    "DotProductInput4x8Bit": "shaderIntegerDotProduct",
    "DotProductInput4x8BitPacked": "shaderIntegerDotProduct",
    "DotProductInputAll": "shaderIntegerDotProduct",
    "DrawParameters": "shaderDrawParameters",
    "Float16": "shaderFloat16",
    "Float64": "shaderFloat64",
    "FragmentBarycentricKHR": "fragmentShaderBarycentric",
    "FragmentShaderPixelInterlockEXT": "fragmentShaderPixelInterlock",
    "FragmentShaderSampleInterlockEXT": "fragmentShaderSampleInterlock",
    "Geometry": "geometryShader",
    "ImageCubeArray": "imageCubeArray",
    "ImageGatherExtended": "shaderImageGatherExtended",
    "ImageMSArray": "shaderStorageImageMultisample",
    "Int16": "shaderInt16",
    "Int64": "shaderInt64",
    "Int64Atomics": "shaderBufferInt64Atomics",
    "Int8": "shaderInt8",
    "InterpolationFunction": "sampleRateShading",
    "MinLod": "shaderResourceMinLod",
    "MultiView": "multiview",
    "MultiViewport": "multiViewport",
    "RuntimeDescriptorArray": "runtimeDescriptorArray",
    "SampleMaskPostDepthCoverage": "VK_EXT_post_depth_coverage",
    "SampleRateShading": "sampleRateShading",
    "SampledCubeArray": "imageCubeArray",
    "ShaderClockKHR": "shaderSubgroupClock",
    "ShaderLayer": "shaderOutputLayer",
    "ShaderNonUniform": "runtimeDescriptorArray",
    "ShaderViewportIndex": "shaderOutputViewportIndex",
    "ShaderViewportIndexLayerEXT": "VK_EXT_shader_viewport_index_layer",
    "StencilExportEXT": "VK_EXT_shader_stencil_export",
    "StorageBuffer16BitAccess": "storageBuffer16BitAccess",
    "StorageBuffer8BitAccess": "storageBuffer8BitAccess",
    "StorageImageExtendedFormats": "shaderStorageImageExtendedFormats",
    "StorageImageMultisample": "shaderStorageImageMultisample",
    "StorageImageReadWithoutFormat": "shaderStorageImageReadWithoutFormat",
    "StorageImageWriteWithoutFormat": "shaderStorageImageWriteWithoutFormat",
    "StorageInputOutput16": "storageInputOutput16",
    "StoragePushConstant16": "storagePushConstant16",
    "StoragePushConstant8": "storagePushConstant8",
    "SubgroupBallotKHR": "VK_EXT_shader_subgroup_ballot",
    "SubgroupVoteKHR": "VK_EXT_shader_subgroup_vote",
    "UniformAndStorageBuffer16BitAccess": "uniformAndStorageBuffer16BitAccess",
    "UniformAndStorageBuffer8BitAccess": "uniformAndStorageBuffer8BitAccess",
    "VariablePointers": "variablePointers",
    "VariablePointersStorageBuffer": "variablePointersStorageBuffer",
    "VulkanMemoryModel": "vulkanMemoryModel",
    "VulkanMemoryModelDeviceScope": "vulkanMemoryModelDeviceScope",
    **{f"{kind}ArrayNonUniformIndexing": f"shader{kind}ArrayNonUniformIndexing"
       for kind in _NON_UNIFORM},
    **{f"{kind}ArrayDynamicIndexing": f"shader{kind}ArrayDynamicIndexing"
       for kind in (*_DYNAMIC, "UniformBuffer", "SampledImage", "StorageBuffer", "StorageImage")},
    **{name: f"subgroup {operation}" for name, operation in _SUBGROUP.items()},
}  # fmt: skip

BY_CAPABILITY = {_CAPABILITIES[name]: feature for name, feature in _NEEDED.items()}
"""The feature a capability needs, by the capability's number."""


class Offer:
    """What a physical device offers of all these."""

    def __init__(self, instance: Instance, physical: Any, chain: vk.Struct | None = None):
        """`chain`: structs of other features to enable with these."""
        offered = vk.vkGetPhysicalDeviceFeatures(physical)
        self.core = {name for name in CORE if getattr(offered, name)}
        """Of VkPhysicalDeviceFeatures."""
        self.chain = chain
        """Structs of the others, to chain to VkDeviceCreateInfo."""
        self.extensions: list[str] = []
        """To enable."""
        self._newer: set[str] = set()
        version = instance.device_version(physical)
        if version >= VERSION_1_1:
            there = {
                vk.text(each.extensionName)
                for each in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", physical, None)
            }
            for extension, (kind, wanted) in _EXTENSIONS.items():
                if extension in there:
                    self.extensions.append(extension)
                    self._newer.add(extension)
                    if kind:
                        self._ask(physical, kind, wanted)
            self._newer |= _subgroup_operations(physical)
        for kind, wanted in NEWER.items():
            if version >= _SINCE[kind]:
                self._ask(physical, kind, wanted)

    @property
    def names(self) -> frozenset[str]:
        """All that is offered: features, extensions, `subgroup BASIC` and the like."""
        return frozenset(self.core | self._newer)

    def _ask(self, physical: Any, kind: str, wanted: tuple[str, ...]) -> None:
        offers = vk.Struct(kind)
        vk.vkGetPhysicalDeviceFeatures2(physical, vk.VkPhysicalDeviceFeatures2(pNext=offers))
        there = {name for name in wanted if getattr(offers.pointer, name)}
        self.chain = vk.Struct(kind, pNext=self.chain, **dict.fromkeys(there, 1))
        self._newer |= there


def _subgroup_operations(physical: Any) -> set[str]:
    """Those that fragment shaders can use."""
    found = vk.VkPhysicalDeviceSubgroupProperties()
    vk.vkGetPhysicalDeviceProperties2(physical, vk.VkPhysicalDeviceProperties2(pNext=found))
    if not found.pointer.supportedStages & vk.VK_SHADER_STAGE_FRAGMENT_BIT:
        return set()
    return {
        f"subgroup {name}"
        for name in _SUBGROUP.values()
        if found.pointer.supportedOperations & getattr(vk, f"VK_SUBGROUP_FEATURE_{name}_BIT")
    }
