"""Captures of APIs other than Vulkan: their draws and shaders as the recorded calls name them.

Nothing is replayed.  GLSL is returned as text; of Direct3D's bytecode only the kind is named.
"""

from typing import Any

import renderdoc as rd  # pyright: ignore[reportMissingImports]

MOST_DRAWS = 20000
MOST_TEXT = 1 << 20
"""Bytes of a shader's text."""
_GL_PIXEL, _GL_COMPUTE = 0x8B30, 0x91B9
_SKIPPED = ("vkCmd", "glDrawBuffer", "glDrawBuffers")
_DRAWS = ("glDraw", "glMultiDraw", "::Draw", "::ExecuteIndirect")
_DISPATCHES = ("glDispatchCompute", "::Dispatch")
_STAGES = {"fragment": "pixel", "compute": "compute"}


class Recorded:
    """Walks through the calls once."""

    def __init__(self, capture, pack, emit):
        self._pack = pack
        self._emit = emit
        self._api = str(capture.DriverName())[:64]
        self._file = capture.GetStructuredData()
        self._kinds, self._texts, self._attached, self._compiled = {}, {}, {}, {}
        self._current: dict[str, Any] = {"fragment": None, "compute": None}
        self._found = []

    def read(self, done):
        for number, chunk in enumerate(self._file.chunks):
            name = str(chunk.name)
            self._shader(name, chunk)
            if len(self._found) < MOST_DRAWS:
                self._draw(number, name)
        listed = [
            {"event": event, "name": name[:200], "marker": "", "stage": stage}
            for event, name, stage, _ in self._found
        ]
        if done < 0:
            version = rd.GetVersionString()
            head = {"kind": "capture", "api": self._api, "renderdoc": version, "draws": listed}
            self._emit(head)
        for event, _, stage, shader in self._found[max(0, done) :]:
            self._emit(self._record(event, stage, shader))

    def _draw(self, number, name):
        if name.startswith(_SKIPPED):
            return
        is_dispatch = any(each in name for each in _DISPATCHES)
        if is_dispatch or any(each in name for each in _DRAWS):
            stage = "compute" if is_dispatch else "fragment"
            self._found.append((number, name, stage, self._current[stage]))

    def _record(self, event, stage, shader):
        kind, text = shader or ("", b"")
        why = f"draws of {self._api} are not replayed"
        if kind:
            why += f"; its {_STAGES[stage]} shader is {kind}"
        numbers = self._pack.add(text) if text else []
        return {"kind": "draw", "event": event, "reason": why, "text": numbers,
                "pieces": self._pack.taken()}  # fmt: skip

    def _shader(self, name, chunk):
        if name == "glCreateShader":
            self._kinds[_number(chunk, "Shader")] = _field(chunk, "type").AsInt()
        elif name == "glShaderSource":
            texts = _field(chunk, "sources")
            parts = [str(texts.GetChild(n).AsString()) for n in range(texts.NumChildren())]
            text = "".join(parts).encode("utf-8", "replace")[:MOST_TEXT]
            self._texts[_number(chunk, "shader")] = text
        elif name == "glAttachShader":
            both = self._attached.setdefault(_number(chunk, "program"), [])
            both.append(_number(chunk, "shader"))
        elif name in ("glUseProgram", "glUseProgramStages"):
            self._use(_number(chunk, "program"))
        elif name == "Internal::Beginning of Capture":  # a program may be used since long before
            program = _inside(chunk, "GL_CURRENT_PROGRAM")
            if program is not None:
                self._use(str(program.AsResourceId()))
        else:
            self._bytecode(name, chunk)

    def _bytecode(self, name, chunk):
        """Direct3D's calls that make shaders, and those that bind them."""
        if "::Create" in name and ("Shader" in name or "PipelineState" in name):
            made = _made(chunk)
            for stage, letters in (("fragment", "PS"), ("compute", "CS")):
                code = self._code(chunk, letters, name)
                if code:
                    self._compiled[made, stage] = (code, b"")
        elif "::SetPipelineState" in name or name.endswith(("::PSSetShader", "::CSSetShader")):
            bound = _resources(chunk)
            for stage in self._current:
                for each in bound:
                    if (each, stage) in self._compiled:
                        self._current[stage] = self._compiled[each, stage]

    def _use(self, program):
        self._current["fragment"] = self._glsl(program, _GL_PIXEL)
        self._current["compute"] = self._glsl(program, _GL_COMPUTE)

    def _glsl(self, program, kind):
        for shader in self._attached.get(program, ()):
            if self._kinds.get(shader) == kind and shader in self._texts:
                return "GLSL", self._texts[shader]
        return None

    def _code(self, chunk, letters, name):
        """DXBC or DXIL, where a call makes a shader of this stage."""
        plain = {"PS": "CreatePixelShader", "CS": "CreateComputeShader"}[letters]
        whole = name.endswith(plain)
        if not whole and "PipelineState" not in name:
            return ""
        data = self._bytes(chunk if whole else _inside(chunk, letters))
        if data[:4] != b"DXBC":
            return ""
        return "DXIL" if b"DXIL" in data[:4096] else "DXBC"

    def _bytes(self, part):
        """Of the first buffer in a part of a call."""
        left = [part] if part is not None else []
        while left:
            each = left.pop(0)
            if each.type.basetype == rd.SDBasic.Buffer:
                return bytes(self._file.buffers[each.AsInt()])
            left += [each.GetChild(n) for n in range(each.NumChildren())]
        return b""


def _field(chunk, name):
    found = chunk.FindChild(name)
    return found if found is not None else chunk.GetChild(0)


def _number(chunk, name):
    return str(_field(chunk, name).AsResourceId())


def _inside(chunk, name):
    """A part of that name, however deep."""
    left = [chunk]
    while left:
        each = left.pop(0)
        if str(each.name) == name:
            return each
        left += [each.GetChild(n) for n in range(each.NumChildren())]
    return None


def _resources(chunk):
    parts = [chunk.GetChild(n) for n in range(chunk.NumChildren())]
    return [str(p.AsResourceId()) for p in parts if p.type.basetype == rd.SDBasic.Resource]


def _made(chunk):
    """What a call makes is the last resource among its parameters."""
    found = _resources(chunk)
    return found[-1] if found else ""
