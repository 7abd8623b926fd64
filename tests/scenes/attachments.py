"""Scenes about what is drawn into: formats, depth, stencil, blending, several samples."""

from __future__ import annotations

from shaderlab.gpu.vulkan import binding as vk
from tests.scenes.drawing import EVERYTHING, INPUTS, PLAIN, TRIANGLE, Look, Pass, draw, pipeline
from tests.scenes.rig import GENERAL, SIZE, Image, Rig

FLOATS = (
    "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "B8G8R8A8_SRGB", "R8_UNORM",
    "R8G8_UNORM", "R16_SFLOAT", "R16G16_SFLOAT", "R16G16B16A16_SFLOAT", "R32_SFLOAT",
    "R32G32_SFLOAT", "R32G32B32A32_SFLOAT", "B10G11R11_UFLOAT_PACK32",
    "A2B10G10R10_UNORM_PACK32", "A2R10G10B10_UNORM_PACK32", "R16G16B16A16_UNORM",
    "R8G8B8A8_SNORM", "R16G16_SNORM", "A8B8G8R8_UNORM_PACK32", "R5G6B5_UNORM_PACK16",
    "B5G6R5_UNORM_PACK16", "R4G4B4A4_UNORM_PACK16", "B4G4R4A4_UNORM_PACK16",
    "A1R5G5B5_UNORM_PACK16", "R5G5B5A1_UNORM_PACK16",
)  # fmt: skip
WHOLE = {
    "uvec4": ("R8G8B8A8_UINT", "R16_UINT", "R32G32B32A32_UINT", "R32_UINT",
              "A2B10G10R10_UINT_PACK32"),
    "ivec4": ("R8_SINT", "R16G16B16A16_SINT", "R32G32_SINT"),
}  # fmt: skip
DEPTHS = (
    "D16_UNORM", "D32_SFLOAT", "X8_D24_UNORM_PACK32", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT",
)  # fmt: skip
BLEND = {
    "blendEnable": 1, "srcColorBlendFactor": 6, "dstColorBlendFactor": 7,
    "srcAlphaBlendFactor": 1, "dstAlphaBlendFactor": 7, "colorWriteMask": 15,
}  # fmt: skip
LESS = {"depthTestEnable": 1, "depthWriteEnable": 1, "depthCompareOp": 1}
_NEEDED = vk.VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT


def colour(rig: Rig, **its: int) -> Image:
    return Image(rig, "R8G8B8A8_UNORM", SIZE, **its)


def colour_formats(rig: Rig) -> None:
    layout, _ = rig.bound([])
    for name in FLOATS:
        if not rig.device.supports(getattr(vk, f"VK_FORMAT_{name}"), _NEEDED):
            continue
        into = Pass(rig, [Image(rig, name, SIZE)])
        made = pipeline(rig, into, {"frag": PLAIN}, layout, Look(blends=[BLEND]))
        rig.scene = f"attachment {name}"
        with into.begun():
            draw(rig, made, layout, [], 3, 2)
    for kind, names in WHOLE.items():
        for name in names:
            if not rig.device.supports(getattr(vk, f"VK_FORMAT_{name}"), _NEEDED):
                continue
            into = Pass(rig, [Image(rig, name, SIZE)])
            text = INPUTS + (
                f"layout(location = 0) out {kind} o;\nvoid main() {{ o = {kind}(colour * 100.0); }}"
            )
            made = pipeline(rig, into, {"frag": text}, layout)
            rig.scene = f"attachment {name}"
            with into.begun():
                draw(rig, made, layout, [])


