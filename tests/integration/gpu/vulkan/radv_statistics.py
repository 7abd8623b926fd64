"""Run as a process of its own: compile a fragment shader for RADV's null hardware.

`radv_statistics.py MANIFEST FAMILY FRAGMENT_SPV` prints the instruction counts of its pipeline.
"""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack
from pathlib import Path

from shaderlab.gpu import drivers


def main(manifest: str, family: str, spirv: Path) -> None:
    drivers.select(manifest, radv_family=family)
    from shaderlab.gpu.vulkan import binding as vk
    from shaderlab.gpu.vulkan.instance import Instance

    with Instance.create() as instance, ExitStack() as stack:
        physical = instance.physical_devices()[0]
        name = "VK_KHR_pipeline_executable_properties"
        device = vk.vkCreateDevice(
            physical,
            vk.VkDeviceCreateInfo(
                pNext=vk.VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR(
                    pipelineExecutableInfo=1
                ),
                pQueueCreateInfos=[vk.VkDeviceQueueCreateInfo(pQueuePriorities=[1.0])],
                ppEnabledExtensionNames=[name],
            ),
            None,
        )
        stack.callback(vk.vkDestroyDevice, device, None)
        pipeline = _pipeline(vk, device, spirv.read_bytes())
        info = vk.VkPipelineInfoKHR(pipeline=pipeline)
        executables = vk.enumerate_device_command(
            device, "vkGetPipelineExecutablePropertiesKHR", device, info
        )
        for index, executable in enumerate(executables):
            if executable.stages & vk.VK_SHADER_STAGE_FRAGMENT_BIT:
                statistics = vk.enumerate_device_command(
                    device,
                    "vkGetPipelineExecutableStatisticsKHR",
                    device,
                    vk.VkPipelineExecutableInfoKHR(pipeline=pipeline, executableIndex=index),
                )
                for statistic in statistics:
                    if vk.text(statistic.name) == "Instructions":
                        print(statistic.value.u64)


def _pipeline(vk, device, spirv: bytes):
    """A pipeline whose description is nested deeply and built from temporaries."""
    from shaderlab.locations import resources

    def module(code: bytes):
        info = vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code)
        return vk.vkCreateShaderModule(device, info, None)

    layout = vk.vkCreatePipelineLayout(
        device,
        vk.VkPipelineLayoutCreateInfo(
            pSetLayouts=[
                vk.vkCreateDescriptorSetLayout(
                    device,
                    vk.VkDescriptorSetLayoutCreateInfo(
                        pBindings=[
                            vk.VkDescriptorSetLayoutBinding(
                                descriptorType=vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                descriptorCount=1,
                                stageFlags=vk.VK_SHADER_STAGE_FRAGMENT_BIT,
                            )
                        ]
                    ),
                    None,
                )
            ]
        ),
        None,
    )
    colour = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
    render_pass = vk.vkCreateRenderPass(
        device,
        vk.VkRenderPassCreateInfo(
            pAttachments=[
                vk.VkAttachmentDescription(
                    format=vk.VK_FORMAT_R8G8B8A8_UNORM,
                    samples=vk.VK_SAMPLE_COUNT_1_BIT,
                    finalLayout=colour,
                )
            ],
            pSubpasses=[
                vk.VkSubpassDescription(
                    pColorAttachments=[vk.VkAttachmentReference(attachment=0, layout=colour)]
                )
            ],
        ),
        None,
    )
    quad = (resources() / "gpu" / "quad.vert.spv").read_bytes()
    description = vk.VkGraphicsPipelineCreateInfo(
        flags=vk.VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        pStages=[
            vk.VkPipelineShaderStageCreateInfo(stage=stage, module=module(code), pName="main")
            for stage, code in (
                (vk.VK_SHADER_STAGE_VERTEX_BIT, quad),
                (vk.VK_SHADER_STAGE_FRAGMENT_BIT, spirv),
            )
        ],
        pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(),
        pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
            topology=vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
        ),
        pViewportState=vk.VkPipelineViewportStateCreateInfo(
            pViewports=[vk.VkViewport(width=64.0, height=64.0, maxDepth=1.0)],
            pScissors=[vk.VkRect2D(extent=vk.VkExtent2D(width=64, height=64))],
        ),
        pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(lineWidth=1.0),
        pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(
            rasterizationSamples=vk.VK_SAMPLE_COUNT_1_BIT
        ),
        pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
            pAttachments=[vk.VkPipelineColorBlendAttachmentState(colorWriteMask=0xF)]
        ),
        layout=layout,
        renderPass=render_pass,
    )
    gc.collect()
    _overwrite_freed_memory()
    return vk.vkCreateGraphicsPipelines(device, vk.ffi.NULL, 1, description, None)


def _overwrite_freed_memory() -> None:
    """Fill what small blocks the allocator has free, so that a dangling pointer shows."""
    for size in range(8, 512, 8):
        _ = [bytes([0xA5]) * size for _ in range(200)]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
