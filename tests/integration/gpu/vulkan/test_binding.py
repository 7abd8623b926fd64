"""The vulkan package frees nested structs too early; these tests see it should that come back."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from shaderlab.errors import DeviceLost, NoVulkan, OutOfDeviceMemory, ShaderlabError
from shaderlab.gpu.vulkan import binding as vk
from tests.radv import spelling

SEVENTY_SINES = """
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = fragCoord / iResolution.xy;
    float a = sin(p.x * 3.0 + iTime), b = sin(p.y * 5.0 + a), c = sin(a * 7.0 + b);
    float d = cos(c * 11.0 + p.x), e = exp(d - a), f = sqrt(abs(e * b));
    fragColor = vec4(a * b + c, d * e, f, 1.0);
}
"""


def test_radv_compiles_the_whole_shader(radv, compiled, tmp_path):
    """With a garbage attachment list RADV drops all output and keeps 2 instructions."""
    spirv = tmp_path / "shader.spv"
    spirv.write_bytes(compiled(SEVENTY_SINES).spirv)
    script = Path(__file__).with_name("radv_statistics.py")
    command = [sys.executable, str(script), radv, spelling("gfx1100"), str(spirv)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert int(output) > 25


def test_a_struct_keeps_all_it_points_to():
    leaf = vk.VkApplicationInfo(pApplicationName="deeply nested")
    info = vk.VkInstanceCreateInfo(
        pApplicationInfo=leaf, ppEnabledLayerNames=["first layer", "second layer"]
    )
    alive = weakref.ref(leaf.pointer)
    del leaf
    gc.collect()
    assert alive() is not None
    assert vk.text(info.pointer.pApplicationInfo.pApplicationName) == "deeply nested"
    assert vk.text(info.pointer.ppEnabledLayerNames[1]) == "second layer"
    del info
    gc.collect()
    assert alive() is None


def test_structs_in_lists_keep_what_they_point_to():
    priorities = vk.VkDeviceQueueCreateInfo(pQueuePriorities=[0.25, 0.75])
    info = vk.VkDeviceCreateInfo(pQueueCreateInfos=[priorities, priorities])
    del priorities
    gc.collect()
    assert info.pointer.queueCreateInfoCount == 2
    assert list(info.pointer.pQueueCreateInfos[1].pQueuePriorities[0:2]) == [0.25, 0.75]


def test_structure_types_are_filled_in():
    assert vk.VkSubmitInfo().pointer.sType == vk.VK_STRUCTURE_TYPE_SUBMIT_INFO
    features = vk.VkPhysicalDeviceVulkan12Features()
    expected = vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES
    assert features.pointer.sType == expected


def test_counts_follow_the_next_list_unless_given():
    binding = vk.VkDescriptorSetLayoutBinding(descriptorCount=3)
    assert binding.pointer.descriptorCount == 3
    write = vk.VkWriteDescriptorSet(pBufferInfo=[vk.VkDescriptorBufferInfo()] * 2)
    assert write.pointer.descriptorCount == 2
    state = vk.VkPipelineViewportStateCreateInfo(pViewports=[vk.VkViewport()], scissorCount=4)
    assert (state.pointer.viewportCount, state.pointer.scissorCount) == (1, 4)
    subpass = vk.VkSubpassDescription(pColorAttachments=[vk.VkAttachmentReference()] * 2)
    assert subpass.pointer.inputAttachmentCount == 0
    assert subpass.pointer.colorAttachmentCount == 2


@pytest.mark.parametrize("name", ["vkNothing", "VkNothing", "VK_NOTHING", "nothing"])
def test_unknown_names_are_attribute_errors(name):
    with pytest.raises(AttributeError, match=name):
        getattr(vk, name)


def test_unknown_fields_are_type_errors():
    with pytest.raises(TypeError, match="VkSubmitInfo has no field colour"):
        vk.VkSubmitInfo(colour=1)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ("VK_ERROR_DEVICE_LOST", DeviceLost),
        ("VK_ERROR_OUT_OF_DEVICE_MEMORY", OutOfDeviceMemory),
        ("VK_ERROR_INCOMPATIBLE_DRIVER", NoVulkan),
        ("VK_ERROR_FEATURE_NOT_PRESENT", vk.VulkanError),
    ],
)
def test_results_become_errors_that_name_the_command(result, error):
    with pytest.raises(error, match=rf"vkQueueSubmit: .* \({result}\)") as caught:
        vk.check("vkQueueSubmit", getattr(vk, result))
    assert isinstance(caught.value, ShaderlabError)
