"""What an input is likely to mean, from its name and type, and the value that follows from it.

Two tables: names that a dialect or a site defines, which settle the matter, and rules over the
words of any other name, which are guesses and shown as such.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from shaderlab.scene import camera as at
from shaderlab.scene.camera_matrices import LIGHT_POSITION, matrix
from shaderlab.scene.geometry import DEFAULT_CAMERA, Camera
from shaderlab.scene.inputs import Numbers
from shaderlab.scene.names import in_context
from shaderlab.scene.packing import numbers_of
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.value_types import Component, Numeric


@dataclass(frozen=True)
class Surroundings:
    """What values of inputs follow from."""

    uniforms: Uniforms
    size: tuple[int, int]
    """Width, height of the picture in pixels."""
    camera: Camera = DEFAULT_CAMERA
    channels: tuple[tuple[int, int], ...] = ((0, 0),) * 4
    """Width, height in texels of `iChannel0` to `iChannel3`; zeros for empty ones."""


Value = Callable[[Surroundings], Numbers]


class Meaning(NamedTuple):
    """One thing an input can mean."""

    name: str
    """As shown: `time in seconds`."""
    value: Value
    is_certain: bool
    """Whether the name alone settles it, as `iTime` does; else it is a guess and shown as one."""
    is_live: bool
    """Whether it changes from frame to frame by itself."""


@lru_cache(maxsize=8192)
def meaning(path: str, kind: Numeric, lengths: tuple[int, ...] = ()) -> Meaning | None:
    """What the input of that name and type means, if that is known.

    `path`: its name, with those of the structs around it (`light.position`); `lengths`: of the
    arrays around it, each element of which has the same meaning.
    """
    last = re.sub(r"\[\d*\]", "", path.rsplit(".", 1)[-1])
    shape = _shape(kind)
    for shapes, found in _NAMES.get(last, ()):
        if shape + "".join(f"[{length}]" for length in lengths) in shapes.split():
            return _meant(found, kind, lengths, is_certain=True)
    if shape == "f4" and last == "data" and lengths == (4,) and "." in path:
        # A matrix as Slang declares it: a struct around its vectors.
        return meaning(path.rsplit(".", 1)[0], Numeric(Component.FLOAT, 32, 4, 4))
    for words in in_context(path):
        text = " ".join(words)
        for rule in _RULES:
            if shape in rule.shapes and rule.pattern.fullmatch(text):
                return _meant(rule.meant, kind, lengths, is_certain=False)
    if kind.columns > 1:
        return _matrix_meaning(path, kind, lengths)
    return None


class _Meant(NamedTuple):
    text: str
    value: Value
    is_live: bool = False


def transposed(means: Meaning, kind: Numeric) -> Meaning:
    """A square matrix's meaning for a module that has it transposed."""
    if kind.columns != kind.rows:
        return means
    give, count = means.value, kind.count

    def value(around: Surroundings) -> Numbers:
        full = give(around)
        parts = (full[n : n + count] for n in range(0, len(full), count))
        return tuple(number for part in parts for number in at.transposed(part))

    return means._replace(value=value)


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    """Over the words of `scene.names`, with spaces between them."""
    shapes: frozenset[str]
    meant: _Meant


def _shape(kind: Numeric) -> str:
    """`f3` of a vec3, `m4x4` of a mat4, `i1`, `u1`, `b1` of scalars; 64-bit ones alike."""
    if kind.columns > 1:
        return f"m{kind.columns}x{kind.rows}"
    return f"{kind.component.value[0]}{kind.rows}"


def _meant(found: _Meant, kind: Numeric, lengths: tuple[int, ...], *, is_certain: bool) -> Meaning:
    """`found` for every element, with as many numbers as one has."""
    count = kind.count
    times = numbers_of(kind, lengths) // count
    give = found.value

    def value(around: Surroundings) -> Numbers:
        numbers = give(around)
        if len(numbers) == count * times:
            return numbers
        return (numbers[:count] + (0.0,) * (count - len(numbers))) * times

    return Meaning(found.text, value, is_certain, found.is_live)


