"""AMD targets compiled by the real RADV, where it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.errors import DeviceLost, NoVulkan, UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.listing import Listing, listing_of
from shaderlab.gpu.radv import discovery, perfinfo
from shaderlab.gpu.radv.compiled import figures
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from tests.radv import needs_radv_listing

pytestmark = pytest.mark.skipif(
    discovery.radv_manifest() is None, reason="RADV (mesa-vulkan-drivers) is not installed"
)

SIXTEEN = {
    "polaris10", "polaris11", "vega10", "vega20", "raven", "renoir", "navi10", "navi14",
    "navi21", "navi22", "navi23", "navi24", "rembrandt", "gfx1100", "gfx1101", "gfx1102",
}  # fmt: skip

TWO_LOOPS = """\
float series(vec2 p) {
    float s = 0.0;
    for (int i = 0; i < 40; i++) {
        s += sin(p.x * float(i) + iTime);
        if (s > 3.0) break;
    }
    return s;
}
void mainImage(out vec4 c, in vec2 p) {
    vec2 u = p / iResolution.xy;
    float a = 0.0;
    for (float t = 0.0; t < u.x * 30.0; t += 1.0) {
        a += cos(t * u.y);
    }
    if (u.y > 0.5) a += series(u);
    else a *= exp(a) + pow(u.x, 3.3);
    c = vec4(u, a, 1.0);
}
"""


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompiledTarget, ...]:
    return discovery.available(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_text(TWO_LOOPS, "two loops", None)


@pytest.fixture(scope="module")
def workers(targets: tuple[CompiledTarget, ...]) -> Iterator[CompiledWorkers]:
    chosen = compiled.choose(targets, ["polaris10", "navi23", "navi24", "gfx1100"])
    made = CompiledWorkers(chosen)
    yield made
    made.close()


def test_all_sixteen_families_are_offered(targets: tuple[CompiledTarget, ...]) -> None:
    assert {target.family.slug for target in targets} >= SIXTEEN


def test_what_was_found_is_remembered_for_this_driver(
    targets: tuple[CompiledTarget, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = discovery.available(tmp_path)
    monkeypatch.setattr(discovery, "_probe", lambda manifest: pytest.fail("asked again"))
    assert discovery.available(tmp_path) == first == targets


def test_a_damaged_cache_is_asked_anew(targets: tuple[CompiledTarget, ...], tmp_path: Path) -> None:
    (tmp_path / "radv-families.json").write_text('{"fingerprint": ["not', "utf-8")
    assert discovery.available(tmp_path) == targets


def test_without_radv_the_message_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_manifests", lambda: iter(()))
    with pytest.raises(NoVulkan, match="apt install"):
        discovery.available(tmp_path)


def test_a_name_radv_does_not_know_costs_only_its_fork(targets: tuple[CompiledTarget, ...]) -> None:
    (navi23,) = compiled.choose(targets, ["navi23"])
    names = ["no such family", navi23.spelling, "navi99"]
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab.gpu.radv.probe", navi23.icd, *names],
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == {navi23.spelling: navi23.driver}


def test_a_family_that_gave_no_answer_in_time_is_asked_again(
    targets: tuple[CompiledTarget, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_probe", lambda _: {"navi23": "radv Mesa 1", "renoir": None})
    (found,) = discovery.available(tmp_path)
    assert found.family.slug == "navi23"
    monkeypatch.undo()
    assert discovery.available(tmp_path) == targets


def test_a_radv_without_null_hardware_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_probe", lambda _: {})
    with pytest.raises(NoVulkan, match="only for GPUs in this machine"):
        discovery.available(tmp_path)


def listing(stats: CompiledStats) -> Listing:
    return perfinfo.annotated(listing_of(stats.chosen, stats.vendor), stats.chosen.costs)


def test_statistics_are_those_of_the_whole_shader(
    workers: CompiledWorkers, program: Program
) -> None:
    """The driver reads the attachments after the call's arguments were built: with their memory
    freed too early it compiled this shader down to 2 instructions, since nothing was written."""
    futures = workers.compile(program)
    for slug, future in futures.items():
        stats = future.result()
        found = figures(stats.chosen)
        assert 55 <= found["instructions"] <= 90, slug
        if stats.driver.endswith("22.3.6"):
            expected = {"polaris10": 65, "navi23": 62, "navi24": 62, "gfx1100": 68}
            assert found["instructions"] == expected[slug]
        assert found["vgprs"] >= 4
        assert found["occupancy"] >= 1
        assert found["latency"] > found["inverse_throughput"] > 0
        assert stats.common.spills == 0
        assert any(i.mnemonic.startswith("exp") for i in listing(stats).blocks[-1].instructions)


def test_the_listing_has_the_program_s_loops(workers: CompiledWorkers, program: Program) -> None:
    stats = workers.compile(program, ["navi23"])["navi23"].result()
    # Newer drivers align loops with s_nop, which their own count leaves out.
    everything = [i for block in listing(stats).blocks for i in block.instructions]
    padding = sum(i.mnemonic == "s_nop" for i in everything)
    assert len(everything) - padding <= stats.common.instructions <= len(everything)
    assert len(listing(stats).loops) == 2
    assert {loop.depth for loop in listing(stats).loops} == {1}


@needs_radv_listing
def test_the_listing_has_the_compiler_s_cycles(workers: CompiledWorkers, program: Program) -> None:
    stats = workers.compile(program, ["navi23"])["navi23"].result()
    assert all(block.cycles is not None for block in listing(stats).blocks)


def test_a_shader_that_cannot_be_compiled_is_refused_with_the_reason(
    workers: CompiledWorkers,
) -> None:
    text = """#version 450
        layout(push_constant) uniform B { vec4 x[90]; } b;
        layout(location = 0) out vec4 c;
        void main() { c = b.x[7]; }"""
    program = compile_text(text, "large", None)
    future = workers.compile(program, ["navi23"])["navi23"]
    with pytest.raises(UnsupportedShader, match="1440 bytes of push constants"):
        future.result()


def test_a_shader_that_reads_input_attachments_is_compiled(workers: CompiledWorkers) -> None:
    text = """#version 450
        layout(input_attachment_index = 0, binding = 0) uniform subpassInput albedo;
        layout(input_attachment_index = 1, binding = 1) uniform subpassInputMS light[2];
        layout(location = 0) out vec4 c;
        void main() {
            c = subpassLoad(albedo) * (subpassLoad(light[0], 1) + subpassLoad(light[1], 3));
        }"""
    program = compile_text(text, "deferred", None)
    stats = workers.compile(program, ["navi23"])["navi23"].result()
    assert stats.common.instructions > 3


def test_a_family_whose_driver_aborts_does_not_stop_the_others(
    targets: tuple[CompiledTarget, ...], program: Program
) -> None:
    (good,) = compiled.choose(targets, ["polaris10"])
    (bad,) = compiled.choose(targets, ["renoir"])
    workers = CompiledWorkers([replace(bad, spelling="no such family"), good])
    try:
        futures = workers.compile(program)
        assert futures["polaris10"].result().common.instructions > 50
        with pytest.raises(DeviceLost, match=r"renoir.*SIGABRT"):
            futures["renoir"].result()
    finally:
        workers.close()


VERTEX = """#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 normal;
layout(location = 1) flat out int part;
layout(location = 2) out mat2 turn;
void main() {
    normal = normalize(position) * sin(position.x);
    part = int(position.y);
    turn = mat2(position.x, position.y, position.z, sqrt(position.x));
    gl_Position = vec4(position, 1.0);
}"""
USING_ONE = """#version 450
layout(location = 0) in vec3 normal;
layout(location = 0) out vec4 c;
void main() { c = vec4(normal, 1.0); }"""


def test_a_vertex_shader_is_compiled_alone_or_for_what_its_fragment_shader_reads(
    workers: CompiledWorkers,
) -> None:
    reading = Reading(stage=Stage.VERTEX)
    vertex = compile_text(VERTEX, "turn", None, reading)
    fragment = compile_text(USING_ONE, "one", None)
    alone = workers.compile(vertex, ["navi23"])["navi23"].result()
    assert [each.stage for each in alone.executables] == [Stage.VERTEX]
    both = workers.compile(fragment, ["navi23"], vertex)["navi23"].result()
    assert [each.stage for each in both.executables] == [Stage.FRAGMENT, Stage.VERTEX]
    assert both.chosen.stage is Stage.FRAGMENT
    assert figures(both.executables[1])["instructions"] < figures(alone.chosen)["instructions"], (
        "outputs nobody reads are left out"
    )