def depth_formats(rig: Rig) -> None:
    """A depth pre-pass without pixel shader, then what equals it, then what lies in front."""
    layout, _ = rig.bound([])
    equal = {"depthTestEnable": 1, "depthCompareOp": 2}
    for name in DEPTHS:
        if not rig.device.supports(
            getattr(vk, f"VK_FORMAT_{name}"), vk.VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT
        ):
            continue
        depth, picture = Image(rig, name, SIZE), colour(rig)
        before, into = Pass(rig, [], depth), Pass(rig, [picture], depth, load=True)
        first = pipeline(rig, before, {}, layout, Look(depth=LESS))
        second = pipeline(rig, into, {"frag": PLAIN}, layout, Look(depth=equal))
        third = pipeline(rig, into, {"vert": EVERYTHING, "frag": PLAIN}, layout, Look(depth=LESS))
        rig.scene = f"depth {name}"
        with before.begun():
            draw(rig, first, layout, [])
        with into.begun():
            draw(rig, second, layout, [])
            draw(rig, third, layout, [])


def stencil(rig: Rig) -> None:
    layout, _ = rig.bound([])
    for name in ("D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"):
        if not rig.device.supports(
            getattr(vk, f"VK_FORMAT_{name}"), vk.VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT
        ):
            continue
        into = Pass(rig, [colour(rig)], Image(rig, name, SIZE))
        up = vk.VkStencilOpState(
            passOp=3, compareOp=7, compareMask=255, writeMask=255, reference=3, depthFailOp=4
        )
        more = vk.VkStencilOpState(compareOp=4, compareMask=15, writeMask=240, reference=0)
        a = {"stencilTestEnable": 1, "front": up, "back": up} | (LESS if name[0] == "D" else {})
        b = {"stencilTestEnable": 1, "front": more, "back": more}
        first = pipeline(rig, into, {"frag": PLAIN}, layout, Look(depth=a))
        second = pipeline(rig, into, {"vert": EVERYTHING, "frag": PLAIN}, layout, Look(depth=b))
        rig.scene = f"stencil {name}"
        with into.begun():
            draw(rig, first, layout, [], 3, 2)
            draw(rig, second, layout, [])


def shadow(rig: Rig) -> None:
    map_ = Image(rig, "D32_SFLOAT", (64, 64), layers=4)
    layout, _ = rig.bound([])
    views = [map_.view("2D", layer=n, layers=1) for n in range(2)]
    rig.scene = "shadow map"
    for view in views:
        before = Pass(rig, [], map_, depth_view=view, size=(64, 64))
        made = pipeline(
            rig,
            before,
            {},
            layout,
            Look(
                depth=LESS,
                viewports=((0, 0, 64, 64, 0, 1),),
                raster={
                    "depthBiasEnable": 1,
                    "depthBiasConstantFactor": 4.0,
                    "depthBiasSlopeFactor": 1.5,
                },
            ),
        )
        with before.begun():
            draw(rig, made, layout, [])
    compare = rig.sampler(
        compareEnable=1, compareOp=3, addressModeU=3, addressModeV=3, borderColor=4
    )
    whole = map_.view("2D_ARRAY", levels=1)
    layout, sets = rig.bound(
        [("texture", [(whole, compare)]), ("image", [whole]), ("sampler", [rig.sampler()])]
    )
    text = INPUTS + (
        "layout(binding = 0) uniform sampler2DArrayShadow s;\n"
        "layout(binding = 1) uniform texture2DArray t;\nlayout(binding = 2) uniform sampler p;\n"
        "layout(location = 0) out vec4 o;\n"
        "void main() { o = vec4(texture(s, vec4(place, 1.0, 0.4)), "
        "texture(sampler2DArray(t, p), vec3(place, 0.0)).r, colour.ba); }"
    )
    into = Pass(rig, [colour(rig)])
    made = pipeline(rig, into, {"vert": EVERYTHING, "frag": text}, layout)
    with into.begun():
        draw(rig, made, layout, sets)


