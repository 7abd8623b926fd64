"""Files of others, damaged: what each reader of shaderlab is given, and what it may answer."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from PIL import Image as PillowImage

from shaderlab.app.documents import journal
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.campaigns import bundle as programs
from shaderlab.campaigns import corpus
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Prepared
from shaderlab.checks import budgets
from shaderlab.checks.outcome import CheckedFile, LineTime, Outcome, TargetTime, read_baseline
from shaderlab.errors import ShaderlabError
from shaderlab.frontend import binary, source_text
from shaderlab.frontend.dialects.family import Text
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.reading import Reading
from shaderlab.geometry import gltf
from shaderlab.gpu.compilers import installed
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.locations import models, resources
from shaderlab.prediction.bundles.bundle import CARD, WEIGHTS
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.catalogue import (
    change_bands,
    listed,
    pair_tables,
    targets,
    widths,
    witnesses,
)
from shaderlab.prediction.forecasts.static_counts import StaticCounts
from shaderlab.projects import reading as projects
from shaderlab.projects import shadertoy_export
from shaderlab.projects.communities import project_in
from shaderlab.samples import exchange, schema
from shaderlab.samples.store import Store
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.textures import image_files
from tests import fuzz_kept as kept
from tests.unit.frontend.test_hostile_texts import asked_about
from tests.unit.geometry import builders as meshes
from tests.unit.samples.builders import sample
from tests.unit.textures import builders as images

SEED = 20261123
_STRANGE = [
    *(None, True, -1, 0, 2**63, 2**63 - 1, 10**30, 1e308, float("nan"), float("inf")),
    *("", "x", "\x00", "Op", "\ud800", "9" * 100),
    *([], {}, [[]], {"": 1}, [None], ["a"] * 5),
]


def mutated(dice: random.Random, original: bytes) -> bytes:
    """Bytes changed, inserted, removed, swapped, repeated, cut off."""
    data = bytearray(original)
    for _ in range(dice.randint(1, 6)):
        if not data:
            break
        at = dice.randrange(len(data))
        match dice.randrange(6):
            case 0:
                data[at] = dice.randrange(256)
            case 1:
                data[at] ^= 1 << dice.randrange(8)
            case 2:
                data[at:at] = dice.randbytes(dice.randint(1, 8))
            case 3:
                del data[at : at + dice.randint(1, 8)]
            case 4:
                other = dice.randrange(len(data))
                data[at : at + 4] = data[other : other + 4]
            case 5:
                data[at:at] = data[at : at + dice.randint(1, 4096)]
    if dice.random() < 0.1 and data:
        del data[dice.randrange(len(data)) :]
    return bytes(data)


def strange_rows(dice: random.Random, original: bytes) -> bytes:
    """JSON Lines with values, or names of fields, that do not belong where they stand."""
    rows = [json.loads(line) for line in original.splitlines()]
    for row in dice.sample(rows, min(len(rows), dice.randint(1, 3))):
        place: Any = row
        while True:
            key = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
            inside = place[key]
            if isinstance(inside, dict | list) and inside and dice.random() < 0.8:
                place = inside
                continue
            if isinstance(place, dict) and dice.random() < 0.2:
                place[dice.choice(["", "extra", "OpLoad*0", "id"])] = place.pop(key)
            else:
                place[key] = dice.choice(_STRANGE)
            break
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@dataclass(frozen=True)
class Reader:
    """One kind of file."""

    whole: Callable[[Path], bytes]
    """A sound file, made in an empty folder."""
    read: Callable[[Path], object]
    """Reads a file; may raise ShaderlabError."""
    damaged: Callable[[random.Random, bytes], bytes] = mutated
    """What is made of the sound file."""


def outcome(reader: Reader, path: Path) -> str:
    """What became of a file; a text that begins with `FAILED` where that is no answer."""
    try:
        reader.read(path)
    except ShaderlabError as error:
        if not str(error) or len(str(error).splitlines()) != 1:
            return f"FAILED: not one line: {str(error)!r}"
        return "refused"
    except Exception as error:  # noqa: BLE001, what the fuzzing looks for
        return f"FAILED: {type(error).__name__}: {error}"[:300]
    return "read"


def _samples(count: int = 6) -> list:
    return [sample(f"shader-{n}", size=(8, 4 + n)) for n in range(count)]


def _parquet(folder: Path) -> bytes:
    exchange.write(_samples(), folder / "whole")
    return (folder / "whole").read_bytes()


def _json_lines(_: Path) -> bytes:
    return "".join(json.dumps(schema.to_row(each)) + "\n" for each in _samples()).encode()


def _store(folder: Path) -> bytes:
    with Store(folder / "whole") as store:
        store.add(_samples())
    return (folder / "whole").read_bytes()


def _corpus(_: Path) -> bytes:
    rows = "".join(json.dumps({"id": f"id{n}", "code": f"// {n}\n" * n}) + "\n" for n in range(50))
    return pa.Codec("zstd").compress(rows.encode(), asbytes=True)


def _spirv(_: Path) -> bytes:
    return (resources() / "gpu" / "loops.frag.spv").read_bytes()


def _programs(folder: Path) -> bytes:
    program = Program("a", Dialect.SPIRV, "", _spirv(folder), "main")
    programs.write([(Shader("a", "key"), Prepared(program, None))], folder / "whole")
    return (folder / "whole").read_bytes()


def _weights(_: Path) -> bytes:
    return (models() / "llvmpipe-additive" / WEIGHTS).read_bytes()


def _read_weights(path: Path) -> object:
    """As an attacker would put them: with a card that vouches for size and hash."""
    folder = path.with_name("bundles") / "damaged"
    folder.mkdir(parents=True, exist_ok=True)
    data = path.read_bytes()
    card = json.loads((models() / "llvmpipe-additive" / CARD).read_text("utf-8"))
    card["weights"] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / CARD).write_text(json.dumps(card), "utf-8")
    (folder / WEIGHTS).write_bytes(data)
    found = targets.catalogue(folder.parent)
    assert not any("damaged (" in problem.reason for problem in found.problems), found.problems
    return found


def _read_spirv(path: Path) -> object:
    program = binary.load(path.read_bytes(), path.name)
    return analyse(program.module)


def _read_data(path: Path) -> None:
    """No row may be accepted that was not there, and none refused without a reason."""
    ours = {each.id for each in _samples()}
    for checked in islice(exchange.read(path), 100_000):
        assert checked.reason if checked.sample is None else checked.sample.id in ours


def _journal(_: Path) -> bytes:
    return journal.encode(Draft(Document("a.frag", None), "void mainImage() {}", 7.0))


def _table(name: str) -> bytes:
    """One that ships, as a single row."""
    return json.dumps(json.loads((models() / f"{name}.json").read_bytes())).encode()


def _settings(folder: Path) -> bytes:
    SettingsStore(folder / "whole").save(Settings())
    return (folder / "whole").read_bytes()


_BUDGETS = b"""\
format = 1
files = ["shaders/**/*.frag"]
[[budget]]
files = ["shaders/post/*.frag"]
targets = {rtx3060 = "2ms", rx6600xt = "250us"}
max_increase = {rtx3060 = "10%"}
"""


_PROJECT = b"""\
format = 1
shader = "whole"
size = [64, 32]
time = 1.5
defines = {A = "1"}
[values]
steps = 7
on = true
[values.light]
colour = [1, 0.5, 0]
[textures]
t = {pattern = "noise"}
u = {picture_of = "first", wrap = "clamp"}
[geometry]
shape = "torus"
camera = {yaw = 0.5, pitch = 0.25, distance = 3.0, vertical_fov = 0.75}
[[pass]]
name = "first"
shader = "whole"
values = {tint = [1.0, 2.0]}
"""
_SHADERTOY: dict[str, Any] = {
    "info": {"id": "abcdef", "name": "waves", "username": "someone", "description": "one\ntwo"},
    "renderpass": [
        {"type": "image", "name": "Image", "code": "void mainImage() {}",
         "inputs": [{"id": "a", "type": "buffer", "channel": 0,
                     "sampler": {"filter": "linear", "wrap": "clamp"}}],
         "outputs": [{"id": "37", "channel": 0}]},
        {"type": "buffer", "name": "Buffer A", "code": "void mainImage() {}",
         "inputs": [], "outputs": [{"id": "a", "channel": 0}]},
    ],
}  # fmt: skip


def _read_project(path: Path) -> object:
    path.with_name("whole").write_text("void mainImage() {}")
    return projects.read(path)


def _baseline(_: Path) -> bytes:
    lines = (LineTime(3, 1e-3, "x = 1.0;"), LineTime(4, 5e-4, "y();", "a.glsl", "Buffer A"))
    time = TargetTime("rtx3060", 2e-3, 1e-3, 3e-3, "ok", "inside", "pilr", "x", ("w",), lines)
    return msgspec.json.encode(Outcome(True, (), (CheckedFile("a.frag", "0", (time,)),)))


_TEXTS = {
    "isf": ("case.fs", """\
