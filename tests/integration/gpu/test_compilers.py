"""Other vendors' chips, compiled for by the real compilers, where they are built."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from shaderlab import locations
from shaderlab.errors import DeviceLost, NoVulkan, ShaderTimeout
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers import discovery, installed
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.families import Family
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.scene.draw import Draw
from shaderlab.workers.compiled import CompiledWorkers, FamilyWorker, choose
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.frame_costs import FrameCosts
from shaderlab.workers.supervisor.limits import Limits

WAIT_S = 240.0

SHADER = """\
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
    float a = series(u) + texture(iChannel0, u).x;
    if (u.y > 0.5) a *= exp(a) + pow(u.x, 3.3);
    c = vec4(u, a, 1.0);
}
"""


@pytest.fixture(scope="module", autouse=True)
def _built(compilers_at_home: bool) -> None:
    if not compilers_at_home:
        pytest.skip(f"other vendors' compilers are not built ({installed.BUILD})")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> discovery.Answers:
    return discovery.available(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def one_each(answers: discovery.Answers) -> tuple[CompiledTarget, ...]:
    """A chip of each vendor whose compiler is here."""
    by_vendor = {target.family.vendor.slug: target for target in reversed(answers.targets)}
    return tuple(by_vendor.values())


@pytest.fixture(scope="module")
def workers(one_each: tuple[CompiledTarget, ...]) -> Iterator[CompiledWorkers]:
    with closing(CompiledWorkers(one_each)) as made:
        yield made


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_text(SHADER, "series.frag", None)


def test_every_compiler_that_is_built_answers_for_chips(answers: discovery.Answers) -> None:
    assert answers.compilers is not None
    built = {d.vendor.slug for d in answers.compilers.drivers} - {"amd"}
    assert {target.family.vendor.slug for target in answers.targets} == built
    assert built, "nothing but AMD's is built"


def test_the_answers_are_remembered_until_a_file_changes(tmp_path: Path) -> None:
    first = discovery.available(tmp_path)
    (kept,) = tmp_path.glob("*.json")
    data = json.loads(kept.read_text())
    slug = first.targets[0].family.slug
    data["families"][slug]["device"] = "remembered"
    kept.write_text(json.dumps(data))
    assert discovery.available(tmp_path).targets[0].device == "remembered"
    data["fingerprint"] = "of other files"
    kept.write_text(json.dumps(data))
    assert discovery.available(tmp_path).targets == first.targets


def test_each_compiles_with_statistics_and_assembly(
    workers: CompiledWorkers, program: Program
) -> None:
    for slug, future in workers.compile(program).items():
        stats = future.result(WAIT_S)
        common = stats.common
        assert stats.target == slug
        assert stats.chosen.assembly, slug
        assert common.instructions is not None
        assert 20 < common.instructions < 2000, slug
        assert 0 < stats.compile_s < WAIT_S


def test_intels_compiler_reports_each_width_with_its_cycles(
    workers: CompiledWorkers, program: Program
) -> None:
    target = next((t for t in workers.targets if t.family.vendor.slug == "intel"), None)
    if target is None:
        pytest.skip("ANV is not built")
    stats = workers.compile(program, [target.family.slug])[target.family.slug].result(WAIT_S)
    widths = [each.subgroup_size for each in stats.executables]
    assert set(widths) <= {8, 16, 32}
    assert len(widths) == len(set(widths))
    assert stats.chosen.subgroup_size == max(widths)
    assert all((each.value("Cycle Count") or 0) > 0 for each in stats.executables)


def test_more_work_is_more_instructions(workers: CompiledWorkers) -> None:
    def of(text: str) -> dict[str, Future]:
        return workers.compile(compile_text(text, "work.frag", None))

    less = of("void mainImage(out vec4 c, in vec2 p) { c = vec4(sin(p.x)); }")
    more = of("void mainImage(out vec4 c, in vec2 p) { c = vec4(sin(cos(sin(p.x)) * p.y), p, 1); }")
    for slug in less:
        few = less[slug].result(WAIT_S).common.instructions
        many = more[slug].result(WAIT_S).common.instructions
        assert few < many, slug


def test_varyings_push_constants_and_several_sets_compile(workers: CompiledWorkers) -> None:
    text = """#version 450
    layout(location = 3) in vec2 uv;
    layout(push_constant) uniform Push { vec4 tint; };
    layout(set = 1, binding = 2) uniform Block { mat4 m; float k[5]; };
    layout(set = 0, binding = 0) uniform texture2D t;
    layout(set = 0, binding = 1) uniform sampler s;
    layout(constant_id = 7) const int rounds = 3;
    layout(location = 0) out vec4 c;
    void main() {
        c = tint * (m * texture(sampler2D(t, s), uv));
        for (int i = 0; i < rounds; i++) c.x += sin(k[i] * uv.y);
    }"""
    program = compile_text(text, "all.frag", None)
    for slug, future in workers.compile(program).items():
        assert (future.result(WAIT_S).common.instructions or 0) > 20, slug


def test_a_stand_in_is_in_its_child_alone(workers: CompiledWorkers, program: Program) -> None:
    for future in workers.compile(program).values():
        future.result(WAIT_S)
    assert "LD_PRELOAD" not in os.environ
    assert "drm_shim" not in Path("/proc/self/maps").read_text()
    for target in workers.targets:
        with closing(FamilyWorker(target)) as worker:
            worker.compile(program).result(WAIT_S)
            maps = Path(f"/proc/{worker.pid}/maps").read_text()
            assert target.family.vendor.shim in maps
            assert target.family.vendor.library in maps


def test_a_compiler_that_hangs_fails_alone(workers: CompiledWorkers, program: Program) -> None:
    first, *others = workers.targets
    with closing(FamilyWorker(first)) as worker:
        worker.compile(program).result(WAIT_S)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        worker.set_limits(Limits(compile=0.5))
        with pytest.raises(ShaderTimeout, match=f"compiling series.frag for {first.family.slug}"):
            worker.compile(program).result(WAIT_S)
        worker.set_limits(Limits(compile=WAIT_S))
        assert worker.compile(program).result(WAIT_S).executables, "another took its place"
        assert worker.replacements == 1
    for target in others:
        slug = target.family.slug
        assert workers.compile(program, [slug])[slug].result(WAIT_S).executables


@pytest.mark.parametrize("vendor", [slug for slug in VENDORS if slug != "amd"])
def test_counts_meet_the_code(workers: CompiledWorkers, vendor: str) -> None:
    """A loop of twice the rounds, which no compiler unrolls, runs twice as often."""
    target = next((t for t in workers.targets if t.family.vendor.slug == vendor), None)
    if target is None:
        pytest.skip(f"{VENDORS[vendor].driver} is not built")
    info = next(d for d in discover().result().devices if d.slug.startswith("llvmpipe"))
    text = """void mainImage(out vec4 c, in vec2 p) {
        float s = 0.0;
        for (int i = 0; i < ROUNDS + int(iTime); i++) s += sin(p.x * s + float(i));
        c = vec4(s);
    }"""
    slug, found = target.family.slug, []
    with ExitStack() as stack:
        compiler = stack.enter_context(closing(CompilerWorker()))
        device = stack.enter_context(closing(DeviceWorker(info)))
        costs = stack.enter_context(closing(FrameCosts(compiler, device, workers)))
        for rounds in (100, 200):
            program = compile_text(text.replace("ROUNDS", str(rounds)), "rounds", None)
            frame = costs.cost(Draw.of(program, (64, 48)), [slug]).result(WAIT_S)
            assert frame.uncounted == {}
            found.append(frame.costs[slug])
    once, twice = (cost.busy_cycles for cost in found)
    assert 1.9 < twice / once < 2.0
    assert found[0].explained == 1
    assert found[0].lines[0].line.line == 3


@pytest.fixture
def copy(answers: discovery.Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of ANV alone, to be damaged, that everything now finds."""
    assert answers.compilers is not None
    vendor = VENDORS["intel"]
    if answers.compilers.driver(vendor) is None:
        pytest.skip("ANV is not built")
    folder = tmp_path / "my compilers"  # blanks are usual in names of folders
    folder.mkdir()
    for name in (installed.MANIFEST, vendor.icd, vendor.library, vendor.shim):
        shutil.copyfile(answers.compilers.folder / name, folder / name)
    path = folder / installed.MANIFEST
    manifest = json.loads(path.read_text())
    manifest["drivers"] = {"intel": manifest["drivers"]["intel"]}
    path.write_text(json.dumps(manifest))
    monkeypatch.setattr(locations, "compilers", lambda: (folder,))
    return folder


