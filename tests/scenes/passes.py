"""Scenes about passes: subpasses with secondary command buffers, and dispatches."""

from __future__ import annotations

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from tests.scenes.attachments import LESS, colour
from tests.scenes.drawing import (
    EVERYTHING,
    HEAD,
    INPUTS,
    PLAIN,
    Look,
    Pass,
    constants,
    draw,
    pipeline,
)
from tests.scenes.rig import GENERAL, SIZE, Image, Rig
from tests.scenes.shading import OUT, simple


def subpasses(rig: Rig) -> None:
    """A render pass with input attachments, a resolve, and a secondary command buffer."""
    device = rig.device
    first, last = colour(rig, attached=True), colour(rig)
    depth = Image(rig, "D32_SFLOAT", SIZE, attached=True)

    def described(image: Image, load: int) -> vk.Struct:
        return vk.VkAttachmentDescription(
            format=image.format, samples=1, loadOp=load, storeOp=0, initialLayout=GENERAL,
            finalLayout=GENERAL,
        )  # fmt: skip

    def reference(number: int) -> vk.Struct:
        return vk.VkAttachmentReference(attachment=number, layout=GENERAL)

    both = vk.VkSubpassDescription(
        pColorAttachments=[reference(0)],
        colorAttachmentCount=1,
        pDepthStencilAttachment=reference(1),
    )
    reads = vk.VkSubpassDescription(
        pColorAttachments=[reference(2)],
        colorAttachmentCount=1,
        pInputAttachments=[reference(0), reference(1)],
    )
    wait = vk.VkSubpassDependency(
        srcSubpass=0, dstSubpass=1, srcStageMask=0x10000, dstStageMask=0x10000,
        srcAccessMask=0x18000, dstAccessMask=0x18000,
    )  # fmt: skip
    info = vk.VkRenderPassCreateInfo(
        pAttachments=[described(first, 1), described(depth, 1), described(last, 1)],
        pSubpasses=[both, reads], pDependencies=[wait],
    )  # fmt: skip
    made_pass = device.create("RenderPass", info, rig.stack)
    framebuffer = device.create(
        "Framebuffer",
        vk.VkFramebufferCreateInfo(
            renderPass=made_pass, pAttachments=[first.view(), depth.view(), last.view()],
            width=SIZE[0], height=SIZE[1], layers=1,
        ),
        rig.stack,
    )  # fmt: skip
    bare, _ = rig.bound([])
    layout, sets = rig.bound([("input", [first.view()]), ("input", [depth.view()])])
    text = (
        INPUTS
        + OUT
        + (
            "layout(input_attachment_index = 0, binding = 0) uniform subpassInput a;\n"
            "layout(input_attachment_index = 1, binding = 1) uniform subpassInput d;\n"
            "void main() { o = subpassLoad(a) * 0.8 + vec4(subpassLoad(d).r * 0.2); }"
        )
    )
    into, after = Pass(rig, [first], depth), Pass(rig, [last])
    one = pipeline(
        rig, into, {"frag": PLAIN}, bare, Look(depth=LESS), renderPass=made_pass, subpass=0
    )
    two = pipeline(
        rig, after, {"vert": EVERYTHING, "frag": text}, layout, renderPass=made_pass, subpass=1
    )
    c = rig.commands
    clear = vk.VkClearValue(color=vk.VkClearColorValue(float32=[0.1, 0.2, 0.3, 1.0]))
    far = vk.VkClearValue(depthStencil=vk.VkClearDepthStencilValue(depth=1.0))
    begin = vk.VkRenderPassBeginInfo(
        renderPass=made_pass, framebuffer=framebuffer, pClearValues=[clear, far, clear],
        renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=SIZE[0], height=SIZE[1])),
    )  # fmt: skip
    second = vk.vkAllocateCommandBuffers(
        device.handle,
        vk.VkCommandBufferAllocateInfo(commandPool=device._command_pool, level=1, commandBufferCount=1),
    )  # fmt: skip
    inherited = vk.VkCommandBufferInheritanceInfo(
        renderPass=made_pass, subpass=0, framebuffer=framebuffer
    )
    vk.vkBeginCommandBuffer(
        second, vk.VkCommandBufferBeginInfo(flags=2, pInheritanceInfo=inherited)
    )
    rig.scene = "secondary command buffer"
    draw(rig, one, bare, [], 3, 2, commands=second)
    draw(rig, one, bare, [], 3, 1, instance=3, commands=second)
    vk.vkEndCommandBuffer(second)
    vk.vkCmdBeginRenderPass(c, begin, 1)
    vk.vkCmdExecuteCommands(c, 1, [second])
    vk.vkCmdNextSubpass(c, 0)
    rig.scene = "input attachments"
    draw(rig, two, layout, sets)
    vk.vkCmdEndRenderPass(c)
    rig.everything()


