"""A frame of many draws, made without a window and captured through RenderDoc's own API.

    shaderlab capture --delay 600 -o many.rdc --run python -m tests.many_draws [DRAWS] [corners]

A dispatch fills a buffer, `DRAWS` draws (100) of five shaders each make a picture of 640x360, and a
last one reads the first's.  With `corners` they all do the same work, in one corner of the picture
after the other (top left, bottom right, bottom left, top right).  Ends by itself a
little after the frame.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from ctypes import c_int, c_void_p
from functools import partial

import numpy as np

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery, drivers
from shaderlab.scene.draw import Draw, DrawState, Frame, Pass
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import PassPicture, Texture
from shaderlab.scene.uniforms import Uniforms

SIZE = (640, 360)
_START, _END = 19, 21
"""Places in RENDERDOC_API_1_1_2 (renderdoc_app.h)."""
_STAYS_S = 5.0
"""So that whoever captures hears of the capture."""
_TEXTS = (
    "o = vec4(uv, 0.5 + 0.5 * sin(iTime), 1.0);",
    "float v = 0.0; for (int i = 1; i < 12; i++) v += sin(uv.x * float(i) + iTime) / float(i);"
    " o = vec4(v, uv, 1.0);",
    "vec2 z = uv * 3.0 - 1.5; int n = 0; for (; n < 24 && dot(z, z) < 4.0; n++)"
    " z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.7, 0.27);"
    " o = vec4(vec3(float(n) / 24.0), 1.0);",
    "if (length(uv - 0.5) > 0.4) discard; o = vec4(uv.yx, fract(iTime), 1.0);",
    "o = vec4(step(0.5, fract(uv * 8.0)), 0.0, 1.0);",
)
_CORNERS = tuple(
    f"float v = 0.0; if ({inside}) for (int i = 1; i < 400; i++)"
    " v += sin(uv.x * float(i) + iTime) / float(i); o = vec4(v, uv, 1.0);"
    for inside in (
        "uv.x < 0.1 && uv.y < 0.17",
        "uv.x > 0.9 && uv.y > 0.83",
        "uv.x < 0.1 && uv.y > 0.83",
        "uv.x > 0.9 && uv.y < 0.17",
    )
)
_LAST = "o = texture(iChannel0, uv) * 0.5 + vec4(uv, 0.0, 0.5);"
_KERNEL = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
void main() {
  float v = 0.0;
  for (uint i = 0; i < gl_GlobalInvocationID.x % 16u; i++) v += sqrt(float(i));
  data[gl_GlobalInvocationID.x] = v;
}
"""


def main() -> int:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    start, end = renderdoc()
    os.environ["VK_LOADER_LAYERS_DISABLE"] = ""  # RenderDoc's layer is an implicit one
    info = discovery.discover().choose("llvmpipe")
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device
    from shaderlab.gpu.vulkan.frame_rendering import FrameRenderer
    from shaderlab.gpu.vulkan.rendering import renderer

    frame = _frame(draws, _CORNERS if "corners" in sys.argv[2:] else _TEXTS)
    kernel = Draw(compile_text(_KERNEL, "fill.comp", None))
    with ExitStack() as stack:
        device = Device.open(info)
        first = stack.enter_context(renderer(device, kernel))
        passes = FrameRenderer(device, frame)
        stack.callback(passes.close)
        kernels_picture = np.zeros((*kernel.size[::-1], 4), np.uint8)
        picture = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)
        start()
        first.render(kernel.inputs, kernels_picture)
        passes.render(frame, picture, "")
        if end() != 1:
            raise SystemExit("RenderDoc captured nothing")
        time.sleep(_STAYS_S)
    return 0


def _frame(draws: int, texts: Sequence[str]) -> Frame:
    programs = [_program(text, f"part{n}") for n, text in enumerate(texts)]
    passes = [
        Pass(f"pass{n}", Draw(programs[n % len(programs)], _state(Inputs.at(Uniforms(time_s=n)))))
        for n in range(draws)
    ]
    given = {"iChannel0": Input(Texture(PassPicture("pass0")), Source.SET)}
    last = Draw(_program(_LAST, "last"), _state(Inputs(textures=given)))
    return Frame((*passes, Pass("last", last)))


def _state(inputs: Inputs) -> DrawState:
    made = DrawState.of(SIZE)
    return DrawState(inputs, made.geometry, made.attachments)


def _program(text: str, name: str) -> Program:
    body = f"void mainImage(out vec4 o, in vec2 p) {{ vec2 uv = p / iResolution.xy; {text} }}"
    return compile_text(body, name, None)


def renderdoc() -> tuple[Callable[[], object], Callable[[], object]]:
    """StartFrameCapture and EndFrameCapture of the only device, without a window."""
    library = ctypes.CDLL("librenderdoc.so")
    table = c_void_p()
    if library.RENDERDOC_GetAPI(c_int(10102), ctypes.byref(table)) != 1 or not table.value:
        raise SystemExit("run it under RenderDoc: its library gives no API")
    places = ctypes.cast(table, ctypes.POINTER(c_void_p))
    kind = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
    start, end = (kind(places[at] or 0) for at in (_START, _END))
    return partial(start, None, None), partial(end, None, None)


if __name__ == "__main__":
    sys.exit(main())