def several_targets(rig: Rig) -> None:
    images = [colour(rig), Image(rig, "R16G16B16A16_SFLOAT", SIZE), Image(rig, "R32G32_UINT", SIZE)]
    layout, _ = rig.bound([])
    text = INPUTS + (
        "layout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n"
        "layout(location = 2) out uvec4 c;\n"
        "void main() { a = colour; b = colour * 4.0; c = uvec4(gl_FragCoord); }"
    )
    into = Pass(rig, images, Image(rig, "D32_SFLOAT", SIZE))
    blends = [BLEND, {"colorWriteMask": 5}, {"colorWriteMask": 15}]
    made = pipeline(rig, into, {"frag": text}, layout, Look(blends=blends, depth=LESS))
    short = text.replace("b = colour * 4.0;", "").replace("layout(location = 1) out vec4 b;\n", "")
    other = pipeline(
        rig,
        into,
        {"frag": short},
        layout,
        Look(blends=[BLEND, {"colorWriteMask": 0}, {"colorWriteMask": 15}], depth={}),
    )
    rig.scene = "several targets"
    with into.begun():
        draw(rig, made, layout, [], 3, 3)
        draw(rig, other, layout, [], 3, 1, instance=4)


def blending(rig: Rig) -> None:
    layout, _ = rig.bound([])
    looks = {
        "constant": Look(
            blends=[BLEND | {"srcColorBlendFactor": 10, "dstColorBlendFactor": 11}],
            blend={"blendConstants": [0.2, 0.5, 0.7, 0.4]},
        ),
        "maximum": Look(blends=[BLEND | {"colorBlendOp": 4, "alphaBlendOp": 3}]),
        "subtract": Look(blends=[BLEND | {"colorBlendOp": 2, "alphaBlendOp": 1}]),
        "logic": Look(blend={"logicOpEnable": 1, "logicOp": 6}),
    }
    for name, look in looks.items():
        into = Pass(rig, [colour(rig)])
        made = pipeline(rig, into, {"frag": PLAIN}, layout, look)
        rig.scene = f"blending {name}"
        with into.begun():
            draw(rig, made, layout, [], 3, 2)
    second = INPUTS + (
        "layout(location = 0, index = 0) out vec4 a;\nlayout(location = 0, index = 1) out vec4 b;\n"
        "void main() { a = colour; b = vec4(place, 0.2, 0.5); }"
    )
    into = Pass(rig, [colour(rig)])
    look = Look(blends=[BLEND | {"dstColorBlendFactor": 15}])
    made = pipeline(rig, into, {"frag": second}, layout, look)
    rig.scene = "blending two sources"
    with into.begun():
        draw(rig, made, layout, [], 3, 2)


