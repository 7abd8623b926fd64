"""The draws of a frame, one line each."""

import renderdoc as rd  # pyright: ignore[reportMissingImports]
import states  # pyright: ignore[reportMissingImports]
import targets as attached  # pyright: ignore[reportMissingImports]
from bound import Resources  # pyright: ignore[reportMissingImports]
from fetched import fetched  # pyright: ignore[reportMissingImports]
from pack import Refused  # pyright: ignore[reportMissingImports]

MOST_DRAWS = 20000
MOST_VERTICES = 8 << 20
"""Of one draw, after the vertex stage, all instances together."""


class Reader:
    """Walks through a frame once, from its first draw to its last."""

    def __init__(self, controller, pack, emit):
        self._controller = controller
        self._pack = pack
        self._emit = emit
        self._structured = controller.GetStructuredFile()
        self._resources = Resources(controller, pack, lambda: self._event)
        self._shaders = {}
        self._event = -1
        self._before = {}
        """Of indirect draws, which are several events: the last one that drew something else."""

    def read(self, done):
        """`done`: how many draws are known and left out; -1: emit the capture record too."""
        draws, between = [], []
        self._walk(self._controller.GetRootActions(), "", draws, between)
        known = {
            "kind": "capture",
            "api": "Vulkan",
            "renderdoc": rd.GetVersionString(),
            "draws": [
                {"event": action.eventId, "name": name, "marker": marker, "stage": stage}
                for action, name, marker, stage in draws
            ],
        }
        if done < 0:
            self._emit(known)
        left = list(zip(draws, between, strict=False))[max(0, done) :]
        earlier = None
        for (action, _, _, stage), disturbed in left:
            record = {"kind": "draw", "event": action.eventId}
            try:
                if stage == "compute":
                    earlier = None
                    self._dispatch(action, record)
                else:
                    earlier = self._draw(action, None if disturbed else earlier, record)
            except Refused as why:
                earlier = None
                record = {"kind": "draw", "event": action.eventId, "reason": str(why)}
            record["pieces"] = self._pack.taken()
            self._emit(record)
        self._counters([action.eventId for action, _, _, _ in draws])

    def _walk(self, actions, marker, draws, between):
        """All draws and dispatches, and for each whether something else wrote since the last."""
        pending, last = True, 0
        stack = [(each, marker) for each in reversed(actions)]
        while stack:
            action, marker = stack.pop()
            flags = action.flags
            is_draw = bool(flags & rd.ActionFlags.Drawcall)
            is_dispatch = bool(flags & rd.ActionFlags.Dispatch)
            name = action.GetName(self._structured)
            several = bool(flags & rd.ActionFlags.MultiAction)
            if is_draw and flags & rd.ActionFlags.Indirect:
                self._before[action.eventId] = last
            if not several:
                last = action.eventId
            if (is_draw or is_dispatch) and len(draws) < MOST_DRAWS:
                stage = "fragment" if is_draw else "compute"
                draws.append((action, name[:200], marker[:200], stage))
                between.append(pending)
                pending = is_dispatch
            elif not several and not flags & (rd.ActionFlags.SetMarker | rd.ActionFlags.PushMarker):
                pending = True
            is_marker = bool(flags & rd.ActionFlags.PushMarker)
            is_marker = is_marker and not flags & rd.ActionFlags.CommandBufferBoundary
            inner = (marker + " / " + name if marker else name) if is_marker else marker
            stack += [(each, inner) for each in reversed(list(action.children))]

    def _go(self, event):
        if event != self._event:
            self._controller.SetFrameEvent(event, False)
            self._event = event

    def _dispatch(self, action, record):
        """Fill the record: what a dispatch finds bound, and what it leaves in what it writes."""
        self._go(action.eventId)
        if any(action.dispatchBase):
            raise Refused("it is dispatched with a base workgroup (vkCmdDispatchBase)")
        state = self._controller.GetVulkanPipelineState()
        shader = state.computeShader
        if shader.reflection is None:
            raise Refused("it has no compute shader")
        resources = self._resources.listed(shader, state.compute)
        after = [self._resources.after(each) for each in resources]
        if any(each["written"] for each in resources):
            self._go(action.eventId - 1)
        filled = [self._resources.filled(each) for each in resources]
        for made, its in zip(filled, after, strict=True):
            if its is not None:
                made["after"] = its
        record.update(
            {
                "compute": self._shader(shader),
                "groups": list(action.dispatchDimension),
                "constants": self._constants(shader),
                "push": bytes(state.pushconsts).hex(),
                "resources": filled,
            }
        )

    def _draw(self, action, earlier, record):
        """Fill the record; the attachments' contents after the draw, by attachment."""
        event = action.eventId
        if not action.numIndices or not action.numInstances:
            raise Refused("it draws no vertices")
        self._go(event)
        state = self._controller.GetVulkanPipelineState()
        pipe = self._controller.GetPipelineState()
        current = state.currentPass
        attached.check(pipe, current)
        fragment = state.fragmentShader
        if fragment.reflection is None:
            raise Refused("it has no pixel shader")
        targets = attached.targets(self._resources, state)
        size = attached.area(state, targets)
        resources = self._resources.listed(fragment, state.graphics)
        written = any(each["written"] for each in resources)
        after = {
            (name, each.image, each.mip, each.slice, size): each.contents(self._resources, size)
            for name, each in targets.items()
            if each is not None
        }
        places = {key[0]: key for key in after}
        common = earlier is not None and set(earlier) == set(after)
        record.update(
            {
                "size": list(size),
                "fragment": self._shader(fragment),
                "vertex": self._shader(state.vertexShader),
                "constants": self._constants(fragment),
                "push": bytes(state.pushconsts).hex(),
                "vertices": self._vertices(action, pipe, state),
                "fixed": states.fixed(state),
            }
        )
        vertex, record["vertex_reason"] = fetched(self._resources, action, state)
        record["fetched"] = vertex
        stages = {"resources": resources}
        if vertex is not None:
            record["vertex_constants"] = self._constants(state.vertexShader)
            stages["vertex_resources"] = self._resources.listed(state.vertexShader, state.graphics)
            written = written or any(each["written"] for each in stages["vertex_resources"])
        if not written:
            self._fill(record, stages)
        if not common or written:
            self._go(self._before.get(event, event - 1))
        if written:
            self._fill(record, stages)
        records = dict.fromkeys(targets)
        for name, key in places.items():
            target = targets[name]
            assert target is not None
            before = (
                earlier[key]
                if earlier is not None and common
                else target.contents(self._resources, size)
            )
            records[name] = target.record(before, after[key], size)
        record["depth"] = records.pop("depth")
        record["colours"] = [records[name] for name in sorted(records)]
        return after

    def _fill(self, record, stages):
        """What each stage finds bound at the event that is current."""
        for name, resources in stages.items():
            record[name] = [self._resources.filled(each) for each in resources]

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
        data = self._resources.buffer(mesh.vertexResourceId, mesh.vertexByteOffset, 0)
        indices = b""
        if mesh.indexResourceId != rd.ResourceId.Null():
            count = mesh.numIndices * mesh.indexByteStride
            indices = self._resources.buffer(mesh.indexResourceId, mesh.indexByteOffset, count)
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

    def _counters(self, events):
        # Column of each: a draw has no compute invocations, a dispatch none of pixel shaders.
        wanted = {
            rd.GPUCounter.EventGPUDuration: 0,
            rd.GPUCounter.PSInvocations: 1,
            rd.GPUCounter.CSInvocations: 1,
        }
        there = self._controller.EnumerateCounters()
        found: dict[str, list[float | None]] = {str(event): [None, None] for event in events}
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
            column = wanted[result.counter]
            row[column] = max(value, row[column] or 0)
        self._emit({"kind": "counters", "values": found})