/*{"DESCRIPTION": "d", "INPUTS": [
 {"NAME": "amount", "TYPE": "float", "DEFAULT": 0.5, "MIN": 0, "MAX": 1},
 {"NAME": "tint", "TYPE": "color", "DEFAULT": [1, 0, 0, 1]},
 {"NAME": "kind", "TYPE": "long", "VALUES": [0, 1], "LABELS": ["a", "b"]}],
 "PASSES": [{"TARGET": "before", "PERSISTENT": true, "WIDTH": "$WIDTH/2"}]}*/
void main() { gl_FragColor = vec4(isf_FragNormCoord, amount, 1.0) * tint; }
"""),
    "obs": ("case.effect", """\
uniform texture2d image;
uniform float3 tint<string label = "a > b"; float minimum = 0.0;> = {0.25, 0.5, 1.0};
uniform string notes<string widget_type = "info";> = "said";
sampler_state clamped { Filter = Point; AddressU = Clamp; };
struct VertData { float4 pos : POSITION; float2 uv : TEXCOORD0; };
float4 PSDraw(VertData v) : TARGET { return float4(tint, image.Sample(clamped, v.uv).a); }
technique Draw { pass { pixel_shader = PSDraw(v); } pass { pixel_shader = PSDraw(v); } }
"""),
    "graphicsfuzz": ("case.json", '{"injectionSwitch": {"func": "glUniform2f", "args": [0, 1]}}'),
    "mpv": ("case.hook", """\
