"""RenderDoc's states as plain values, in its own words."""

import renderdoc as rd  # pyright: ignore[reportMissingImports]


def number(resource):
    return int(str(resource).rsplit("::", 1)[-1])


def format_name(its):
    """RenderDoc's name, with what it leaves out of BC1: whether there is an alpha."""
    name = its.Name()
    if name.startswith("BC1_") and its.compCount == 3:
        return "BC1_RGB_" + name[4:]
    return name


def fixed(state):
    """All fixed functions of a draw."""
    view = state.viewportScissor.viewportScissors[0]
    port, cut = view.vp, view.scissor
    raster, blend, depth = state.rasterizer, state.colorBlend, state.depthStencil
    return {
        "viewport": [port.x, port.y, port.width, port.height, port.minDepth, port.maxDepth],
        "scissor": [cut.x, cut.y, cut.width, cut.height],
        "cull": rd.CullMode(raster.cullMode).name,
        "front_ccw": bool(raster.frontCCW),
        "fill": rd.FillMode(raster.fillMode).name,
        "depth_clamp": bool(raster.depthClampEnable),
        "depth_bias": (
            [raster.depthBias, raster.depthBiasClamp, raster.slopeScaledDepthBias]
            if raster.depthBiasEnable
            else None
        ),
        "line_width": raster.lineWidth,
        "samples": max(1, state.multisample.rasterSamples),
        "sample_shading": (
            state.multisample.minSampleShading if state.multisample.sampleShadingEnable else None
        ),
        "sample_mask": state.multisample.sampleMask & 0xFFFFFFFF,
        "alpha_to_coverage": bool(blend.alphaToCoverageEnable),
        "blend_constants": list(blend.blendFactor),
        "blends": [
            {
                "enabled": bool(each.enabled),
                "logic": (
                    rd.LogicOperation(each.logicOperation).name
                    if each.logicOperationEnabled
                    else None
                ),
                "colour": equation(each.colorBlend),
                "alpha": equation(each.alphaBlend),
                "mask": int(each.writeMask) & 15,
            }
            for each in blend.blends
        ],
        "depth_test": bool(depth.depthTestEnable),
        "depth_write": bool(depth.depthWriteEnable),
        "depth_compare": rd.CompareFunction(depth.depthFunction).name,
        "depth_bounds": (
            [depth.minDepthBounds, depth.maxDepthBounds] if depth.depthBoundsEnable else None
        ),
        "stencil": (
            [face(depth.frontFace), face(depth.backFace)] if depth.stencilTestEnable else None
        ),
    }


def equation(each):
    return [
        rd.BlendMultiplier(each.source).name,
        rd.BlendMultiplier(each.destination).name,
        rd.BlendOperation(each.operation).name,
    ]


def face(each):
    return {
        "fail": rd.StencilOperation(each.failOperation).name,
        "passed": rd.StencilOperation(each.passOperation).name,
        "depth_fail": rd.StencilOperation(each.depthFailOperation).name,
        "compare": rd.CompareFunction(each.function).name,
        "compare_mask": each.compareMask,
        "write_mask": each.writeMask,
        "reference": each.reference,
    }


def sampler(bind):
    filters = bind.filter
    return {
        "minify": rd.FilterMode(filters.minify).name,
        "magnify": rd.FilterMode(filters.magnify).name,
        "mip": rd.FilterMode(filters.mip).name,
        "address": [
            rd.AddressMode(each).name for each in (bind.addressU, bind.addressV, bind.addressW)
        ],
        "compare": (
            rd.CompareFunction(bind.compareFunction).name
            if filters.filter == rd.FilterFunction.Comparison
            else None
        ),
        "lod": [bind.minLOD, bind.maxLOD, bind.mipBias],
        "anisotropy": bind.maxAnisotropy,
        "border": list(getattr(bind.borderColor, "floatValue", bind.borderColor)),
        "unnormalized": bool(bind.unnormalized),
    }
