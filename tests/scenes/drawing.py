"""Draws of scenes: pipelines for dynamic rendering, and the commands of one pass."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from tests.scenes.rig import GENERAL, SIZE, Image, Rig

HEAD = "#version 450\n"
TRIANGLE = """
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  vec2 corners[3] = vec2[](vec2(-0.9, -0.8), vec2(0.8, -0.5), vec2(-0.2, 0.9));
  vec2 at = corners[gl_VertexIndex % 3];
  float turn = float(gl_InstanceIndex) * 0.7;
  at = mat2(cos(turn), sin(turn), -sin(turn), cos(turn)) * at;
  colour = vec4(gl_VertexIndex % 3 == 0, gl_VertexIndex % 3 == 1, gl_VertexIndex % 3 == 2, 0.6);
  place = at * 0.5 + 0.5;
  gl_Position = vec4(at, 0.3 + 0.2 * at.x, 1.0);
}
"""
EVERYTHING = """
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  place = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
  colour = vec4(place * 0.5, 0.3, 0.7);
  gl_Position = vec4(place * 2.0 - 1.0, 0.5, 1.0);
}
"""
INPUTS = "layout(location = 0) in vec4 colour;\nlayout(location = 1) in vec2 place;\n"
PLAIN = INPUTS + "layout(location = 0) out vec4 o;\nvoid main() { o = colour; }\n"


@dataclass
class Look:
    """Fixed functions of a pipeline, by Vulkan's words."""

    topology: int = 3
    cull: int = 0
    front: int = 0
    fill: int = 0
    raster: dict[str, Any] = field(default_factory=dict)
    several: dict[str, Any] = field(default_factory=dict)
    depth: dict[str, Any] | None = None
    blends: Sequence[dict[str, Any]] = ()
    blend: dict[str, Any] = field(default_factory=dict)
    vertices: dict[str, Any] = field(default_factory=dict)
    restart: bool = False
    patch: int = 0
    viewports: Sequence[tuple[float, ...]] = ((0, 0, *SIZE, 0, 1),)
    scissor: tuple[int, int, int, int] = (0, 0, *SIZE)
    view_mask: int = 0


class Pass:
    """What is drawn into, by dynamic rendering."""

    def __init__(
        self,
        rig: Rig,
        colours: Sequence[Image] = (),
        depth: Image | None = None,
        resolve: Sequence[Image] = (),
        **its: Any,
    ):
        """`its`: load (else cleared), views, layers, view_mask, size."""
        self.rig, self.colours, self.depth, self.resolve, self.its = (
            rig,
            colours,
            depth,
            resolve,
            its,
        )

    @property
    def samples(self) -> int:
        both = [*self.colours, *([self.depth] if self.depth else [])]
        return both[0].samples if both else self.its.get("samples", 1)

    @contextmanager
    def begun(self) -> Iterator[Pass]:
        load = 0 if self.its.get("load") else 1
        views = self.its.get("views") or [each.view() for each in self.colours]
        resolved = [each.view() for each in self.resolve] or [None] * len(views)
        attachments = [
            vk.VkRenderingAttachmentInfo(
                imageView=view, imageLayout=GENERAL, loadOp=load,
                resolveMode=vk.VK_RESOLVE_MODE_AVERAGE_BIT if into else 0,
                resolveImageView=into, resolveImageLayout=GENERAL,
                clearValue=vk.VkClearValue(
                    color=vk.VkClearColorValue(float32=self.its.get("clear", [0.1, 0.2, 0.3, 1]))
                ),
            )
            for view, into in zip(views, resolved, strict=True)
        ]  # fmt: skip
        depth: dict[str, Any] = {}
        if self.depth is not None:
            made = vk.VkRenderingAttachmentInfo(
                imageView=self.its.get("depth_view") or self.depth.view(), imageLayout=GENERAL,
                loadOp=load,
                clearValue=vk.VkClearValue(
                    depthStencil=vk.VkClearDepthStencilValue(depth=self.its.get("far", 1.0))
                ),
            )  # fmt: skip
            if self.depth.aspect & vk.VK_IMAGE_ASPECT_DEPTH_BIT:
                depth["pDepthAttachment"] = made
            if self.depth.aspect & vk.VK_IMAGE_ASPECT_STENCIL_BIT:
                depth["pStencilAttachment"] = made
        width, height = self.its.get("size", SIZE)
        vk.vkCmdBeginRendering(
            self.rig.commands,
            vk.VkRenderingInfo(
                renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=width, height=height)),
                layerCount=self.its.get("layers", 1), viewMask=self.its.get("view_mask", 0),
                colorAttachmentCount=len(attachments), pColorAttachments=attachments, **depth,
            ),
        )  # fmt: skip
        yield self
        vk.vkCmdEndRendering(self.rig.commands)
        self.rig.everything()

    def formats(self) -> vk.Struct:
        depth = self.depth
        has = depth.aspect if depth else 0
        return vk.VkPipelineRenderingCreateInfo(
            viewMask=self.its.get("view_mask", 0),
            pColorAttachmentFormats=[each.format for each in self.colours],
            depthAttachmentFormat=depth.format
            if depth and has & vk.VK_IMAGE_ASPECT_DEPTH_BIT
            else 0,
            stencilAttachmentFormat=depth.format
            if depth and has & vk.VK_IMAGE_ASPECT_STENCIL_BIT
            else 0,
        )