def samples(rig: Rig) -> None:
    """Four samples per pixel: edges, blending, sample shading, coverage, resolve, reads."""
    bare, _ = rig.bound([])
    many, one = colour(rig, samples=4), colour(rig)
    depth = Image(rig, "D24_UNORM_S8_UINT", SIZE, samples=4)
    into = Pass(rig, [many], depth, resolve=[one])
    each = INPUTS + (
        "layout(location = 0) out vec4 o;\n"
        "void main() { o = vec4(gl_SampleID * 0.3, gl_SamplePosition.x, colour.b, 0.5); }"
    )
    masked = INPUTS + (
        "layout(location = 0) out vec4 o;\n"
        "void main() { o = colour; gl_SampleMask[0] = int(gl_FragCoord.x) & 15; }"
    )
    covered = INPUTS + (
        "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(place, 0.5, place.x); }"
    )
    inside = INPUTS.replace("layout(location = 1)", "layout(location = 1) centroid") + (
        "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(place, interpolateAtSample(colour.r, 2), 1.0); }"
    )
    up = vk.VkStencilOpState(passOp=3, compareOp=7, compareMask=255, writeMask=255)
    tests = LESS | {"stencilTestEnable": 1, "front": up, "back": up}
    looks = (
        ("plain", PLAIN, TRIANGLE, Look(depth=tests)),
        ("blended", PLAIN, TRIANGLE, Look(blends=[BLEND], depth=LESS)),
        ("each sample", each, EVERYTHING, Look(blends=[BLEND])),
        (
            "sample shading",
            covered,
            TRIANGLE,
            Look(several={"sampleShadingEnable": 1, "minSampleShading": 1.0}),
        ),
        ("mask written", masked, EVERYTHING, Look(blends=[BLEND])),
        ("mask given", PLAIN, EVERYTHING, Look(several={"pSampleMask": [5]}, blends=[BLEND])),
        ("alpha to coverage", covered, EVERYTHING, Look(several={"alphaToCoverageEnable": 1})),
        ("centroid", inside, TRIANGLE, Look(blends=[BLEND])),
    )
    made = []
    for name, f, v, look in looks:
        made.append((name, pipeline(rig, into, {"vert": v, "frag": f}, bare, look)))
    with into.begun():
        for number, (name, each_pipeline) in enumerate(made):
            rig.scene = f"4 samples: {name}"
            draw(rig, each_pipeline, bare, [], 3, 1, instance=number)
    one_view, many_view = one.view(), many.view()
    layout, sets = rig.bound(
        [
            ("texture", [(one_view, rig.sampler())]),
            ("texture", [(many_view, rig.sampler())]),
            ("texture", [(depth.view(aspect=2), rig.sampler())]),
        ]
    )
    text = INPUTS + (
        "layout(binding = 0) uniform sampler2D a;\nlayout(binding = 1) uniform sampler2DMS b;\n"
        "layout(binding = 2) uniform sampler2DMS d;\n"
        "layout(location = 0) out vec4 o;\nvoid main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
        "o = texture(a, place) * 0.4 + texelFetch(b, p, 1) * 0.3 + texelFetch(b, p, 3) * 0.2;\n"
        "o.a = texelFetch(d, p, 2).r; }"
    )
    last = Pass(rig, [colour(rig)])
    reads = pipeline(rig, last, {"vert": EVERYTHING, "frag": text}, layout)
    rig.scene = "4 samples: read"
    with last.begun():
        draw(rig, reads, layout, sets)
    hdr = Pass(
        rig,
        [
            Image(rig, "R16G16B16A16_SFLOAT", SIZE, samples=4),
            Image(rig, "R16G16_SFLOAT", SIZE, samples=4),
        ],
        Image(rig, "D32_SFLOAT", SIZE, samples=4),
        clear=[2.0, 0.5, 0.1, 1.0],
    )
    both = INPUTS + (
        "layout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n"
        "void main() { a = colour * 8.0; b = place.xyxy; if (place.x > 0.7) discard; }"
    )
    made_hdr = pipeline(
        rig, hdr, {"frag": both}, bare, Look(depth=LESS, blends=[BLEND, {"colorWriteMask": 3}])
    )
    rig.scene = "4 samples: two HDR targets"
    with hdr.begun():
        draw(rig, made_hdr, bare, [], 3, 1)
        draw(rig, made_hdr, bare, [], 3, 2, instance=2)


def places(rig: Rig) -> None:
    """Levels, layers, slices and faces drawn into; images larger than what is drawn."""
    bare, _ = rig.bound([])
    sheet = colour(rig, levels=3, layers=4)
    cube = Image(rig, "R8G8B8A8_UNORM", (64, 64), layers=6, cube=True)
    solid = Image(rig, "R8G8B8A8_UNORM", (64, 64, 4), dimension=3, flags=0x20)
    views = {
        "level and layer": (
            sheet,
            sheet.view("2D", level=1, layer=2, levels=1, layers=1),
            (48, 32),
        ),
        "face": (cube, cube.view("2D", layer=3, levels=1, layers=1), (64, 64)),
        "slice": (solid, vk_slice(rig, solid, 2), (64, 64)),
    }
    for name, (image, view, size) in views.items():
        into = Pass(rig, [image], views=[view], size=size)
        look = Look(viewports=((0, 0, *size, 0, 1),), scissor=(0, 0, *size))
        made = pipeline(rig, into, {"frag": PLAIN}, bare, look)
        rig.scene = f"into a {name}"
        with into.begun():
            draw(rig, made, bare, [], 3, 2)
    large = Image(rig, "R8G8B8A8_UNORM", (160, 128))
    into = Pass(rig, [large], Image(rig, "D32_SFLOAT", (128, 96)), size=SIZE)
    made = pipeline(rig, into, {"frag": PLAIN}, bare, Look(depth=LESS))
    rig.scene = "images larger than the area"
    with into.begun():
        draw(rig, made, bare, [], 3, 2)
    odd = INPUTS + (
        "layout(binding = 0) buffer Counts { uint n[64]; };\n"
        "void main() { atomicAdd(n[uint(place.x * 63.0)], 1u); }"
    )
    buffer = rig.buffer(bytes(256))
    layout, sets = rig.bound([("storage", [buffer])])
    nothing = Pass(rig, [])
    made = pipeline(rig, nothing, {"vert": EVERYTHING, "frag": odd}, layout)
    rig.scene = "no attachments"
    with nothing.begun():
        draw(rig, made, layout, sets)