def _matrix_meaning(path: str, kind: Numeric, lengths: tuple[int, ...]) -> Meaning:
    name = matrix(in_context(path)[0])
    columns, rows, times = kind.columns, kind.rows, numbers_of(kind, lengths) // kind.count

    def value(around: Surroundings) -> Numbers:
        full = name.value(around.camera, around.size)
        return tuple(full[4 * c + r] for c in range(columns) for r in range(rows)) * times

    return Meaning(name.text, value, is_certain=False, is_live=False)


def _channel_resolutions(around: Surroundings) -> Numbers:
    return tuple(n for size in around.channels for n in (*map(float, size), float(any(size))))


def _just(*numbers: float) -> Value:
    return lambda _: numbers


def _mouse(around: Surroundings) -> Numbers:
    return around.uniforms.mouse


def _frame_in_cycle(around: Surroundings) -> Numbers:
    clock = around.uniforms
    cycle = clock.frames_in_cycle
    return (float(clock.frame % cycle if cycle else clock.frame),)


def _size(around: Surroundings) -> Numbers:
    width, height = around.size
    return float(width), float(height), 1.0 / width, 1.0 / height


def _cursor(around: Surroundings) -> Numbers:
    """A cell of text in the middle: x and y of its upper left corner, width, height."""
    width, height = around.size
    return width / 2.0, height / 2.0, width / 80.0, height / 24.0


def _pixel(around: Surroundings) -> Numbers:
    width, height = around.size
    return 1.0 / width, 1.0 / height, float(width), float(height)


def _unity_time(around: Surroundings) -> Numbers:
    time = around.uniforms.time_s
    return time / 20, time, 2 * time, 3 * time


def _waves(of: Callable[[float], float]) -> Value:
    return lambda s: tuple(of(s.uniforms.time_s / part) for part in (8, 4, 2, 1))


def _unity_delta(around: Surroundings) -> Numbers:
    step = around.uniforms.time_delta_s
    rate = 1 / step if step else 0.0
    return step, rate, step, rate


def _unity_screen(around: Surroundings) -> Numbers:
    width, height = around.size
    return float(width), float(height), 1 + 1 / width, 1 + 1 / height


def _towards_camera(around: Surroundings) -> Numbers:
    x, y, z = at.eye(around.camera)
    length = math.hypot(x, y, z)
    return -x / length, -y / length, -z / length, 0.0


_LENGTH = math.hypot(*LIGHT_POSITION)

_TIME = _Meant("time in seconds", lambda s: (s.uniforms.time_s,), is_live=True)
_MILLISECONDS = _Meant("time in milliseconds", lambda s: (s.uniforms.time_s * 1e3,), is_live=True)
_FRAME = _Meant("frame number", lambda s: (float(s.uniforms.frame),), is_live=True)
_FRAME_COUNT = _Meant("frame number", _frame_in_cycle, is_live=True)
_DELTA = _Meant("seconds per frame", lambda s: (s.uniforms.time_delta_s,), is_live=True)
_RATE = _Meant("frames per second", lambda s: (s.uniforms.frame_rate,), is_live=True)
_DATE = _Meant("date", lambda s: s.uniforms.date, is_live=True)
_MOUSE = _Meant("mouse in pixels", _mouse, is_live=True)
_MOUSE_SHARE = _Meant(
    "mouse as a share of the picture",
    lambda s: tuple(max(0.0, s.uniforms.mouse[n]) / s.size[n] for n in range(2)),
    is_live=True,
)
_RESOLUTION = _Meant("resolution in pixels", _size)
_RESOLUTION_1 = _Meant("resolution in pixels", lambda s: (*_size(s)[:2], 1.0))
_PIXEL = _Meant("size of a pixel", _pixel)
_VIEWPORT = _Meant("viewport in pixels", lambda s: (0.0, 0.0, *_size(s)[:2]))
_ASPECT = _Meant("width by height", lambda s: (s.size[0] / s.size[1],))
_SURFACE = _Meant("width by height, and 1", lambda s: (s.size[0] / s.size[1], 1.0))
_WIDTH = _Meant("width in pixels", lambda s: (float(s.size[0]),))
_HEIGHT = _Meant("height in pixels", lambda s: (float(s.size[1]),))
_PROGRESS = _Meant("progress of a transition", lambda s: (s.uniforms.time_s / 2.0 % 1.0,), True)
_CAMERA = _Meant("camera position", lambda s: (*at.eye(s.camera), 1.0))
_LOOKING = _Meant("camera direction", _towards_camera)
_LIGHT_AT = _Meant("light position", _just(*LIGHT_POSITION, 1.0))
_TO_LIGHT = _Meant("direction to the light", _just(*(x / _LENGTH for x in LIGHT_POSITION), 0.0))
_WHITE = _Meant("white", _just(1.0, 1.0, 1.0, 1.0))
_ONE = _Meant("1", _just(1.0, 1.0, 1.0, 1.0))
_NONE = _Meant("none", _just(0.0))