//!PARAM strength
//!TYPE float
//!MINIMUM 0
//!MAXIMUM 1
0.5
//!HOOK LUMA
//!BIND HOOKED
//!WHEN strength 0 >
vec4 hook() { return HOOKED_tex(HOOKED_pos) * strength; }
"""),
    "love": ("case.frag", """\
extern number amount = 0.5;
vec4 effect(vec4 color, Image tex, vec2 at, vec2 pixel) { return Texel(tex, at) * color * amount; }
"""),
    "godot": ("case.gdshader", """\
shader_type canvas_item;
render_mode blend_add, unshaded;
uniform float amount : hint_range(0.0, 1.0, 0.1) = 0.5;
uniform vec4 tint : source_color = vec4(1.0, 0.5, 0.0, 1.0);
varying vec2 at;
void vertex() { at = VERTEX; }
void fragment() { COLOR = texture(TEXTURE, UV) * tint * amount + vec4(at, 0.0, 0.0); }
"""),
    "libretro": ("case.slang", """\
#version 450
#pragma name FIRST
#pragma parameter AMOUNT "amount of it" 0.5 0.0 1.0 0.05
layout(push_constant) uniform Push { vec4 SourceSize; float AMOUNT; } params;
#pragma stage vertex
layout(location = 0) in vec4 Position;
void main() { gl_Position = Position; }
#pragma stage fragment
layout(location = 0) out vec4 FragColor;
void main() { FragColor = params.SourceSize * params.AMOUNT; }
"""),
    "gl transition": ("case.glsl", """\
uniform float size; // = 0.5
uniform ivec2 count /* = ivec2(3, 4) */;
vec4 transition(vec2 uv) { return mix(getFromColor(uv), getToColor(uv), progress * size); }
"""),
    "flutter": ("case.frag", """\
#include <flutter/runtime_effect.glsl>
uniform vec2 size;
out vec4 color;
void main() { color = vec4(FlutterFragCoord().xy / size, 0.0, 1.0); }
"""),
    "hlsl": ("case.hlsl", """\
cbuffer Values : register(b0) { float4 tint = float4(1, 0, 0, 1); int steps = 3; };
Texture2D t : register(t0); SamplerState s { Filter = MIN_MAG_MIP_LINEAR; };
float4 main(float2 uv : TEXCOORD0) : SV_Target { return t.Sample(s, uv) * tint * steps; }
technique T { pass P { PixelShader = compile ps_5_0 main(); } }
"""),
    "wgsl": ("case.wgsl", """\
