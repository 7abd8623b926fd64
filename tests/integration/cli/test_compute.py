"""Compute shaders on the command line, on the software driver."""

from __future__ import annotations

import hashlib
import json
from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np
import pytest

from shaderlab.cli import main
from shaderlab.cli.launching import sides
from shaderlab.gpu.radv import discovery
from shaderlab.samples.exchange import accepted
from tests import kernels

needs_radv = pytest.mark.skipif(
    discovery.radv_manifest() is None, reason="RADV (mesa-vulkan-drivers) is not installed"
)
DEVICE = ["--device", "llvmpipe"]


def answer(capsys, *words: str | Path, code: int = 0) -> dict:
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def triad() -> Path:
    return kernels.FOLDER / "triad.comp"


def test_inputs_lists_launch_and_buffers(capsys, triad):
    data = answer(capsys, "inputs", triad, "--groups", "10", *DEVICE)
    assert data["launch"]["invocations"] == 640
    assert data["launch"]["default"] is False
    assert {each["name"]: (each["elements"], each["rule"]) for each in data["buffers"]} == {
        name: (640, "g") for name in "abc"
    }
    by_name = {each["name"]: each for each in data["inputs"]}
    assert by_name["n"]["value"] == 640
    assert by_name["gl_WorkGroupSize.x"]["value"] == 64


def test_render_says_what_is_in_the_buffers(capsys, triad, tmp_path):
    values = np.arange(64, dtype=np.float32)
    (tmp_path / "a.bin").write_bytes(values.tobytes())
    data = answer(
        capsys, "render", triad, "--groups", "2", "--local", "32", "--set", "factor=0",
        "--buffer", f"a={tmp_path / 'a.bin'}", *DEVICE,
    )  # fmt: skip
    (found,) = data["outputs"]["buffers"]
    assert (found["name"], found["elements"], found["minimum"], found["maximum"]) == (
        "c", 64, 0.0, 63.0,
    )  # fmt: skip
    assert data["picture"] is None


def test_what_cannot_be_launched_is_said(capsys, triad, tmp_path):
    fixed = kernels.FOLDER / "reduction.comp"
    assert main(["trace", str(fixed), "--local", "32", *DEVICE]) == 2
    assert "fixes the local size at 64" in capsys.readouterr().err
    assert main(["trace", str(triad), "--buffer", "d=x", *DEVICE]) == 2
    assert "it has: " in capsys.readouterr().err
    (tmp_path / "empty").touch()
    assert main(["trace", str(triad), "--buffer", f"a={tmp_path / 'empty'}", *DEVICE]) == 2
    assert "is empty: a needs at least one element" in capsys.readouterr().err
    fragment = tmp_path / "a.frag"
    fragment.write_text("void main() { gl_FragColor = vec4(1.0); }\n")
    assert main(["trace", str(fragment), "--groups", "4", *DEVICE]) == 2
    assert "--groups is for compute shaders" in capsys.readouterr().err


def test_a_picture_needs_a_file(capsys, tmp_path):
    fragment = tmp_path / "a.frag"
    fragment.write_text("void main() { gl_FragColor = vec4(1.0); }\n")
    assert main(["render", str(fragment), *DEVICE]) == 2
    assert "-o F.png" in capsys.readouterr().err


def test_sides_are_one_to_three_numbers():
    assert (sides("64"), sides("8,8"), sides("4x4x4")) == ((64, 1, 1), (8, 8, 1), (4, 4, 4))
    for text in ("0", "8,", "a", "1,2,3,4"):
        with pytest.raises(ArgumentTypeError):
            sides(text)


OPEN = """\
#version 450
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(binding = 0) buffer B { float b[]; };
shared vec4 part[gl_WorkGroupSize.x * 4];
void main() {
    uint own = gl_LocalInvocationIndex;
    for (uint k = 0; k < 4; k++) part[own * 4 + k] = vec4(b[gl_GlobalInvocationID.x]);
    barrier();
    b[gl_GlobalInvocationID.x] = part[(own * 7) % (gl_WorkGroupSize.x * 4)].x;
}
"""


@needs_radv
def test_local_sizes_are_compiled_for_an_amd_chip(capsys, tmp_path, triad):
    path = tmp_path / "open.comp"
    path.write_text(OPEN)
    (found,) = answer(capsys, "occupancy", path, "--family", "navi23", "--sizes", "64,256")[
        "families"
    ]
    rows = found["sizes"]
    assert [each["local"] for each in rows] == [[64, 1, 1], [256, 1, 1]]
    assert [each["shared_bytes"] for each in rows] == [4096, 16384]
    assert all(0 < each["resident"] <= each["most"] and each["registers"] > 0 for each in rows)
    stats = answer(capsys, "compiled", triad, "--target", "navi23")["targets"][0]
    assert stats["executables"][0]["stage"] == "compute"
    assert stats["instructions"] > 5


@needs_radv
def test_a_dispatch_is_counted_for_an_amd_chip(capsys, triad):
    words = ("compiled", triad, "--target", "navi23", "--counts", "--groups", "7", *DEVICE)
    (found,) = answer(capsys, *words)["targets"]
    frame = found["frame"]
    assert (frame["size"], frame["waves"], frame["explained"]) == ([7 * 64, 1], 7, 1)
    assert frame["blocks"][0]["executions"] == 7
    assert frame["times"] == [], "no law is known of dispatches"
    assert "--groups 7,1,1" in found["reproduce"]


