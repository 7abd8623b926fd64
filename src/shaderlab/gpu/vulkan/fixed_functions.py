"""The fixed functions of another program's draw, as a pipeline takes them."""

from __future__ import annotations

from typing import Any

from shaderlab.errors import UnsupportedShader
from shaderlab.geometry.stored_vertices import LISTS
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.render_target import TargetLayout
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.scene.fixed_functions import (
    BlendEquation,
    ColourTarget,
    DepthTarget,
    FixedFunctions,
    Rectangle,
    StencilFace,
)

_COPY = BlendEquation("ONE", "ZERO", "ADD")


def check(device: Device, fixed: FixedFunctions) -> None:
    """Raise UnsupportedShader for what the device lacks."""
    lacking = [
        word
        for word, feature, is_used in (
            ("lines instead of faces", "fillModeNonSolid", fixed.fill != "FILL"),
            ("clamped depth", "depthClamp", fixed.depth_clamp),
            ("a test of depth bounds", "depthBounds", bool(fixed.depth and fixed.depth.bounds)),
            ("shading of each sample", "sampleRateShading", fixed.sample_shading is not None),
            ("logical operations on colours", "logicOp", fixed.logic is not None),
            ("lines wider than a pixel", "wideLines", is_wide(fixed)),
            ("blending that differs by attachment", "independentBlend", _differ(fixed)),
        )
        if is_used and feature not in device.features
    ]
    if lacking:
        raise UnsupportedShader(
            f"the draw needs {', '.join(lacking)}, which {device.info.name} does not support"
        )


def is_wide(fixed: FixedFunctions) -> bool:
    """Whether it draws lines whose width matters."""
    draws_lines = LISTS[fixed.topology] == "LINE_LIST" or fixed.fill == "LINE"
    return draws_lines and fixed.line_width != 1.0


def _differ(fixed: FixedFunctions) -> bool:
    return len({(c.mask, c.colour, c.alpha) for c in fixed.colours if c is not None}) > 1


def states(target: TargetLayout, fixed: FixedFunctions) -> dict[str, vk.Struct]:
    """Fields of VkGraphicsPipelineCreateInfo; viewport and scissor are dynamic."""
    bias = fixed.depth_bias or (0.0, 0.0, 0.0)
    made = {
        "pInputAssemblyState": vk.VkPipelineInputAssemblyStateCreateInfo(
            topology=getattr(vk, f"VK_PRIMITIVE_TOPOLOGY_{LISTS[fixed.topology]}")
        ),
        "pViewportState": vk.VkPipelineViewportStateCreateInfo(viewportCount=1, scissorCount=1),
        "pRasterizationState": vk.VkPipelineRasterizationStateCreateInfo(
            depthClampEnable=fixed.depth_clamp,
            polygonMode=getattr(vk, f"VK_POLYGON_MODE_{fixed.fill}"),
            cullMode=getattr(vk, f"VK_CULL_MODE_{fixed.cull}"),
            frontFace=vk.VK_FRONT_FACE_COUNTER_CLOCKWISE
            if fixed.front_ccw
            else vk.VK_FRONT_FACE_CLOCKWISE,
            depthBiasEnable=fixed.depth_bias is not None,
            depthBiasConstantFactor=bias[0],
            depthBiasClamp=bias[1],
            depthBiasSlopeFactor=bias[2],
            lineWidth=fixed.line_width if is_wide(fixed) else 1.0,
        ),
        "pMultisampleState": vk.VkPipelineMultisampleStateCreateInfo(
            rasterizationSamples=fixed.samples,
            sampleShadingEnable=fixed.sample_shading is not None,
            minSampleShading=fixed.sample_shading or 0.0,
            pSampleMask=[fixed.sample_mask] * -(-fixed.samples // 32),
            alphaToCoverageEnable=fixed.alpha_to_coverage,
        ),
        "pColorBlendState": vk.VkPipelineColorBlendStateCreateInfo(
            logicOpEnable=fixed.logic is not None,
            logicOp=getattr(vk, f"VK_LOGIC_OP_{fixed.logic or 'COPY'}"),
            pAttachments=[
                _blending(each, target.written[n]) for n, each in enumerate(fixed.colours)
            ],
            blendConstants=list(fixed.blend_constants),
        ),
        "pDynamicState": vk.VkPipelineDynamicStateCreateInfo(
            pDynamicStates=[vk.VK_DYNAMIC_STATE_VIEWPORT, vk.VK_DYNAMIC_STATE_SCISSOR]
        ),
    }
    if fixed.depth is not None:
        made["pDepthStencilState"] = _depth(fixed.depth)
    return made


def _blending(target: ColourTarget | None, is_written: bool) -> vk.Struct:
    if target is None:
        return vk.VkPipelineColorBlendAttachmentState()
    colour, alpha = target.colour or _COPY, target.alpha or _COPY
    return vk.VkPipelineColorBlendAttachmentState(
        blendEnable=target.colour is not None,
        srcColorBlendFactor=_factor(colour.source),
        dstColorBlendFactor=_factor(colour.destination),
        colorBlendOp=_operation(colour.operation),
        srcAlphaBlendFactor=_factor(alpha.source),
        dstAlphaBlendFactor=_factor(alpha.destination),
        alphaBlendOp=_operation(alpha.operation),
        colorWriteMask=target.mask if is_written else 0,
    )


def _factor(name: str) -> int:
    return getattr(vk, f"VK_BLEND_FACTOR_{name}")


def _operation(name: str) -> int:
    return getattr(vk, f"VK_BLEND_OP_{name}")


def _depth(depth: DepthTarget) -> vk.Struct:
    bounds = depth.bounds or (0.0, 1.0)
    stencil: dict[str, Any] = {}
    if depth.stencil is not None:
        stencil = {"front": _face(depth.stencil[0]), "back": _face(depth.stencil[1])}
    return vk.VkPipelineDepthStencilStateCreateInfo(
        depthTestEnable=depth.test,
        depthWriteEnable=depth.write,
        depthCompareOp=getattr(vk, f"VK_COMPARE_OP_{depth.compare}"),
        depthBoundsTestEnable=depth.bounds is not None,
        minDepthBounds=bounds[0],
        maxDepthBounds=bounds[1],
        stencilTestEnable=depth.stencil is not None,
        **stencil,
    )


def _face(face: StencilFace) -> vk.Struct:
    return vk.VkStencilOpState(
        failOp=getattr(vk, f"VK_STENCIL_OP_{face.fail}"),
        passOp=getattr(vk, f"VK_STENCIL_OP_{face.passed}"),
        depthFailOp=getattr(vk, f"VK_STENCIL_OP_{face.depth_fail}"),
        compareOp=getattr(vk, f"VK_COMPARE_OP_{face.compare}"),
        compareMask=face.compare_mask,
        writeMask=face.write_mask,
        reference=face.reference,
    )


def set_viewport(commands: Any, fixed: FixedFunctions) -> None:
    its = fixed.viewport
    port = vk.VkViewport(
        x=its.x,
        y=its.y,
        width=its.width,
        height=its.height,
        minDepth=its.min_depth,
        maxDepth=its.max_depth,
    )
    vk.vkCmdSetViewport(commands, 0, 1, [port])


def common(tile: Tile, cut: Rectangle) -> Tile:
    """Pixels of a tile inside a scissor rectangle."""
    left, top = max(tile.x, cut.x), max(tile.y, cut.y)
    right = min(tile.x + tile.width, cut.x + cut.width)
    bottom = min(tile.y + tile.height, cut.y + cut.height)
    return Tile(left, top, max(0, right - left), max(0, bottom - top))