_SCALARS = "f1 i1 u1"

_NAMES: dict[str, list[tuple[str, _Meant]]] = {
    # Shadertoy; iResolution.z is 0 as in the paper's runs (ShaderPerFormer, section 5).
    "iResolution": [
        ("f3", _Meant("resolution in pixels", lambda s: (*s.size, 0.0))),
        ("f2", _RESOLUTION),
    ],
    "iTime": [("f1", _TIME)],
    "iGlobalTime": [("f1", _TIME)],
    "iChannelTime": [("f1[4] f4", _Meant("time of each channel", _just(*(0.0,) * 4)))],
    "iMouse": [("f4 f2 f3", _MOUSE)],
    "iDate": [("f4", _DATE)],
    "iChannelResolution": [("f3[4]", _Meant("resolution of channels", _channel_resolutions))],
    "iSampleRate": [("f1", _Meant("sample rate of sound", _just(0.0)))],
    "iFrame": [("i1 f1 u1", _FRAME)],
    "iCubeFace": [("i1 f1", _Meant("face of the cube map being drawn", _just(0.0)))],
    "iTimeDelta": [("f1", _DELTA)],
    "iFrameRate": [("f1", _RATE)],
    # glslViewer and The Book of Shaders.
    "u_time": [("f1", _TIME)],
    "u_resolution": [("f2", _RESOLUTION), ("f3", _RESOLUTION_1)],
    "u_mouse": [("f2 f4", _MOUSE)],
    "u_date": [("f4", _DATE)],
    "u_delta": [("f1", _DELTA)],
    "u_frame": [("i1 f1", _FRAME)],
    "u_camera": [("f3", _CAMERA)],
    "u_light": [("f3", _LIGHT_AT)],
    "u_lightColor": [("f3", _WHITE)],
    # glsl-sandbox, KodeLife, GraphicsFuzz.
    "time": [("f1", _TIME)],
    "resolution": [("f2", _RESOLUTION), ("f3", _RESOLUTION_1)],
    "mouse": [("f2", _MOUSE_SHARE), ("f4", _MOUSE)],
    "surfaceSize": [("f2", _SURFACE)],
    "injectionSwitch": [("f2", _Meant("GraphicsFuzz's switch", _just(0.0, 1.0)))],
    # ISF.
    "TIME": [("f1", _TIME)],
    "TIMEDELTA": [("f1", _DELTA)],
    "RENDERSIZE": [("f2", _RESOLUTION)],
    "PASSINDEX": [("i1", _Meant("number of the pass", _just(0.0)))],
    "FRAMEINDEX": [("i1", _FRAME)],
    "DATE": [("f4", _DATE)],
    # libretro; the frame rate is what its cores have at most.
    "SourceSize": [("f4", _RESOLUTION)],
    "OriginalSize": [("f4", _RESOLUTION)],
    "OutputSize": [("f4", _RESOLUTION)],
    "FinalViewportSize": [("f4", _RESOLUTION)],
    "FrameCount": [("u1 i1 f1", _FRAME_COUNT)],
    "FrameDirection": [("i1", _Meant("forwards", _just(1.0)))],
    "FrameTimeDelta": [("u1", _Meant("microseconds per frame", _just(16667.0)))],
    "OriginalFPS": [("f1", _Meant("frames per second", _just(60.0)))],
    "CurrentSubFrame": [("u1", _ONE)],
    "TotalSubFrames": [("u1", _ONE)],
    "Rotation": [("u1", _Meant("no rotation", _just(0.0)))],
    "OriginalAspect": [("f1", _ASPECT)],
    # gl-transitions.
    "progress": [("f1", _PROGRESS)],
    "ratio": [("f1", _ASPECT)],
    # Bonzomatic (its README, "Uniforms").
    "fGlobalTime": [("f1", _TIME)],
    "fFrameTime": [("f1", _DELTA)],
    "v2Resolution": [("f2", _RESOLUTION)],
    # Iris and OptiFine (shaders.properties' documentation, "Uniforms").
    "viewWidth": [("f1", _WIDTH)],
    "viewHeight": [("f1", _HEIGHT)],
    "aspectRatio": [("f1", _ASPECT)],
    "frameTimeCounter": [("f1", _TIME)],
    "frameTime": [("f1", _DELTA)],
    "frameCounter": [("i1", _FRAME)],
    # TouchDesigner (its wiki, "Write a GLSL TOP"): a member of uTDOutputInfo.
    "res": [("f4", _PIXEL)],
    # Ghostty (its configuration reference, "custom-shader").
    "iTimeCursorChange": [("f1", _Meant("time of the last change of the cursor", _just(0.0)))],
    "iCurrentCursor": [("f4", _Meant("cursor in pixels", _cursor))],
    "iPreviousCursor": [("f4", _Meant("cursor in pixels", _cursor))],
    "iCurrentCursorColor": [("f4", _WHITE)],
    "iPreviousCursorColor": [("f4", _WHITE)],
    # raylib (rlgl.h, "RL_DEFAULT_SHADER_UNIFORM_NAME"; its example shaders/wave.fs).
    "colDiffuse": [("f4", _WHITE)],
    "secondes": [("f1", _TIME)],
    # Unity (its manual, "Built-in shader variables reference").
    "_Time": [("f4", _Meant("time / 20, time, time x 2, time x 3", _unity_time, True))],
    "_SinTime": [("f4", _Meant("sines of time / 8, / 4, / 2, / 1", _waves(math.sin), True))],
    "_CosTime": [("f4", _Meant("cosines of time / 8, / 4, / 2, / 1", _waves(math.cos), True))],
    "unity_DeltaTime": [("f4", _Meant("seconds per frame and their inverse", _unity_delta, True))],
    "_ScreenParams": [("f4", _Meant("resolution in pixels", _unity_screen))],
    # Minecraft (its wiki, "Shader", uniforms of core shaders): a day has 20 minutes.
    "GameTime": [("f1", _Meant("share of a day", lambda s: (s.uniforms.time_s / 1200 % 1,), True))],
    # LÖVE (its wiki, "Shader Variables").
    "love_ScreenSize": [("f4", _Meant("screen in pixels", lambda s: (*s.size, 1.0, 0.0)))],
    # mpv (its manual, "Custom shaders"); "frame" is a rule's.
    "HOOKED_size": [("f2", _RESOLUTION)],
    # OBS (libobs' default effects; obs-shaderfilter's README).
    "uv_size": [("f2", _RESOLUTION)],
    "uv_pixel_interval": [("f2", _PIXEL)],
    "uv_scale": [("f2", _ONE)],
    "elapsed_time": [("f1", _TIME)],
    # PixiJS (its guide on filters).
    "inputSize": [("f4", _RESOLUTION)],
    "inputPixel": [("f4", _RESOLUTION)],
    "outputFrame": [("f4", _VIEWPORT)],
    # Processing (PShader's tutorial).
    "texOffset": [("f2", _PIXEL)],
    # three.js.
    "cameraPosition": [("f3", _CAMERA)],
}  # fmt: skip
"""By name: what it means for values of these types."""

