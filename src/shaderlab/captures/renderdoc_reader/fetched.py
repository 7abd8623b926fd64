"""What a draw's vertex stage reads: attributes, the buffers they lie in, and indices."""

from typing import Literal

import renderdoc as rd  # pyright: ignore[reportMissingImports]

MOST_BYTES = 64 << 20
"""Of one vertex buffer, from its first vertex to the last that is read."""
_WORDS: dict[int, Literal["B", "H", "I"]] = {1: "B", 2: "H", 4: "I"}


def fetched(resources, action, state):
    """What the stage is fed, or None; and why it cannot be run by itself, or an empty sentence."""
    for stage in (state.tessEvalShader, state.geometryShader):
        if stage.reflection is not None:
            return None, "its geometry or tessellation stages are not run"
    if state.vertexShader.reflection is None:
        return None, "it has no vertex shader"
    indexed = bool(action.flags & rd.ActionFlags.Indexed)
    indices, raw, index_bytes = [], b"", 0
    first, base, count = action.vertexOffset, 0, action.numIndices
    if indexed:
        buffer = state.inputAssembly.indexBuffer
        index_bytes, first, base = buffer.byteStride, 0, action.baseVertex
        if index_bytes not in _WORDS:
            return None, f"its indices have {index_bytes} bytes each"
        at = buffer.byteOffset + action.indexOffset * index_bytes
        raw = resources.buffer(buffer.resourceId, at, count * index_bytes) if count else b""
        raw = raw[: len(raw) // index_bytes * index_bytes]
        indices, count = resources.add(raw), len(raw) // index_bytes
    restart = bool(state.inputAssembly.primitiveRestartEnable)
    most = _last_index(raw, index_bytes, restart) + base + 1 if indexed else first + count
    bindings = []
    for each in state.vertexInput.bindings:
        number = each.vertexBufferBinding
        if number >= len(state.vertexInput.vertexBuffers):
            return None, "a vertex buffer is not bound"
        place = state.vertexInput.vertexBuffers[number]
        steps = most
        if each.perInstance:
            divisor = each.instanceDivisor
            if divisor not in (0, 1):
                return None, f"it steps through a vertex buffer every {divisor} instances"
            steps = action.instanceOffset + max(1, action.numInstances) if divisor else 1
        nbytes = max(0, steps) * place.byteStride or 1024
        if nbytes > MOST_BYTES:
            return None, f"its vertex buffer has {nbytes >> 20} MiB"
        bindings.append(
            {
                "binding": number,
                "stride": place.byteStride,
                "instanced": bool(each.perInstance),
                "data": resources.range_(place.resourceId, place.byteOffset, nbytes),
            }
        )
    return {
        "attributes": [
            {
                "location": each.location,
                "binding": each.binding,
                "format": each.format.Name(),
                "offset": each.byteOffset,
            }
            for each in state.vertexInput.attributes
        ],
        "bindings": bindings,
        "topology": rd.Topology(state.inputAssembly.topology).name,
        "count": count,
        "instances": max(1, action.numInstances),
        "first": first,
        "first_instance": action.instanceOffset,
        "base": base,
        "indices": indices,
        "index_bytes": index_bytes,
        "restart": restart,
    }, ""


def _last_index(raw, index_bytes, restart):
    if not raw:
        return 0
    words = memoryview(raw).cast(_WORDS[index_bytes])
    if not restart:
        return max(words)
    cut = (1 << 8 * index_bytes) - 1
    return max((each for each in words if each != cut), default=0)