@group(0) @binding(0) var<uniform> tint: vec4<f32>;
@fragment fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> { return tint * uv.x; }
"""),
}  # fmt: skip
"""By dialect: a name of a file, and its text."""


def _read_text(path: Path) -> None:
    """All that happens to a text up to its first compile; the description of values of
    GraphicsFuzz stands beside one."""
    data = path.read_bytes()
    if path.suffix == ".json":
        text = Text("case.frag", "uniform vec2 injectionSwitch; void main() {}", Reading(), data)
    else:
        text = Text(path.name, source_text.decode(data, path.name), Reading())
    asked_about(text)


def _read_compilers(path: Path) -> object:
    folder = path.with_name("compilers")
    folder.mkdir(exist_ok=True)
    (folder / installed.MANIFEST).write_bytes(path.read_bytes())
    return installed.read(folder)


def _compilers(_: Path) -> bytes:
    file = {"name": VENDORS["amd"].library, "bytes": 7, "sha256": "a" * 64}
    drivers = {"amd": {"library": file, "shim": {**file, "name": VENDORS["amd"].shim}}}
    sources = [{"name": "mesa", "version": "25.0.7"}]
    whole = {"format": 1, "system": "x", "sources": sources, "drivers": drivers, "missing": {}}
    return json.dumps(whole).encode()


def _texels(*shape: int) -> np.ndarray:
    return np.random.default_rng(SEED).integers(0, 256, shape, np.uint8)


def _picture(kind: str, **options: object) -> Callable[[Path], bytes]:
    def saved(folder: Path) -> bytes:
        texels = _texels(40, 60, 3)
        PillowImage.fromarray(texels).save(folder / "whole", kind, **options)
        return (folder / "whole").read_bytes()

    return saved


def _ktx2(zstd: bool) -> bytes:
    levels = [_texels(6, 1, side, side, 4) for side in (16, 8, 4, 2, 1)]
    return images.ktx2(levels, faces=6, zstd=zstd)


def _mesh() -> dict:
    positions = _texels(60, 3).astype(np.float32)
    normals = _texels(60, 3).astype(np.float32)
    whole = meshes.document(positions, list(range(60)), normals=normals)
    whole["nodes"] = [{"children": [1, 2], "rotation": [0, 1, 0, 0]}, {"mesh": 0}, {"mesh": 0}]
    return whole


_ISF_PASSES = b"""\
/*{ "ISFVSN": "2", "INPUTS": [ {"NAME": "shrink", "TYPE": "float", "DEFAULT": 4.0} ],
    "IMPORTED": {"noise": {"PATH": "noise.png"}},
    "PERSISTENT_BUFFERS": {"kept": {"WIDTH": "$WIDTH/2"}},
    "PASSES": [ {"TARGET": "small", "WIDTH": "max($WIDTH / $shrink, 1)", "FLOAT": true},
                {"TARGET": "kept", "HEIGHT": "floor($HEIGHT * 0.5)"}, {} ] }*/
void main() { gl_FragColor = vec4(float(PASSINDEX)); }
"""


_PRESET = b"""\
shaders = 2
shader0 = "case.slangp"
scale_type0 = source
scale0 = 2.0
float_framebuffer0 = true
alias0 = first
shader1 = ./case.slangp # itself: any file that is there will do
scale_type_x1 = viewport
scale_x1 = 0.5
wrap_mode1 = repeat
frame_count_mod1 = 60
textures = "LUT;MASK"
LUT = case.slangp
MASK = none.png
MASK_mipmap = true
amount = 0.75
#pragma name second
#pragma format R16G16B16A16_SFLOAT
"""


_HOOK = b"""\
//!PARAM gain
//!TYPE float
0.25

//!HOOK MAIN
//!BIND HOOKED
//!SAVE SMALL
//!WIDTH HOOKED.w 2 /
//!HEIGHT HOOKED.h gain *
//!WHEN OUTPUT.w MAIN.w / 1.2 >
vec4 hook() { return vec4(gain); }

//!HOOK MAIN
//!BIND SMALL
//!BIND table
//!COMPONENTS 1
//!WIDTH HOOKED.w 2 *
//!HEIGHT HOOKED.h 2 *
vec4 hook() { return SMALL_tex(SMALL_pos); }