def test_a_folder_of_any_name_will_do(copy: Path, tmp_path: Path) -> None:
    found = discovery.available(tmp_path)
    assert found.problems == {}
    (target,) = choose(found.targets, ["cfl"])
    with closing(FamilyWorker(target)) as worker:
        stats = worker.compile(compile_text(SHADER, "series.frag", None)).result(WAIT_S)
    assert stats.target == "cfl"


def test_half_a_build_is_a_sentence(copy: Path, tmp_path: Path) -> None:
    library = copy / VENDORS["intel"].library
    library.write_bytes(library.read_bytes()[: 1 << 20])
    found = discovery.available(tmp_path)
    assert found.targets == ()
    assert "libvulkan_intel.so has 1,048,576 bytes" in found.problems["intel"]


@pytest.mark.parametrize("which", ["library", "shim"])
def test_a_file_of_the_right_size_that_does_not_load_is_a_sentence(
    copy: Path, tmp_path: Path, which: str
) -> None:
    path = copy / getattr(VENDORS["intel"], which)
    path.write_bytes(b"\x7fELF" + bytes(path.stat().st_size - 4))
    found = discovery.available(tmp_path)
    if which == "library":
        assert found.targets == ()
    for problem in found.problems.values():
        assert problem.startswith("ANV for ")
    assert set(found.problems) | {t.family.slug for t in found.targets} >= {"cfl", "bmg"}