def test_a_project_keeps_the_launch(capsys, triad, tmp_path):
    (tmp_path / "t.comp").write_text(triad.read_text())
    project = tmp_path / "t.shaderlab.toml"
    project.write_text(
        'format = 1\nshader = "t.comp"\n[launch]\ngroups = [3]\n[launch.elements]\na = 500\n'
    )
    words = ("inputs", tmp_path / "t.comp", "--project", project, *DEVICE)
    data = answer(capsys, *words)
    assert data["launch"]["invocations"] == 192
    assert {each["name"]: each["elements"] for each in data["buffers"]}["a"] == 500
    assert answer(capsys, *words, "--groups", "5")["launch"]["groups"] == [5, 1, 1]


def test_a_kernel_is_recorded_with_its_launch(capsys, triad, tmp_path):
    values = np.arange(128, dtype=np.float32)
    (tmp_path / "a.bin").write_bytes(values.tobytes())
    store = tmp_path / "kernels.db"
    words = ("record", triad, "--to", store, "--trials", "2", "--draws", "2", *DEVICE)
    assert answer(capsys, *words, "--groups", "20")["recorded"] == 1
    own = ("--groups", "2", "--buffer", f"a={tmp_path / 'a.bin'}", "--set", "n=128")
    assert answer(capsys, *words, *own)["recorded"] == 1
    found = [each.launch for each in accepted(store)]
    launches = {each.groups[0]: each for each in found if each is not None}
    plain, given = launches[20], launches[2]
    assert {(each.name, each.elements, each.digest) for each in plain.buffers} == {
        (name, 1280, None) for name in "abc"
    }
    digests = {each.name: each.digest for each in given.buffers}
    assert digests["a"] == hashlib.sha256(values.tobytes()).hexdigest()
    assert [(each.name, each.numbers) for each in given.values] == [("n", (128.0,))]
    exported = tmp_path / "kernels.parquet"
    assert main(["dataset", "merge", str(store), "-o", str(exported)]) == 0
    capsys.readouterr()
    assert main(["dataset", "validate", str(exported)]) == 0
    assert "2" in capsys.readouterr().out
    assert main(["dataset", "stats", str(exported)]) == 0


def test_a_sweep_compares_no_pictures_where_none_are_written(capsys, triad):
    words = ("sweep", triad, "n=1000,60000", "--target", "llvmpipe", *DEVICE)
    small, large = answer(capsys, *words)["points"]
    assert small["picture"] is None
    assert large["picture"] is None
    assert large["targets"][0]["time_s"] > small["targets"][0]["time_s"]


def test_a_check_of_a_kernel_names_its_defaults_and_an_undefined_barrier(capsys, tmp_path):
    path = tmp_path / "late.comp"
    path.write_text(
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer A { float a[]; };\n"
        "layout(push_constant) uniform C { uint n; };\n"
        "void main() {\n uint i = gl_GlobalInvocationID.x;\n if (i >= n) { return; }\n"
        " barrier();\n a[i] += 1.0;\n}\n"
    )
    data = answer(capsys, "check", path, "--budget", "llvmpipe=1s", *DEVICE)
    assert "depends on 'n', guessed as 65536" in str(data)
    (warning,) = answer(capsys, "compile", path)["diagnostics"]
    assert (warning["line"], warning["severity"]) == (8, "warning")
    assert "line 7" in warning["message"]


READS = {
    "fetched.comp": """\
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba8) uniform writeonly image2D target;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = vec4(0);
    for (int k = 0; k < 64; k++)
        sum += texelFetch(source, (at + ivec2(k, k * 3)) & 255, 0);
    imageStore(target, at, sum / 64.0);
}
""",
    "loaded.comp": """\
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform readonly image2D source;
layout(binding = 1, rgba8) uniform writeonly image2D target;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = vec4(0);
    for (int k = 0; k < 64; k++)
        sum += imageLoad(source, (at + ivec2(k, k * 3)) & 255);
    imageStore(target, at, sum / 64.0);
}
""",
    "fetched.frag": """\
layout(binding = 0) uniform sampler2D source;
layout(location = 0) out vec4 colour;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 sum = vec4(0);
    for (int k = 0; k < 64; k++)
        sum += texelFetch(source, (at + ivec2(k, k * 3)) & 255, 0);
    colour = sum / 64.0;
}
""",
    "subpass.frag": """\
layout(input_attachment_index = 0, binding = 0) uniform subpassInput source;
layout(location = 0) out vec4 colour;
void main() {
    vec4 sum = vec4(0);
    for (int k = 0; k < 64; k++)
        sum += subpassLoad(source) * float(k);
    colour = sum / 64.0;
}
""",
}


@pytest.mark.parametrize(("name", "text"), READS.items())
def test_texel_reads_cost_the_same_in_compute_shaders_as_in_fragment_shaders(
    name, text, capsys, tmp_path
):
    path = tmp_path / name
    path.write_text(f"#version 450\n{text}")
    compute = name.endswith(".comp")
    launch = ["--groups", "128,96"] if compute else ["--size", "1024x768"]
    (forecast,) = answer(
        capsys, "predict", path, *launch, "--target", "rtx3060", *DEVICE
    )["targets"]  # fmt: skip
    assert forecast["textures"]["price"] == "published rates"
    # 1024 x 768 x 64 reads of four bytes at 112 texels a clock of 1605 MHz; a write for each pixel.
    least_s = 1024 * 768 * (64 + compute) / (112 * 1.605e9)
    assert forecast["textures"]["time_s"] == pytest.approx(least_s, rel=1e-3)
    assert least_s <= forecast["low_s"] <= forecast["time_s"] < 2 * least_s
    said = "50.3 M texture reads" + (" and 786 k writes" if compute else "")
    assert any(f"for {said}:" in each for each in forecast["warnings"])
    (hot,) = (n for n, line in enumerate(path.read_text().split("\n"), 1) if "sum +=" in line)
    assert forecast["lines"][0]["line"] == hot
    assert forecast["lines"][0]["share"] > 0.8
