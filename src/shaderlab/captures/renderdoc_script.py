"""Reads a RenderDoc capture, as a program of its own: `renderdoc_script.py CAPTURE PACK LIMIT`.

Run by a Python that has RenderDoc's module, which is seldom ours, so it imports nothing of
shaderlab.  Bytes go to the file PACK, at most LIMIT of them, in pieces that are each written once;
everything else to stdout as one JSON object a line, whose fields `captures.schema` describes:

- `capture`: API, RenderDoc's version, and all draws of the frame by event;
- `draw`: what one draw reads and writes, or the reason why it cannot be replayed;
- `counters`: RenderDoc's times and invocations by event;
- `end`, or `error`.

Contents are lists of piece numbers; a line's `pieces` gives digest, place and length of those that
are new.  RenderDoc's API: https://renderdoc.org/docs/python_api, versions 1.24 to 1.32.
"""

import hashlib
import json
import os
import pathlib
import sys

import renderdoc as rd  # pyright: ignore[reportMissingImports]

PIECE = 1 << 16
"""Bytes of a piece: small enough that what a draw leaves alone in an attachment is shared."""
MOST_DRAWS = 20000
MOST_VERTICES = 8 << 20
"""Of one draw, after the vertex stage, all instances together."""
MOST_ELEMENTS = 4096
"""Of an array of descriptors."""
LARGE = 1 << 16
"""Bytes from which a buffer is read again only after a command that writes it."""
_READS = ("VertexBuffer", "IndexBuffer", "Indirect", "InputTarget", "ResolveSrc", "CopySrc",
          "CPUWrite")  # fmt: skip


class Refused(Exception):
    """The sentence says why a draw, or the whole capture, cannot be read."""


class Pack:
    """Pieces of contents in a file, each once."""

    def __init__(self, path, limit):
        self._file = pathlib.Path(path).open("wb")  # noqa: SIM115
        self._limit = limit
        self._end = 0
        self._known = {}
        self.new = []

    def add(self, data):
        numbers = []
        for start in range(0, len(data), PIECE):
            piece = bytes(data[start : start + PIECE])
            digest = hashlib.sha256(piece).hexdigest()
            if digest not in self._known:
                if self._end + len(piece) > self._limit:
                    raise Refused(f"its contents exceed {self._limit >> 20} MiB")
                self._known[digest] = len(self._known)
                self.new.append([digest, self._end, len(piece)])
                self._file.write(piece)
                self._end += len(piece)
            numbers.append(self._known[digest])
        return numbers

    def taken(self):
        self._file.flush()
        new, self.new = self.new, []
        return new


