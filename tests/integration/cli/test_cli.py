"""The commands as a user types them, in a process of their own, on the software driver."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab import locations
from shaderlab.campaigns import lease
from shaderlab.gpu.radv.discovery import radv_manifest
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.catalogue import user_targets

DEVICE = ["--device", "llvmpipe"]
SMALL = ["--size", "64x48"]
SEVEN = {"rtx3060", "rtx4060-laptop", "gtx1660ti", "rx6600xt", "rx7900gre", "uhd630", "renoir"}

LOOPS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < i; j++) {
            sum += 0.01;
        }
    }
    fragColor = vec4(sum);
}
"""


def shaderlab(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
    )


def answer(*words: str | Path) -> dict | list:
    run = shaderlab(*words, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    path = tmp_path / "loops.frag"
    path.write_text(LOOPS)
    return path


def test_compile_writes_the_module_it_reports(loops: Path, tmp_path: Path) -> None:
    module = tmp_path / "loops.spv"
    data = answer("compile", loops, "-o", module)
    assert data["ok"]
    assert data["diagnostics"] == []
    assert module.stat().st_size == 4 * data["spirv_words"]
    assert struct.unpack("<I", module.read_bytes()[:4])[0] == 0x07230203
    again = answer("compile", module, "--disassemble")
    assert again["spirv_words"] == data["spirv_words"]
    assert "OpEntryPoint Fragment" in again["disassembly"]


def test_a_pass_rewrites_what_compile_writes(loops: Path, tmp_path: Path) -> None:
    plain = answer("compile", loops)["spirv_words"]
    module = tmp_path / "counting.spv"
    assert answer("compile", loops, "--pass", "count", "-o", module)["spirv_words"] > plain
    assert "StorageBuffer" in answer("compile", module, "--disassemble")["disassembly"]


def test_trace_gives_the_counts_one_computes_by_hand(loops: Path, tmp_path: Path) -> None:
    coverage = tmp_path / "loops.info"
    data = answer("trace", loops, *SMALL, *DEVICE, "--lcov", coverage)
    pixels = 64 * 48
    assert data["size"] == [64, 48]
    assert data["device"] == "llvmpipe"
    counts = {entry["line"]: entry["count"] for entry in data["lines"]}
    assert counts[2] == pixels
    assert counts[3] == 8 * pixels  # the condition of the outer loop
    assert counts[4] == (21 + 7) * pixels
    assert counts[5] == 21 * pixels
    assert counts[8] == pixels
    assert data["blocks"][0]["count"] == pixels
    assert all(isinstance(b["label"], int) and b["opcodes"] for b in data["blocks"])
    assert f"DA:5,{21 * pixels}" in coverage.read_text()
    assert f"SF:{loops}" in coverage.read_text()  # coverage viewers look for the source there


def test_trace_speaks_of_the_module_compile_writes(loops: Path, tmp_path: Path) -> None:
    module = tmp_path / "loops.spv"
    answer("compile", loops, "-o", module)
    from_text = answer("trace", loops, *SMALL, *DEVICE)["blocks"]
    from_module = answer("trace", module, *SMALL, *DEVICE)["blocks"]
    assert [(b["label"], b["count"]) for b in from_text] == [
        (b["label"], b["count"]) for b in from_module
    ]


_GL = "#version 330\nout vec4 c; in vec2 uv; void main() { vec2 p = gl_FragCoord.xy; c = %s; }"
_UPPER = _GL.replace("330\n", "330\nlayout(origin_upper_left) in vec4 gl_FragCoord; ")
_VULKAN = _GL.replace("330\n", "450\nlayout(location = 0) ").replace(" in vec2 uv;", "")
_TOY = "void mainImage(out vec4 c, in vec2 p) { c = %s; }"
_HLSL = "float4 main(float4 at : SV_Position) : SV_Target { float2 p = at.xy; return %s; }"
_SMALL_Y = "vec4(p.y < 24.0 ? 1.0 : 0.0, 0, p.x > 32.0 ? 1.0 : 0.0, 0)"


@pytest.mark.parametrize(
    ("name", "text", "is_first_below"),
    [
        ("a.frag", _TOY % _SMALL_Y, True),
        ("a.frag", _GL % _SMALL_Y, True),
        ("a.frag", _UPPER % _SMALL_Y, False),
        ("a.frag", _UPPER % "vec4(uv.y < 0.5 && gl_FrontFacing, 0, uv.x > 0.5, 0)", True),
        ("a.frag", _VULKAN % _SMALL_Y, False),
        ("a.spv", _VULKAN % _SMALL_Y, False),
        ("a.hlsl", _HLSL % _SMALL_Y.replace("vec4", "float4"), False),
    ],
)
def test_render_writes_the_picture_the_right_way_up(
    tmp_path: Path, name: str, text: str, is_first_below: bool
) -> None:
    """Red where y is small, blue on the right."""
    shader, picture = tmp_path / name, tmp_path / "up.png"
    shader.write_text(text)
    if name.endswith(".spv"):
        answer("compile", shader.replace(tmp_path / "a.frag"), "-o", shader)
    data = answer("render", shader, "-o", picture, *SMALL, *DEVICE)
    assert (data["device"], data["size"]) == ("llvmpipe", [64, 48])
    assert data["seconds"] > 0
    from PySide6.QtGui import QImage

    image = QImage(str(picture))
    assert (image.width(), image.height()) == (64, 48)
    red, other = (40, 5) if is_first_below else (5, 40)
    assert image.pixelColor(5, red).getRgb() == (255, 0, 0, 255)
    assert image.pixelColor(60, other).getRgb() == (0, 0, 255, 255)


def test_profile(loops: Path) -> None:
    data = answer("profile", loops, *SMALL, *DEVICE, "--trials", "4", "--draws", "3")
    assert data["size"] == [64, 48]
    assert len(data["trials_s"]) == 4
    kept = [t for i, t in enumerate(data["trials_s"]) if i not in data["rejected"]]
    assert data["time_s"] == pytest.approx(sum(kept) / len(kept))
    assert data["floor_s"] > 0
    assert data["clock"] == "processor time, all cores"
    assert len(data["wall_trials_s"]) == 4
    assert data["wall_s"] > 0
    assert data["cv"] >= 0
    assert data["device"] == "llvmpipe"
    assert data["driver"]


def test_predict_covers_the_seven_published_gpus(loops: Path) -> None:
    data = answer("predict", loops, *DEVICE)
    assert {t["target"] for t in data["targets"]} >= SEVEN
    for target in data["targets"]:
        assert 0 < target["low_s"] <= target["time_s"] <= target["high_s"]
        assert target["method"]
        assert target["basis"]
        assert {"mape", "spearman", "n"} <= target["validated"].keys()
    assert 0 < sum(entry["share"] for entry in data["lines"]) <= 1 + 1e-6


def test_a_method_that_cannot_be_had_says_what_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "picture.frag"
    size = "vec4(textureSize(iChannel0, 0), 0.0, 1.0)"
    path.write_text(f"void mainImage(out vec4 c, in vec2 p) {{ c = p.x * {size}; }}")
    run = shaderlab(
        "predict", path, "--target", "rtx3060", "--method", "additive-compiled", *DEVICE
    )
    assert run.returncode
    wanting = "texture's size" if radv_manifest() else "RADV"
    assert wanting in run.stderr


def test_targets_lists_the_origin_of_every_number() -> None:
    data = answer("targets")
    assert {t["target"] for t in data} >= SEVEN
    for target in data:
        assert {"vendor", "kind", "methods", "clock", "driver", "samples", "validated"} <= (
            target.keys()
        )


def test_a_time_measured_here_casts_doubt_on_others_and_costs_are_listed(loops: Path) -> None:
    words = ["--target", "rtx3060", "--target", "llvmpipe", *SMALL, *DEVICE]
    usual, own = answer("predict", loops, *words)["targets"]
    doubted, same = answer("predict", loops, "--measured", "100", *words)["targets"]
    assert usual["disagreement"] is None
    assert doubted["disagreement"] > 1
    assert doubted["time_s"] == usual["time_s"]
    assert doubted["high_s"] > usual["high_s"]
    assert "llvmpipe took" in doubted["warnings"][0]
    assert same["disagreement"] is None
    for each in (usual, own):
        assert sum(each["made_of"].values()) == pytest.approx(1)
        assert each["form"] in ("written", "optimized", "compiled")
        assert each["bound"] in ("pass-bound", "work-bound", "clock-bound")
    shown = shaderlab("predict", loops, "--details", *words).stdout
    assert "made of" in shown
    assert usual["bound"] in shown


def test_check_tells_by_its_exit_code(loops: Path) -> None:
    fine = shaderlab("check", loops, "--budget", "rtx3060=1s", *DEVICE)
    assert fine.returncode == 0, fine.stderr
    over = shaderlab(
        "check", loops, "--budget", "rtx3060=1s", "--budget", "uhd630=1us", "--json", *DEVICE
    )
    assert over.returncode == 1
    data = json.loads(over.stdout)
    assert not data["ok"]
    assert [c["within"] for c in data["checks"]] == [True, False]
    for c in data["checks"]:
        assert c["low_s"] <= c["time_s"] <= c["high_s"]
        assert c["within"] == (c["time_s"] <= c["budget_s"])
        assert all(isinstance(warning, str) for warning in c["warnings"])
    assert data["checks"][1]["warnings"] == []


def test_loops_cut_short_give_a_lower_bound(tmp_path: Path) -> None:
    path = tmp_path / "long.frag"
    path.write_text(
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "  float x = p.x;\n"
        "  for (int i = 0; i < 70000; i++) x = fract(x * 1.1 + 0.3);\n"
        "  c = vec4(x);\n"
        "}\n"
    )
    counted = answer("trace", path, *SMALL, *DEVICE)
    if max(each["count"] for each in counted["blocks"]) >= 70_000 * 64 * 48:
        pytest.skip("this llvmpipe goes round every loop to its end")
    data = answer("predict", path, *SMALL, *DEVICE)
    assert data["targets"]
    for each in data["targets"]:
        assert each["status"] == "lower bound"
        assert each["time_s"] is None
        assert each["high_s"] is None
        assert each["low_s"] > 0
        assert "after 32,767 iterations" in each["warnings"][0]
    unknown = shaderlab("check", path, "--budget", "rtx3060=10s", "--json", *SMALL, *DEVICE)
    over = shaderlab("check", path, "--budget", "rtx3060=1us", "--json", *SMALL, *DEVICE)
    assert (unknown.returncode, over.returncode) == (1, 1)
    verdicts = [json.loads(run.stdout)["checks"][0]["verdict"] for run in (unknown, over)]
    assert verdicts == ["unknown", "over budget"]


def test_check_tells_what_to_distrust(tmp_path: Path) -> None:
    odd = tmp_path / "odd.frag"
    odd.write_text(
        "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n"
        "    uint a = uint(fragCoord.x) % 7u;\n"
        "    for (int i = 0; i < 9; i++) a = (a * 5u) % 11u;\n"
        "    fragColor = vec4(float(a));\n"
        "}\n"
    )
    found = shaderlab("check", odd, "--budget", "rtx3060=1s", *DEVICE)
    assert found.returncode == 0, found.stderr
    assert "warning: rtx3060: Outside the training data" in found.stdout


def test_doctor_finds_the_software_driver() -> None:
    data = answer("doctor")
    assert "llvmpipe" in {d["slug"] for d in data["devices"]}
    assert data["missing"] == []
    assert set(data["tools"]) == {"glslang", "SPIRV-Tools"}


def test_text_output_names_the_hot_line(loops: Path) -> None:
    run = shaderlab("predict", loops, *DEVICE)
    assert run.returncode == 0
    assert "rtx3060" in run.stdout
    assert "median error" in run.stdout


BAD = {
    "empty": (b"", ""),
    "no_main": (b"float f() { return 1.0; }\n", "mainImage"),
    "error": (b"void mainImage(out vec4 c, in vec2 p) {\n  c = vec4(undefinedThing);\n}\n", "2:"),
    "garbage": (bytes(range(256)) * 8, ""),
    "latin1": (b"int caf\xe9;\nvoid mainImage(out vec4 c, in vec2 p) { c = vec4(1); }\n", "UTF-8"),
    "missing_include": (b'#include "nowhere.glsl"\n', "nowhere.glsl"),
    "truncated_spirv": (struct.pack("<5I", 0x07230203, 0x00010000, 0, 5, 0) + b"\x07", ""),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_line_and_the_right_code(name: str, tmp_path: Path) -> None:
    content, mention = BAD[name]
    path = tmp_path / "bad.frag"
    path.write_bytes(content)
    run = shaderlab("compile", path)
    assert run.returncode == 1
    assert run.stdout == ""
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1, run.stderr
    assert mention in lines[0]
    as_json = shaderlab("compile", path, "--json")
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["ok"] is False


def test_diagnostics_carry_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "bad.frag"
    path.write_bytes(BAD["error"][0])
    (first, *_) = json.loads(shaderlab("compile", path, "--json").stdout)["diagnostics"]
    assert (first["line"], first["column"], first["severity"]) == (2, 12, "error")
    assert "undefinedThing" in first["message"]


@pytest.mark.parametrize(
    ("words", "code", "mention"),
    [
        (["trace", "{loops}", "--device", "voodoo2"], 2, "llvmpipe"),
        (["predict", "{loops}", "--target", "voodoo2", *DEVICE], 2, "rtx3060"),
        (["trace", "{folder}/nothing.frag"], 2, "nothing.frag"),
        (["trace", "{folder}"], 2, ""),
        (["render", "{loops}", "-o", "{folder}/no/such/folder.png", *SMALL, *DEVICE], 2, "folder"),
    ],
)
def test_wrong_use(words: list[str], code: int, mention: str, loops: Path, tmp_path: Path) -> None:
    run = shaderlab(*[w.format(loops=loops, folder=tmp_path) for w in words])
    assert run.returncode == code, run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert mention in run.stderr


def test_an_endless_shader_is_stopped_and_named(tmp_path: Path) -> None:
    path = tmp_path / "endless.frag"
    path.write_text(
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "  c = vec4(0);\n  while (c.x < 1.0) c.x = fract(c.x + 0.1) * 0.5;\n"
        "}\n"
    )
    # llvmpipe leaves a loop after 65,535 rounds, so endless here means: for very many pixels.
    size = ["--size", "4096x4096"]
    run = shaderlab("render", path, "-o", tmp_path / "x.png", *size, *DEVICE, "--deadline", "2")
    assert run.returncode == 1
    assert "endless.frag" in run.stderr
    assert "2 s" in run.stderr


def test_no_vulkan_is_said_with_the_remedy(loops: Path, tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text("{}")
    run = subprocess.run(
        [sys.executable, "-m", "shaderlab", "trace", str(loops)],
        capture_output=True,
        text=True,
        timeout=100,
        env={"PATH": "/usr/bin:/bin", "VK_DRIVER_FILES": str(tmp_path / "none.json")},
    )
    assert run.returncode == 1
    assert "mesa-vulkan-drivers" in run.stderr


def test_every_example_compiles() -> None:
    examples = sorted((locations.resources() / "examples").glob("*.frag"))
    assert len(examples) >= 12
    for path in examples:
        assert answer("compile", path)["dialect"] == "shadertoy", path.name


def test_counts_that_fall_short_say_so(tmp_path: Path) -> None:
    path = tmp_path / "long.frag"
    path.write_text(
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "  float s = 0.0;\n"
        "  for (int i = 0; i < 70000; i++) s = fract(s + 0.1);\n"
        "  c = vec4(s);\n}\n"
    )
    run = shaderlab("trace", path, "--size", "16x8", *DEVICE)
    assert run.returncode == 0
    trace = answer("trace", path, "--size", "16x8", *DEVICE)
    # Later llvmpipes go through all rounds.
    falls_short = max(block["count"] for block in trace["blocks"]) < 70_000 * 16 * 8
    assert ("after 32,767 iterations" in run.stdout) == falls_short
    assert bool(trace["notes"]) == falls_short


def test_a_damaged_model_of_the_user_s_costs_no_other(loops: Path) -> None:
    folder = user_targets.folder() / "bad"
    shipped = bundle.read(locations.models() / "llvmpipe-additive")
    card = replace(shipped.card, target=replace(shipped.card.target, slug="bad"))
    tensors = {**shipped.tensors, "context.out": np.float32(1.0).reshape(())}
    bundle.write(folder, card, tensors)
    try:
        listed = shaderlab("targets")
        assert listed.returncode == 0
        assert "not loaded: bad: weights: context.out" in listed.stdout
        assert "rtx3060" in listed.stdout
        assert answer("predict", loops, "--static", "--target", "uhd630")["targets"]
        doctor = shaderlab("doctor")
        assert doctor.returncode == 1
        assert "problem: bad: weights: context.out" in doctor.stdout
        assert "Traceback" not in doctor.stdout + doctor.stderr
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    "words",
    [
        ["compile", "F", "-o", "/nowhere/a.spv"],
        ["render", "F", "-o", "/nowhere/a.png"],
        ["trace", "F", "--lcov", "/nowhere/a.info"],
        ["report", "F", "-o", "/proc/report"],
    ],
)
def test_an_output_that_cannot_be_written_is_said_before_the_work(words: list[str]) -> None:
    words = [w.replace("F", "/nowhere/shader.frag") if w == "F" else w for w in words]
    run = shaderlab(*words)
    assert run.returncode == 2
    assert run.stderr.startswith("cannot write")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["targets"], ["--help"], ["targets", "--json"]])
def test_an_answer_nobody_can_take_ends_quietly(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "shaderlab", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=100,
        )
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) <= 1
    gone, ours = os.pipe()
    os.close(gone)
    with os.fdopen(ours, "w") as pipe:
        run = subprocess.run(
            [sys.executable, "-m", "shaderlab", *words],
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            timeout=100,
        )
    assert (run.returncode, run.stderr) == (2, "")


def test_a_module_is_not_cut_off_by_a_full_disk(loops: Path) -> None:
    run = shaderlab("compile", loops, "-o", "/dev/full")
    assert run.returncode == 2
    assert run.stderr == "cannot write /dev/full: No space left on device\n"


def test_a_store_that_is_measured_into_says_by_whom(loops: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    folder = tmp_path / "corpus"
    folder.mkdir()
    shutil.copy(loops, folder)
    with lease.hold(store, "the test"):
        for words in (["record", loops, "--to", store], ["campaign", folder, "--to", store]):
            run = shaderlab(*words, *SMALL, *DEVICE)
            assert run.returncode == 2
            assert f"the test, process {os.getpid()} on" in run.stderr