def vk_slice(rig: Rig, image: Image, number: int):
    info = vk.VkImageViewCreateInfo(
        image=image.handle, viewType=vk.VK_IMAGE_VIEW_TYPE_2D, format=image.format,
        subresourceRange=vk.VkImageSubresourceRange(
            aspectMask=1, levelCount=1, baseArrayLayer=number, layerCount=1
        ),
    )  # fmt: skip
    return rig.device.create("ImageView", info, rig.stack)


def between(rig: Rig) -> None:
    """Clears, copies, blits and resolves between draws and inside a pass."""
    bare, _ = rig.bound([])
    first, second, third = colour(rig), colour(rig), colour(rig)
    into, again = Pass(rig, [first]), Pass(rig, [second], load=True)
    made = pipeline(rig, into, {"frag": PLAIN}, bare, Look(blends=[BLEND]))
    c = rig.commands
    rig.scene = "before a clear"
    with into.begun():
        draw(rig, made, bare, [], 3, 2)
        rect = vk.VkClearRect(
            rect=vk.VkRect2D(
                offset=vk.VkOffset2D(x=10, y=10), extent=vk.VkExtent2D(width=30, height=30)
            ),
            layerCount=1,
        )
        value = vk.VkClearValue(color=vk.VkClearColorValue(float32=[1.0, 0.0, 1.0, 1.0]))
        vk.vkCmdClearAttachments(
            c, 1, [vk.VkClearAttachment(aspectMask=1, clearValue=value)], 1, [rect]
        )
        rig.scene = "after a clear"
        draw(rig, made, bare, [], 3, 1, instance=3)
    layers = vk.VkImageSubresourceLayers(aspectMask=1, layerCount=1)
    extent = vk.VkExtent3D(width=SIZE[0], height=SIZE[1], depth=1)
    vk.vkCmdCopyImage(
        c, first.handle, GENERAL, second.handle, GENERAL, 1,
        [vk.VkImageCopy(srcSubresource=layers, dstSubresource=layers, extent=extent)],
    )  # fmt: skip
    rig.everything()
    rig.scene = "after a copy"
    with again.begun():
        draw(rig, made, bare, [], 3, 1, instance=1)
    corner = vk.VkOffset3D(x=SIZE[0], y=SIZE[1], z=1)
    half = vk.VkOffset3D(x=SIZE[0] // 2, y=SIZE[1] // 2, z=1)
    vk.vkCmdBlitImage(
        c, second.handle, GENERAL, third.handle, GENERAL, 1,
        [vk.VkImageBlit(srcSubresource=layers, srcOffsets=[vk.VkOffset3D(), corner],
                        dstSubresource=layers, dstOffsets=[vk.VkOffset3D(), half])], 1,
    )  # fmt: skip
    rig.everything()
    rig.scene = "after a blit"
    last = Pass(rig, [third], load=True)
    with last.begun():
        draw(rig, made, bare, [], 3, 1, instance=2)


SCENES = (
    colour_formats, depth_formats, stencil, shadow, several_targets, blending, samples, places,
    between,
)  # fmt: skip
