"""What a draw has bound: buffers, textures with their levels, samplers."""

import renderdoc as rd  # pyright: ignore[reportMissingImports]
import states  # pyright: ignore[reportMissingImports]
from pack import Refused  # pyright: ignore[reportMissingImports]

MOST_ELEMENTS = 4096
"""Of an array of descriptors."""
LARGE = 1 << 16
"""Bytes from which a buffer is read again only after a command that writes it."""
_READS = ("VertexBuffer", "IndexBuffer", "Indirect", "InputTarget", "ResolveSrc", "CopySrc",
          "CPUWrite")  # fmt: skip


class Resources:
    """Contents of buffers and textures at the event that is current."""

    def __init__(self, controller, pack, event):
        """`event`: gives the current one."""
        self._controller = controller
        self._pack = pack
        self._event = event
        self.textures = {each.resourceId: each for each in controller.GetTextures()}
        self._buffers = {each.resourceId: each for each in controller.GetBuffers()}
        self._kept = {}
        self._writes = {}

    def texels(self, image, mip, slice_, sample=0):
        """Bytes of a level of a layer or, of three dimensions, of all slices."""
        its = self.textures.get(image)
        if its is not None and its.msSamp > 1 and "S8" in its.format.Name():
            # RenderDoc 1.24 reads it once on lavapipe, and crashes soon afterwards.
            raise Refused("multisampled textures with stencil cannot be read")
        data = self._controller.GetTextureData(image, rd.Subresource(mip, slice_, sample))
        if its is not None and its.format.Name() == "D24S8":
            # RenderDoc 1.24 packs depth and stencil into four bytes, and leaves a fifth after them.
            data = data[: 4 * max(1, its.width >> mip) * max(1, its.height >> mip)]
        return data

    def level(self, image, mip, slice_, samples=1):
        """Numbers of its pieces, one sample's after the other's."""
        return [
            number
            for sample in range(samples)
            for number in self._pack.add(self.texels(image, mip, slice_, sample))
        ]

    def buffer(self, buffer, offset, nbytes):
        return bytes(self._controller.GetBufferData(buffer, offset, nbytes))

    def listed(self, shader, pipeline):
        """What a stage has bound, by set, binding and element.  `pipeline`: VKPipeline."""
        found = []
        used = set()
        mapping = shader.bindpointMapping
        reflection = shader.reflection
        for points, listed, written in (
            (mapping.constantBlocks, reflection.constantBlocks, False),
            (mapping.readOnlyResources, reflection.readOnlyResources, False),
            (mapping.readWriteResources, reflection.readWriteResources, True),
            (mapping.samplers, reflection.samplers, False),
        ):
            for point, declared in zip(points, listed, strict=False):
                if (
                    getattr(declared, "bufferBacked", True)
                    and (point.bindset, point.bind) not in used
                ):
                    used.add((point.bindset, point.bind))
                    found += self._bound(pipeline, point, written)
        return found

    def _bound(self, pipeline, point, written):
        sets = pipeline.descriptorSets
        if not 0 <= point.bindset < len(sets):
            return
        bindings = sets[point.bindset].bindings
        if not 0 <= point.bind < len(bindings):
            return
        binds = bindings[point.bind].binds
        for element, each in enumerate(binds):
            if element >= MOST_ELEMENTS:
                break
            used = getattr(each, "dynamicallyUsed", True) or len(binds) == 1
            yield {
                "set": point.bindset,
                "binding": point.bind,
                "element": element,
                "written": written,
                "bind": each if used else None,
                "inline": sets[point.bindset].inlineData,
            }

    def filled(self, where):
        """What one of `listed` holds at the event that is current."""
        bind = where["bind"]
        made = {key: where[key] for key in ("set", "binding", "element")}
        if bind is None:
            return made
        made["type"] = rd.BindType(bind.type).name
        if bind.samplerResourceId != rd.ResourceId.Null():
            made["sampler"] = states.sampler(bind)
        if getattr(bind, "inlineBlock", False):
            data = bytes(where["inline"])[bind.byteOffset : bind.byteOffset + bind.byteSize]
            made["buffer"] = {"data": self._pack.add(data), "image": 0}
        elif bind.resourceResourceId in self._buffers:
            made["buffer"] = self._bound_buffer(bind)
            made["buffer"]["format"] = bind.viewFormat.Name()
        elif bind.resourceResourceId in self.textures:
            made["image"] = self._image(self.textures[bind.resourceResourceId])
            made["view"] = {
                "format": states.format_name(bind.viewFormat),
                "first_level": bind.firstMip,
                "levels": bind.numMips,
                "first_layer": bind.firstSlice,
                "layers": bind.numSlices,
                "swizzle": [
                    rd.TextureSwizzle(getattr(bind.swizzle, each)).name
                    for each in ("red", "green", "blue", "alpha")
                ],
            }
        return made

    def after(self, where):
        """What a dispatch left in one of `listed`, at the event that is current: a buffer's bytes,
        or the texels of an image's first level and layer that are bound; None for others."""
        bind = where["bind"]
        if bind is None or not where["written"]:
            return None
        if bind.resourceResourceId in self._buffers:
            return self._bound_buffer(bind, fresh=True)["data"]
        texture = self.textures.get(bind.resourceResourceId)
        if texture is None or texture.msSamp > 1:
            return None
        return self.level(bind.resourceResourceId, bind.firstMip, bind.firstSlice)

    def add(self, data):
        """Numbers of the pieces of these bytes."""
        return self._pack.add(data)

    def range_(self, buffer, offset, nbytes):
        """Bytes of a buffer, read again only where something may have written it."""
        length = self._buffers[buffer].length if buffer in self._buffers else 0
        size = min(nbytes, max(0, length - offset))
        if not size:
            return []
        key = (buffer, offset, size)
        kept = self._kept_for(key)
        if kept is None:
            kept = self._pack.add(self.buffer(*key))
            self._keep(key, kept)
        return kept

    def _bound_buffer(self, bind, *, fresh=False):
        length = self._buffers[bind.resourceResourceId].length
        size = min(bind.byteSize, max(0, length - bind.byteOffset))
        if not size:
            return {"data": [], "image": states.number(bind.resourceResourceId)}
        key = (bind.resourceResourceId, bind.byteOffset, size)
        kept = self._kept_for(key) if size >= LARGE and not fresh else None
        if kept is None:
            kept = self._pack.add(self.buffer(*key))
            if not fresh:
                self._keep(key, kept)
        return {"data": kept, "image": states.number(bind.resourceResourceId)}

    def _image(self, texture):
        samples = max(1, texture.msSamp)
        key = (texture.resourceId,)
        kept = self._kept_for(key)
        if kept is None:
            kept = {
                "image": states.number(texture.resourceId),
                "format": states.format_name(texture.format),
                "size": [texture.width, texture.height, texture.depth],
                "layers": texture.arraysize,
                "samples": samples,
                "cube": bool(texture.cubemap),
                "dimension": int(texture.dimension),
                "levels": [
                    [
                        self.level(texture.resourceId, mip, layer, samples)
                        for layer in range(texture.arraysize)
                    ]
                    for mip in range(texture.mips)
                ],
            }
            self._keep(key, kept)
        return kept

    def _kept_for(self, key):
        """What was read of a resource, unless a command up to this event may have changed it."""
        if key not in self._kept:
            return None
        at, found = self._kept[key]
        first, last = min(at, self._event()), max(at, self._event())
        changed = any(first <= event <= last for event in self._writes_of(key[0]))
        return None if changed else found

    def _keep(self, key, found):
        self._kept[key] = (self._event(), found)

    def _writes_of(self, resource):
        if resource not in self._writes:
            self._writes[resource] = [
                each.eventId
                for each in self._controller.GetUsage(resource)
                if _writes(rd.ResourceUsage(each.usage).name)
            ]
        return self._writes[resource]


def _writes(usage):
    """Whether a use of a resource may change it; words that are not known are taken to."""
    is_read = usage in _READS or usage.endswith(("_Resource", "_Constants"))
    return not is_read or usage.endswith("_RWResource")