def test_a_stand_in_that_hangs_is_not_waited_for_once_per_chip(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def hangs(driver: installed.Driver, family: Family) -> dict[str, str]:
        asked.append(family.slug)
        return {"problem": f"ANV for {family.slug} did not answer", "late": "yes"}

    monkeypatch.setattr(discovery, "_probe", hangs)
    found = discovery.available(tmp_path)
    assert 2 <= len(asked) <= 3, "two at a time"
    assert found.targets == ()
    assert len(found.problems) > len(asked)
    assert any("it did not answer for others" in why for why in found.problems.values())
    discovery.available(tmp_path)
    assert len(asked) >= 4, "a machine too busy today is asked again"


def test_an_unknown_chip_is_a_sentence(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    target = discovery.available(copy.parent).targets[0]
    unknown = replace(target, spelling="nosuch")
    worker = FamilyWorker(unknown, Limits(start=60))
    with closing(worker), pytest.raises((NoVulkan, DeviceLost)):
        worker.compile(compile_text(SHADER, "series.frag", None)).result(WAIT_S)


def run(*words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "shaderlab", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_the_command_line_compiles_for_a_product(answers: discovery.Answers) -> None:
    target = answers.targets[0]
    example = locations.resources() / "examples" / "gradient.frag"
    product = target.family.products[0].name
    done = run("compiled", str(example), "--target", product, "--isa", "--json")
    assert done.returncode == 0, done.stderr
    (entry,) = json.loads(done.stdout)["targets"]
    assert entry["target"] == target.family.slug
    assert entry["vendor"] == target.family.vendor.name
    assert entry["instructions"] > 0
    assert entry["executables"][0]["statistics"]
    assert entry["isa"]
    text = run("compiled", str(example), "--target", target.family.slug).stdout
    assert target.family.vendor.standing in text


def test_the_status_lists_what_is_there(answers: discovery.Answers) -> None:
    done = run("compilers", "status", "--json")
    data = json.loads(done.stdout)
    assert data["built"]
    assert [t["target"] for t in data["targets"]] == [t.family.slug for t in answers.targets]
    assert done.returncode == 0, done.stdout


def test_choosing_by_vendor(answers: discovery.Answers) -> None:
    vendor = answers.targets[0].family.vendor
    chosen = choose(answers.targets, [vendor.slug])
    assert len(chosen) > 1
    assert {target.family.vendor.slug for target in chosen} == {vendor.slug}