def dispatches(rig: Rig) -> None:
    numbers = rig.buffer(np.arange(4096, dtype=np.float32))
    image = Image(rig, "R16G16B16A16_SFLOAT", SIZE)
    sheets = Image(rig, "R8G8B8A8_UNORM", (32, 32), layers=3, levels=2)
    texel = rig.device.create(
        "BufferView",
        vk.VkBufferViewCreateInfo(
            buffer=rig.buffer(bytes(4096)), format=vk.VK_FORMAT_R32_UINT, range=vk.VK_WHOLE_SIZE
        ),
        rig.stack,
    )
    text = (
        HEAD
        + """
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 1) const int rounds = 1;
layout(binding = 0, rgba16f) uniform writeonly image2D into;
layout(binding = 1, rgba8) uniform writeonly image2DArray sheets;
layout(binding = 2) buffer Data { float v[]; };
layout(binding = 3, r32ui) uniform uimageBuffer counts;
shared float all[64];
void main() {
  uint n = gl_LocalInvocationIndex;
  all[n] = v[gl_GlobalInvocationID.x];
  barrier();
  float s = 0.0;
  for (int k = 0; k < rounds; k++) s += all[(n + uint(k)) & 63u];
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(into, at, vec4(s, at, 1.0));
  imageStore(sheets, ivec3(at, gl_WorkGroupID.z), vec4(fract(s), 0.5, 0.2, 1.0));
  imageAtomicAdd(counts, int(n), 1u);
  if (n == 0u) v[2048 + gl_WorkGroupID.x] = s;
}
"""
    )
    layout, sets = rig.bound(
        [
            ("stored", [image.view()]),
            ("stored", [sheets.view("2D_ARRAY", level=1, levels=1)]),
            ("storage", [numbers]),
            ("texels out", [texel]),
        ]
    )
    made = rig.kernel(text, layout, constants(_1=9))
    rig.scene = "dispatch"
    rig.dispatch(made, layout, sets, (12, 8, 1))
    arguments = rig.buffer(np.array([3, 2, 1], np.uint32))
    rig.scene = "dispatch, indirect"
    rig.drawn.append(rig.scene)
    vk.vkCmdDispatchIndirect(rig.commands, arguments, 0)
    rig.everything()
    based = rig.kernel(text, layout, constants(_1=2), flags=0x10)
    point = vk.VK_PIPELINE_BIND_POINT_COMPUTE
    vk.vkCmdBindPipeline(rig.commands, point, based)
    rig.scene = "dispatch with a base"
    rig.drawn.append(rig.scene)
    vk.vkCmdDispatchBase(rig.commands, 1, 1, 0, 2, 2, 1)
    rig.everything()
    text = (
        INPUTS
        + OUT
        + "layout(binding = 0) uniform sampler2D t;\nvoid main() { o = texture(t, place) * 0.01; }"
    )
    simple(
        rig,
        "what a dispatch wrote",
        {"vert": EVERYTHING, "frag": text},
        binds=[("texture", [(image.view(), rig.sampler())])],
    )


SCENES = (subpasses, dispatches)