def pipeline(
    rig: Rig,
    into: Pass,
    texts: dict[str, str],
    layout: Any,
    look: Look | None = None,
    constants: vk.Struct | None = None,
    **classic: Any,
) -> Any:
    """VkPipeline; `classic`: renderPass and subpass."""
    its = look or Look()
    texts = {"vert": TRIANGLE} | texts
    stages = rig.stages({k: HEAD + v for k, v in texts.items()}, constants)
    blends = list(its.blends) or [{"colorWriteMask": 15}] * len(into.colours)
    ports = [
        vk.VkViewport(x=p[0], y=p[1], width=p[2], height=p[3], minDepth=p[4], maxDepth=p[5])
        for p in its.viewports
    ]
    x, y, width, height = its.scissor
    cut = vk.VkRect2D(
        offset=vk.VkOffset2D(x=x, y=y), extent=vk.VkExtent2D(width=width, height=height)
    )
    more: dict[str, Any] = {}
    if its.depth is not None or into.depth is not None:
        more["pDepthStencilState"] = vk.VkPipelineDepthStencilStateCreateInfo(**its.depth or {})
    if its.patch:
        more["pTessellationState"] = vk.VkPipelineTessellationStateCreateInfo(
            patchControlPoints=its.patch
        )
    info = vk.VkGraphicsPipelineCreateInfo(
        pNext=None if classic else into.formats(),
        pStages=stages,
        pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(**its.vertices),
        pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
            topology=its.topology, primitiveRestartEnable=its.restart
        ),
        pViewportState=vk.VkPipelineViewportStateCreateInfo(
            pViewports=ports, pScissors=[cut] * len(ports)
        ),
        pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
            cullMode=its.cull, frontFace=its.front, polygonMode=its.fill,
            **{"lineWidth": 1.0} | its.raster,
        ),
        pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(
            rasterizationSamples=into.samples, **its.several
        ),
        pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
            pAttachments=[vk.VkPipelineColorBlendAttachmentState(**each) for each in blends],
            **its.blend,
        ),
        layout=layout,
        **more, **classic,
    )  # fmt: skip
    made = vk.vkCreateGraphicsPipelines(rig.device.handle, vk.ffi.NULL, 1, info, None)
    rig.stack.callback(vk.vkDestroyPipeline, rig.device.handle, made, None)
    return made


def draw(
    rig: Rig, made: Any, layout: Any, sets: list[Any], count: int = 3, instances: int = 1,
    **its: Any,
) -> None:  # fmt: skip
    """`its`: push, vertices (buffers), indices (buffer), type, first, base, instance, offsets."""
    c, point = its.get("commands") or rig.commands, vk.VK_PIPELINE_BIND_POINT_GRAPHICS
    vk.vkCmdBindPipeline(c, point, made)
    if sets and isinstance(sets[0], vk.Struct):
        rig.push_descriptors(c, point, layout, 0, len(sets), vk.ffi.new(
            "VkWriteDescriptorSet[]", [each.pointer[0] for each in sets]))  # fmt: skip
    elif sets:
        moved = its.get("offsets", [])
        vk.vkCmdBindDescriptorSets(c, point, layout, 0, len(sets), sets, len(moved), moved or None)
    if its.get("push"):
        vk.vkCmdPushConstants(c, layout, vk.VK_SHADER_STAGE_ALL, 0, len(its["push"]), its["push"])
    for number, each in enumerate(its.get("vertices", ())):
        vk.vkCmdBindVertexBuffers(c, number, 1, [each], [0])
    first, instance = its.get("first", 0), its.get("instance", 0)
    if its.get("indirect"):
        return
    rig.drawn.append(rig.scene)
    if its.get("indices") is not None:
        vk.vkCmdBindIndexBuffer(c, its["indices"], 0, its.get("type", 0))
        vk.vkCmdDrawIndexed(c, count, instances, first, its.get("base", 0), instance)
    else:
        vk.vkCmdDraw(c, count, instances, first, instance)


def constants(**values: Any) -> vk.Struct:
    """VkSpecializationInfo of `_3=1.5`: numbers after the underscore."""
    data, entries = b"", []
    for name, value in values.items():
        part = struct.pack("<f" if isinstance(value, float) else "<i", value)
        entries.append(
            vk.VkSpecializationMapEntry(constantID=int(name[1:]), offset=len(data), size=len(part))
        )
        data += part
    return vk.VkSpecializationInfo(pMapEntries=entries, dataSize=len(data), pData=data)


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)