//!TEXTURE table
//!SIZE 4 2
//!FORMAT rgba16f
00000000
"""


def _read_passes(path: Path) -> None:
    """The frame that it describes, at a usual size."""
    project = project_in(path)
    if project is not None and project.rule is not None:
        project.rule.states(project, project.state)


READERS = {
    "png": Reader(_picture("PNG"), image_files.read),
    "jpeg": Reader(_picture("JPEG", progressive=True), image_files.read),
    "bmp": Reader(_picture("BMP"), image_files.read),
    "tga": Reader(_picture("TGA", compression="tga_rle"), image_files.read),
    "gif": Reader(_picture("GIF"), image_files.read),
    "webp": Reader(_picture("WEBP"), image_files.read),
    "dds": Reader(lambda _: images.dds(bytes(_texels(64, 256)), (64, 64)), image_files.read),
    "dds blocks": Reader(
        lambda _: images.dds(bytes(_texels(4096)), (64, 64), extended=(98, 3, 0, 1, 0)),
        image_files.read,
    ),
    "radiance": Reader(lambda _: images.radiance(_texels(30, 40, 4)), image_files.read),
    "ktx2": Reader(lambda _: _ktx2(zstd=False), image_files.read),
    "ktx2 zstd": Reader(lambda _: _ktx2(zstd=True), image_files.read),
    "gltf": Reader(lambda _: json.dumps(_mesh()).encode(), gltf.read),
    "glb": Reader(lambda _: meshes.glb(_mesh()), gltf.read),
    "bundle": Reader(_weights, _read_weights),
    "card": Reader(
        lambda _: (models() / "llvmpipe-additive" / CARD).read_bytes(),
        lambda path: Card.parse(path.read_bytes()),
    ),
    "parquet": Reader(_parquet, _read_data),
    "json lines": Reader(_json_lines, _read_data),
    "rows": Reader(_json_lines, _read_data, strange_rows),
    "store": Reader(_store, _read_data),
    "programs": Reader(_programs, programs.read),
    "zst": Reader(_corpus, lambda path: corpus.read(path)),
    "spirv": Reader(_spirv, _read_spirv),
    "journal": Reader(_journal, journal.read),
    "budgets": Reader(lambda _: _BUDGETS, budgets.read),
    "baseline": Reader(_baseline, read_baseline),
    "project": Reader(lambda _: _PROJECT, _read_project),
    "isf passes": Reader(lambda _: _ISF_PASSES, _read_passes),
    "hook": Reader(lambda _: _HOOK, _read_passes),
    "preset": Reader(lambda _: _PRESET, _read_passes),
    "listed": Reader(
        lambda _: b'["rtx4070", "steamdeck"]', lambda path: listed.read(path.parent), strange_rows
    ),
    "shadertoy": Reader(lambda _: json.dumps(_SHADERTOY).encode(), shadertoy_export.read),
    "shared": Reader(_parquet, kept.read_shared),
    "checksum": Reader(kept.checksum, kept.read_checksum),
    "capture lines": Reader(kept.capture_lines, kept.read_capture_lines),
    "capture rows": Reader(kept.capture_lines, kept.read_contents, strange_rows),
    "saved project": Reader(kept.saved_project, kept.read_saved_project),
    "pairs": Reader(lambda _: (models() / "pairs.json").read_bytes(), kept.read_pairs),
    "widths": Reader(
        lambda _: _table("widths"),
        lambda path: widths.Widths.parse(path.read_bytes()),
        strange_rows,
    ),
    "changes": Reader(
        lambda _: _table("changes"),
        lambda path: change_bands.parse(path.read_bytes()),
        strange_rows,
    ),
    "witnesses": Reader(
        lambda _: _table("witnesses"),
        lambda path: witnesses.Witnesses.parse(path.read_bytes()),
        strange_rows,
    ),
    "own pair": Reader(kept.own_pair, lambda path: pair_tables.parse_one(path.read_bytes())),
    "kept draw": Reader(kept.counted_draw, kept.read_counted_draw),
    "versions": Reader(kept.versions, kept.read_versions),
    "layouts": Reader(kept.layouts, kept.read_layouts),
    "static counts": Reader(
        lambda _: _table("static"), lambda path: StaticCounts.parse(path.read_bytes()), strange_rows
    ),
    "compilers": Reader(_compilers, _read_compilers, strange_rows),
    **{
        name: Reader(lambda _, text=text: text.encode(), _read_text)
        for name, (_, text) in _TEXTS.items()
    },
    "settings": Reader(_settings, lambda path: SettingsStore(path).load()),
}


def file_name(reader: str) -> str:
    """Of a case: some readers see from the name what a file is."""
    named = {
        "zst": "case.jsonl.zst", "tga": "case.tga", "isf passes": "case.fs",
        "preset": "case.slangp", "hook": "case.hook",
        "listed": listed.FILE,
    }  # fmt: skip
    return named.get(reader) or _TEXTS.get(reader, ("case", ""))[0]


def cases(name: str, count: int, folder: Path) -> Iterator[Path]:
    """So many damaged files of a kind, one after the other at one path; the same on every run."""
    (folder / "made").mkdir()
    whole = READERS[name].whole(folder / "made")
    path = folder / file_name(name)
    for number in range(count):
        for left in folder.glob("case*"):  # a store's log is part of it
            left.unlink()
        dice = random.Random(f"{SEED} {name} {number}")
        path.write_bytes(READERS[name].damaged(dice, whole))
        yield path
