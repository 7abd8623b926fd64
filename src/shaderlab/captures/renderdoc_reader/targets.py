"""What a draw draws into: its attachments, their contents, and the area they share."""

import renderdoc as rd  # pyright: ignore[reportMissingImports]
import states  # pyright: ignore[reportMissingImports]
from pack import Refused  # pyright: ignore[reportMissingImports]


class Target:
    """One attachment: the part of an image, with all samples of its pixels."""

    def __init__(self, view, texture):
        self.image = view.imageResourceId
        self.format = view.viewFormat.Name()
        self.mip, self.slice = view.firstMip, view.firstSlice
        self.samples = max(1, texture.msSamp)
        self.size = (max(1, texture.width >> self.mip), max(1, texture.height >> self.mip))
        self.slices = 1
        """Of an image of three dimensions, whose contents come all at once."""
        if int(texture.dimension) == 3:
            self.slices = max(1, texture.depth >> self.mip)

    def contents(self, resources, size):
        """Numbers of the pieces of its part of `size` pixels, one sample's after the other's."""
        numbers = []
        for sample in range(self.samples):
            data = resources.texels(self.image, self.mip, self.slice, sample)
            if self.slices > 1:
                one = len(data) // self.slices
                data = data[self.slice * one : self.slice * one + one]
            numbers += resources.add(cut(data, self.size, size))
        return numbers

    def record(self, before, after, size):
        return {
            "image": states.number(self.image),
            "format": self.format,
            "mip": self.mip,
            "slice": self.slice,
            "size": list(size),
            "samples": self.samples,
            "before": before,
            "after": after,
        }


def cut(data, size, wanted):
    """Rows of texels without what lies beyond the first `wanted` columns and rows."""
    if size == wanted:
        return data
    row = len(data) // size[1]
    kept = row // size[0] * wanted[0]
    return b"".join(bytes(data[at * row : at * row + kept]) for at in range(wanted[1]))


def targets(resources, state):
    """Attachments by name: `00`, `01` and so on by location, and `depth`; None for unused ones."""
    current = state.currentPass
    attachments = list(current.framebuffer.attachments)
    found = {
        f"{n:02}": _target(resources, attachments, index)
        for n, index in enumerate(current.renderpass.colorAttachments)
    }
    depth = state.depthStencil
    if depth.depthTestEnable or depth.stencilTestEnable or depth.depthBoundsEnable:
        index = current.renderpass.depthstencilAttachment
        found["depth"] = _target(resources, attachments, index)
    else:
        found["depth"] = None
    return found


def _target(resources, attachments, index):
    if index < 0 or index >= len(attachments):
        return None
    texture = resources.textures.get(attachments[index].imageResourceId)
    return None if texture is None else Target(attachments[index], texture)


def area(state, found):
    """Width and height that all attachments have in common, of the framebuffer where there is one:
    without (dynamic rendering) RenderDoc gives none."""
    sizes = [each.size for each in found.values() if each is not None]
    frame = state.currentPass.framebuffer
    if frame.width > 0 and frame.height > 0:
        sizes.append((frame.width, frame.height))
    if not sizes:
        cut = state.viewportScissor.viewportScissors[0].scissor
        sizes.append((cut.x + cut.width, cut.y + cut.height))
    size = min(width for width, _ in sizes), min(height for _, height in sizes)
    if min(size) < 1:
        raise Refused("it draws into an area without pixels")
    return size


def check(pipe, current):
    """Refuse multiview, and shaders that write the layer, the viewport or gl_PrimitiveID."""
    if list(current.renderpass.multiviews):
        raise Refused("it uses multiview")
    for stage in (rd.ShaderStage.Geometry, rd.ShaderStage.Domain, rd.ShaderStage.Vertex):
        shader = pipe.GetShaderReflection(stage)
        if shader is not None:
            written = {each.systemValue for each in shader.outputSignature}
            if rd.ShaderBuiltin.RTIndex in written:
                raise Refused("its shaders write the layer (gl_Layer)")
            if rd.ShaderBuiltin.ViewportIndex in written:
                raise Refused("its shaders write the viewport (gl_ViewportIndex)")
            if rd.ShaderBuiltin.PrimitiveIndex in written:
                raise Refused("its geometry stage writes gl_PrimitiveID")
            return