class Reader:
    def __init__(self, controller, pack, emit):
        self._controller = controller
        self._pack = pack
        self._emit = emit
        self._structured = controller.GetStructuredFile()
        self._textures = {each.resourceId: each for each in controller.GetTextures()}
        self._buffers = {each.resourceId: each for each in controller.GetBuffers()}
        self._shaders = {}
        self._kept = {}
        self._writes = {}
        self._event = -1

    def read(self):
        draws, between = [], []
        self._walk(self._controller.GetRootActions(), "", draws, between)
        self._emit(
            {
                "kind": "capture",
                "api": "Vulkan",
                "renderdoc": rd.GetVersionString(),
                "draws": [
                    {"event": action.eventId, "name": name, "marker": marker, "stage": stage}
                    for action, name, marker, stage in draws
                ],
            }
        )
        earlier = None
        for (action, _, _, stage), disturbed in zip(draws, between, strict=False):
            record = {"kind": "draw", "event": action.eventId}
            try:
                if stage != "fragment":
                    raise Refused("compute work is listed, but not replayed")
                after = self._draw(action, None if disturbed else earlier, record)
                earlier = after
            except Refused as why:
                earlier = None
                record = {"kind": "draw", "event": action.eventId, "reason": str(why)}
            record["pieces"] = self._pack.taken()
            self._emit(record)
        self._counters([action.eventId for action, _, _, stage in draws if stage == "fragment"])

    def _walk(self, actions, marker, draws, between):
        """All draws and dispatches, and for each whether something else wrote since the last."""
        pending = True
        stack = [(each, marker) for each in reversed(actions)]
        while stack:
            action, marker = stack.pop()
            flags = action.flags
            is_draw = bool(flags & rd.ActionFlags.Drawcall)
            is_dispatch = bool(flags & rd.ActionFlags.Dispatch)
            name = action.GetName(self._structured)
            if (is_draw or is_dispatch) and len(draws) < MOST_DRAWS:
                stage = "fragment" if is_draw else "compute"
                draws.append((action, name[:200], marker[:200], stage))
                between.append(pending)
                pending = is_dispatch
            elif not flags & rd.ActionFlags.SetMarker:
                pending = True
            is_marker = bool(flags & rd.ActionFlags.PushMarker)
            is_marker = is_marker and not flags & rd.ActionFlags.CommandBufferBoundary
            inner = (marker + " / " + name if marker else name) if is_marker else marker
            stack += [(each, inner) for each in reversed(list(action.children))]

    def _go(self, event):
        if event != self._event:
            self._controller.SetFrameEvent(event, False)
            self._event = event

    def _draw(self, action, earlier, record):
        """Fill the record; the attachments' contents after the draw, by attachment."""
        event = action.eventId
        self._go(event)
        state = self._controller.GetVulkanPipelineState()
        pipe = self._controller.GetPipelineState()
        current = state.currentPass
        if list(current.renderpass.multiviews):
            raise Refused("it draws several views at once")
        if current.framebuffer.layers > 1:
            raise Refused(f"it draws into {current.framebuffer.layers} layers at once")
        fragment = state.fragmentShader
        if fragment.reflection is None:
            raise Refused("it has no pixel shader")
        targets = self._targets(current)
        resources = self._resources(state)
        written = any(each["written"] for each in resources)
        after = {}
        for key, target in targets.items():
            if target is not None:
                after[key] = self._level(target["image"], target["mip"], target["slice"])
        common = earlier is not None and set(earlier) == {k for k, t in targets.items() if t}
        record.update(
            {
                "size": [current.framebuffer.width, current.framebuffer.height],
                "fragment": self._shader(fragment),
                "vertex": self._shader(state.vertexShader),
                "constants": self._constants(fragment),
                "push": bytes(state.pushconsts).hex(),
                "vertices": self._vertices(action, pipe, state),
                "fixed": self._fixed(state),
            }
        )
        if not written:
            record["resources"] = [self._filled(each) for each in resources]
        if not common or written:
            self._go(event - 1)
        if written:
            record["resources"] = [self._filled(each) for each in resources]
        for key, target in targets.items():
            if target is None:
                continue
            target["after"] = after[key]
            target["before"] = (
                earlier[key]
                if common
                else self._level(target["image"], target["mip"], target["slice"])
            )
            target["image"] = number(target["image"])
        colours = [t for k, t in sorted((k, t) for k, t in targets.items() if k != "depth")]
        record["colours"], record["depth"] = colours, targets["depth"]
        return after

    def _targets(self, current):
        attachments = list(current.framebuffer.attachments)
        found = {
            f"{n:02}": self._target(attachments, index)
            for n, index in enumerate(current.renderpass.colorAttachments)
        }
        found["depth"] = self._target(attachments, current.renderpass.depthstencilAttachment)
        return found

    def _target(self, attachments, index):
        if index < 0 or index >= len(attachments):
            return None
        view = attachments[index]
        texture = self._textures.get(view.imageResourceId)
        if texture is None:
            return None
        if texture.msSamp > 1:
            raise Refused(f"its attachments have {texture.msSamp} samples per pixel")
        return {
            "image": view.imageResourceId,
            "format": view.viewFormat.Name(),
            "mip": view.firstMip,
            "slice": view.firstSlice,
            "size": [
                max(1, texture.width >> view.firstMip),
                max(1, texture.height >> view.firstMip),
            ],
        }

    def _level(self, image, mip, slice_, sample=0):
        part = rd.Subresource(mip, slice_, sample)
        return self._pack.add(self._controller.GetTextureData(image, part))

    def _shader(self, stage):
        reflection = stage.reflection
        if reflection is None:
            return None
        if reflection.encoding != rd.ShaderEncoding.SPIRV:
            raise Refused(f"its shader is {rd.ShaderEncoding(reflection.encoding).name}")
        key = (stage.resourceId, stage.entryPoint)
        if key not in self._shaders:
            self._shaders[key] = {
                "entry": stage.entryPoint,
                "spirv": self._pack.add(bytes(reflection.rawBytes)),
            }
        return self._shaders[key]

    def _constants(self, stage):
        """Bytes of specialisation constants by number: 8 for each, in RenderDoc's order."""
        data = bytes(stage.specializationData)
        return {
            str(number_): data[8 * n : 8 * n + 8].hex()
            for n, number_ in enumerate(stage.specializationIds)
        }

    def _vertices(self, action, pipe, state):
        last = rd.MeshDataStage.VSOut
        shader = pipe.GetShaderReflection(rd.ShaderStage.Vertex)
        for stage in (rd.ShaderStage.Geometry, rd.ShaderStage.Domain):
            found = pipe.GetShaderReflection(stage)
            if found is not None:
                last, shader = rd.MeshDataStage.GSOut, found
                break
        if shader is None:
            raise Refused("it has no vertex shader")
        mesh = self._controller.GetPostVSData(0, 0, last)
        if mesh.vertexResourceId == rd.ResourceId.Null():
            status = str(getattr(mesh, "status", ""))[:200]
            raise Refused("RenderDoc has no vertices of it" + (": " + status if status else ""))
        instances = max(1, action.numInstances) if last == rd.MeshDataStage.VSOut else 1
        if mesh.numIndices * instances > MOST_VERTICES:
            raise Refused(f"it has {mesh.numIndices * instances:,} vertices")
        step, stride = 0, mesh.vertexByteStride
        if instances > 1:
            second = self._controller.GetPostVSData(1, 0, last)
            step = second.vertexByteOffset - mesh.vertexByteOffset
        data = self._buffer(mesh.vertexResourceId, mesh.vertexByteOffset, 0)
        indices = b""
        if mesh.indexResourceId != rd.ResourceId.Null():
            count = mesh.numIndices * mesh.indexByteStride
            indices = self._buffer(mesh.indexResourceId, mesh.indexByteOffset, count)
        return {
            "topology": rd.Topology(mesh.topology).name,
            "count": mesh.numIndices,
            "instances": instances,
            "step": step,
            "stride": stride,
            "data": self._pack.add(data),
            "indices": self._pack.add(indices),
            "index_bytes": mesh.indexByteStride,
            "base": mesh.baseVertex,
            "restart": mesh.restartIndex if state.inputAssembly.primitiveRestartEnable else None,
            "aligned": bool(pipe.HasAlignedPostVSData(last)),
            "outputs": [
                {
                    "builtin": rd.ShaderBuiltin(each.systemValue).name,
                    "location": max(0, min(each.regIndex, 255)),
                    "components": each.compCount,
                    "channels": each.regChannelMask,
                    "wide": each.varType in (rd.VarType.Double, rd.VarType.SLong, rd.VarType.ULong),
                }
                for each in shader.outputSignature
            ],
        }

    def _buffer(self, buffer, offset, nbytes):
        return bytes(self._controller.GetBufferData(buffer, offset, nbytes))

    def _fixed(self, state):
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
            "sample_mask": state.multisample.sampleMask & 0xFFFFFFFF,
            "alpha_to_coverage": bool(blend.alphaToCoverageEnable),
            "blend_constants": list(blend.blendFactor),
            "blends": [
                {
                    "enabled": bool(each.enabled),
                    "logic": bool(each.logicOperationEnabled),
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

    def _resources(self, state):
        """What the pixel shader has bound, by set, binding and element."""
        found = []
        fragment = state.fragmentShader
        used = set()
        mapping = fragment.bindpointMapping
        reflection = fragment.reflection
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
                    found += self._bound(state, point, written)
        return found

    def _bound(self, state, point, written):
        sets = state.graphics.descriptorSets
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

    def _filled(self, where):
        bind = where["bind"]
        made = {key: where[key] for key in ("set", "binding", "element")}
        if bind is None:
            return made
        made["type"] = rd.BindType(bind.type).name
        if bind.samplerResourceId != rd.ResourceId.Null():
            made["sampler"] = sampler(bind)
        if getattr(bind, "inlineBlock", False):
            data = bytes(where["inline"])[bind.byteOffset : bind.byteOffset + bind.byteSize]
            made["buffer"] = {"data": self._pack.add(data), "image": 0}
        elif bind.resourceResourceId in self._buffers:
            made["buffer"] = self._bound_buffer(bind)
            made["buffer"]["format"] = bind.viewFormat.Name()
        elif bind.resourceResourceId in self._textures:
            made["image"] = self._image(self._textures[bind.resourceResourceId])
            made["view"] = {
                "format": bind.viewFormat.Name(),
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

    def _bound_buffer(self, bind):
        length = self._buffers[bind.resourceResourceId].length
        size = min(bind.byteSize, max(0, length - bind.byteOffset))
        if not size:
            return {"data": [], "image": number(bind.resourceResourceId)}
        key = (bind.resourceResourceId, bind.byteOffset, size)
        kept = self._kept_for(key) if size >= LARGE else None
        if kept is None:
            kept = self._pack.add(self._buffer(*key))
            self._keep(key, kept)
        return {"data": kept, "image": number(bind.resourceResourceId)}

    def _image(self, texture):
        if texture.msSamp > 1:
            raise Refused(f"it reads a texture of {texture.msSamp} samples per pixel")
        key = (texture.resourceId,)
        kept = self._kept_for(key)
        if kept is None:
            kept = {
                "image": number(texture.resourceId),
                "format": texture.format.Name(),
                "size": [texture.width, texture.height, texture.depth],
                "layers": texture.arraysize,
                "cube": bool(texture.cubemap),
                "dimension": int(texture.dimension),
                "levels": [
                    [
                        self._level(texture.resourceId, mip, layer)
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
        first, last = min(at, self._event), max(at, self._event)
        changed = any(first <= event <= last for event in self._writes_of(key[0]))
        return None if changed else found

    def _keep(self, key, found):
        self._kept[key] = (self._event, found)

    def _writes_of(self, resource):
        if resource not in self._writes:
            self._writes[resource] = [
                each.eventId
                for each in self._controller.GetUsage(resource)
                if _writes(rd.ResourceUsage(each.usage).name)
            ]
        return self._writes[resource]

    def _counters(self, events):
        wanted = [rd.GPUCounter.EventGPUDuration, rd.GPUCounter.PSInvocations]
        there = self._controller.EnumerateCounters()
        found = {str(event): [None, None] for event in events}
        # One at a time: times are wrong where the same run counts invocations (seen on lavapipe).
        results = [
            result
            for counter in wanted
            if counter in there
            for result in self._controller.FetchCounters([counter])
        ]
        for result in results:
            row = found.get(str(result.eventId))
            if row is None:
                continue
            description = self._controller.DescribeCounter(result.counter)
            if description.resultType == rd.CompType.Float:
                value = result.value.d if description.resultByteWidth == 8 else result.value.f
            else:
                value = result.value.u64 if description.resultByteWidth == 8 else result.value.u32
            row[wanted.index(result.counter)] = value
        self._emit({"kind": "counters", "values": found})


def _writes(usage):
    """Whether a use of a resource may change it; words that are not known are taken to."""
    is_read = usage in _READS or usage.endswith(("_Resource", "_Constants"))
    return not is_read or usage.endswith("_RWResource")


def number(resource):
    return int(str(resource).rsplit("::", 1)[-1])


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


def replay(path, pack, emit):
    if not hasattr(rd.PipeState, "GetReadOnlyResources") or not hasattr(rd, "BindType"):
        raise Refused(
            f"RenderDoc {rd.GetVersionString()} is newer than 1.32, the last that is read"
        )
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    capture = rd.OpenCaptureFile()
    try:
        result = capture.OpenFile(path, "", None)
        if result != rd.ResultCode.Succeeded:
            raise Refused(str(result.Message() if hasattr(result, "Message") else result))
        if capture.DriverName() != "Vulkan":
            raise Refused(f"it was made with {capture.DriverName()}; Vulkan captures are replayed")
        result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
        if result != rd.ResultCode.Succeeded:
            raise Refused(str(result.Message() if hasattr(result, "Message") else result))
        try:
            Reader(controller, pack, emit).read()
        finally:
            controller.Shutdown()
    finally:
        capture.Shutdown()
        rd.ShutdownReplay()


def main():
    # What RenderDoc and drivers print must not reach the stream.
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def emit(record):
        stream.write(json.dumps(record, separators=(",", ":")) + "\n")

    path, pack, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
    try:
        replay(path, Pack(pack, limit), emit)
    except Refused as why:
        emit({"kind": "error", "message": str(why)})
    else:
        emit({"kind": "end"})
    stream.flush()
    os._exit(0)  # drivers' threads may hang in their own clean-up


if __name__ == "__main__":
    main()