_WHOLE = (
    "(?:screen|viewport|view port|view|window|render|render target|target|frame|frame buffer|"
    "canvas|display|output|source|image|picture|texture|back buffer|input|original)"
)


def _rules(*rows: tuple[str, str, _Meant]) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(re.compile(pattern), frozenset(shapes.split()), meant)
        for pattern, shapes, meant in rows
    )


_RULES = _rules(
    # Of the frame.
    (r"(?:global |elapsed |current |app |game |run |total |animation )?(?:time|seconds|clock)"
     r"(?: s| sec| seconds| elapsed| parameter)?|timer|(?:global|game|elapsed|run)time",
     "f1", _TIME),
    (r"(?:time )?(?:ms|millis|milliseconds)|time ms", _SCALARS, _MILLISECONDS),
    (r"(?:delta|frame|elapsed frame) time|time (?:delta|step)|dt|delta", "f1",
     _DELTA),
    (r"(?:current )?frames?(?: (?:count|counter|number|index|id))?|number frames", _SCALARS,
     _FRAME),
    (r"(?:fps|frame rate|frames per second)", "f1", _RATE),
    (r"mouse(?: (?:position|xy|coord|coords|pixel))?", "f2 f3 f4 i2", _MOUSE),
    (r"mouse (?:uv|norm|normalized|normalised)", "f2", _MOUSE_SHARE),
    (r"date(?: time)?", "f4", _DATE),
    (rf"(?:{_WHOLE} )?resolution|{_WHOLE} (?:size|wh)|size|view ?port", "f2 i2 u2", _RESOLUTION),
    (rf"(?:{_WHOLE} )?resolution|{_WHOLE} size", "f3", _RESOLUTION_1),
    (r"view ?port(?: rect)?", "f4 i4", _VIEWPORT),
    (rf"(?:{_WHOLE} )?resolution|{_WHOLE} (?:size|params|parameters)", "f4", _RESOLUTION),
    (rf"(?:inverse|texel|pixel|px|one over) (?:{_WHOLE} )?(?:resolution|size)|"
     rf"(?:{_WHOLE} )?(?:texel|pixel)(?: size)?|(?:{_WHOLE} )?(?:resolution|size) inverse|"
     r"inverse (?:view port|viewport)", "f2 f4", _PIXEL),
    (rf"{_WHOLE} width", _SCALARS, _WIDTH),
    (rf"{_WHOLE} height", _SCALARS, _HEIGHT),
    (r"width", "i1 u1", _WIDTH),
    (r"height", "i1 u1", _HEIGHT),
    (rf"(?:{_WHOLE} |camera |view )?(?:aspect|aspect ratio)", "f1", _ASPECT),
    (r"progress|transition", "f1", _PROGRESS),
    # Of the camera.
    (r"(?:camera|view)(?: world| world space)?(?: (?:position|origin|point|ws))?(?: world| ws)?|"
     r"ray origin|world camera position", "f3 f4", _CAMERA),
    (r"(?:camera|view|look)(?: (?:direction|forward|front|look|at))", "f3 f4", _LOOKING),
    (r"(?:camera |view )?up(?: direction)?", "f3 f4", _Meant("up", _just(0.0, 1.0, 0.0, 0.0))),
    (r"(?:camera |z |clip )?near(?: plane| clip| z| distance)?|z near", "f1",
     _Meant("near plane", _just(at.NEAR))),
    (r"(?:camera |z |clip )?far(?: plane| clip| z| distance)?|z far", "f1",
     _Meant("far plane", _just(at.FAR))),
    (r"(?:camera )?(?:near far|clip planes|z planes|depth range|clipping planes)", "f2",
     _Meant("near and far plane", _just(at.NEAR, at.FAR))),
    (r"(?:camera |vertical |y )?(?:fov|field of view)(?: y| radians)?", "f1",
     _Meant("field of view in radians", lambda s: (s.camera.vertical_fov,))),
    # Of lights.
    (r"(?:\w+ )?light(?: world)? direction(?: world| ws| view)?|to light|light", "f3 f4",
     _TO_LIGHT),
    (r"(?:\w+ )?light (?:world )?(?:position|origin)(?: world| ws| view)?", "f3 f4", _LIGHT_AT),
    (r"(?:\w+ )?light (?:(?:diffuse|specular) )?(?:colour|radiance|intensity|power|strength|energy)"
     r"|light (?:diffuse|specular)", "f1 f3 f4", _WHITE),
    (r"(?:number |active )?light (?:count|number)|number (?:\w+ )?light", "i1 u1",
     _Meant("one light", _just(1.0))),
    (r"(?:light |global |scene )?ambient(?: light)?(?: (?:colour|intensity|strength|factor))?",
     "f1 f3 f4", _Meant("dim", _just(0.1, 0.1, 0.1, 1.0))),
    (r"(?:light |attenuation )(?:radius|range)|attenuation radius", "f1",
     _Meant("range of the light", _just(10.0))),
    # Of materials.
    (r"(?:\w+ )?(?:emissive|emission)(?: (?:colour|factor|strength))?", "f1 f3 f4", _NONE),
    (r"fog (?:colour)", "f3 f4", _Meant("grey", _just(0.5, 0.5, 0.5, 1.0))),
    (r"fog density", "f1", _Meant("thin fog", _just(0.02))),
    (r"(?:\w+ )*(?:colour|tint|albedo|diffuse|kd|specular|ks)(?: (?:factor|multiplier|scale))?",
     "f3 f4", _WHITE),
    (r"(?:\w+ )*(?:opacity|alpha|coverage)(?: factor)?", "f1", _ONE),
    (r"(?:\w+ )?(?:roughness|metallic|smoothness|glossiness|gloss|reflectivity|specular)"
     r"(?: factor)?", "f1",
     _Meant("half", _just(0.5))),
    (r"(?:alpha )?(?:cutoff|cut off|threshold|threshhold|mask cutoff)", "f1",
     _Meant("half", _just(0.5))),
    (r"shininess|(?:specular )?(?:power|exponent)", "f1", _Meant("shininess", _just(32.0))),
    (r"ior|index of refraction|refractive index|eta", "f1", _Meant("of glass", _just(1.5))),
    (r"(?:occlusion|ao)(?: (?:strength|factor|intensity))?", "f1", _ONE),
    # Of anything.
    (r"delta (?:phi|theta|angle)", "f1", _Meant("a small angle", _just(0.05))),
    (r"(?:\w+ )?step(?: (?:size|length))?", "f1", _Meant("a small step", _just(0.1))),
    (r"(?:\w+ )*(?:exposure|scale|scaling|intensity|strength|gain|gamma|contrast|saturation|"
     r"brightness|zoom|factor|weight|multiplier|amount|amplitude|frequency|speed|tiling|repeat|"
     r"radius|density|white point|max white)", "f1 f2 f3 f4", _ONE),
    (r"(?:center|centre|pivot|uv center|uv centre)", "f2", _Meant("the middle", _just(0.5, 0.5))),
    (r"(?:\w+ )?(?:aabb|box|bbox|bounds|volume|grid) min", "f3 f4",
     _Meant("lower corner", _just(-1.0, -1.0, -1.0, 1.0))),
    (r"(?:\w+ )?(?:aabb|box|bbox|bounds|volume|grid) max", "f3 f4",
     _Meant("upper corner", _just(1.0, 1.0, 1.0, 1.0))),
    (r"(?:rotation|orientation|quaternion|quat)", "f4",
     _Meant("no rotation", _just(0.0, 0.0, 0.0, 1.0))),
    (r"(?:plane|ground|clip plane)", "f4", _Meant("ground plane", _just(0.0, 1.0, 0.0, 0.0))),
)  # fmt: skip
