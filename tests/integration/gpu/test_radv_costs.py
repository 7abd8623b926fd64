"""Optimised programs replayed on lavapipe, and frames costed on AMD families that are not here."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest

from shaderlab.cli import parser
from shaderlab.errors import Abandoned
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.discovery import discover
from shaderlab.gpu.radv import discovery, mapping, perfinfo
from shaderlab.gpu.radv.nir import UnreadableNir
from shaderlab.gpu.radv.replay import replay
from shaderlab.gpu.radv.tables import ConstantData, constant_data, constant_tables
from shaderlab.locations import resources
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.texture_reads import texture_reads
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.frame_costs import FrameCosts
from tests.radv import needs_radv_listing

pytestmark = pytest.mark.skipif(
    discovery.radv_manifest() is None, reason="RADV (mesa-vulkan-drivers) is not installed"
)

SIZE = (64, 48)
GLSL_SIN = 13
"""Number of the extended instruction (GLSL.std.450)."""

STEPS = """\
void mainImage(out vec4 c, in vec2 p) {
    float a = 0.0;
    for (float t = 0.5; t < p.x; t += 1.0) {
        a += sin(t * 0.37 + iTime);
    }
    if (p.y > 24.0) a = exp2(a * 0.125);
    c = vec4(fract(a), p / iResolution.xy, 1.0);
}
"""

SIZES = """void mainImage(out vec4 c, in vec2 p) {
    c = texture(iChannel0, p / vec2(textureSize(iChannel0, int(p.x) % 3))); }"""


class Joined:
    """All workers a frame cost takes."""

    def __init__(self, stack: ExitStack, slugs: list[str]):
        (info,) = [d for d in discover().devices if d.slug == "llvmpipe"]
        self.compiler = stack.enter_context(closing(CompilerWorker()))
        self.device = stack.enter_context(closing(DeviceWorker(info)))
        targets = compiled.choose(discovery.available(), slugs)
        self.compilers = stack.enter_context(closing(CompiledWorkers(targets)))
        self.costs = stack.enter_context(
            closing(FrameCosts(self.compiler, self.device, self.compilers))
        )


@pytest.fixture(scope="module")
def joined() -> Iterator[Joined]:
    with ExitStack() as stack:
        yield Joined(stack, ["renoir", "navi23"])


@needs_radv_listing
def test_block_counts_are_those_one_computes_by_hand(joined: Joined) -> None:
    program = compile_text(STEPS, "steps", None)
    stats = joined.compilers.compile(program, ["navi23"])["navi23"].result()
    made = replay(stats.chosen.ir)
    again = joined.compiler.compile(made.text, "replay", None).result().bound_as(program)
    counted = joined.device.trace(Draw.of(again, SIZE)).result()
    by_line = counted.line_counts
    counts = {
        number: max((n for at, n in by_line.items() if at.line == line), default=0)
        for number, line in made.block_lines.items()
    }
    # Pixel x has its centre at x + 0.5: x rounds of the body, x + 1 of the test, in each row.
    rounds = sum(range(64)) * 48
    assert counts[0] == 64 * 48
    assert rounds in counts.values()
    assert rounds + 64 * 48 in counts.values()
    assert mapping.match(made.function, perfinfo.parse(stats.chosen.costs)) is not None


@needs_radv_listing
@pytest.mark.parametrize("example", ["contours", "cube", "julia", "mandelbrot", "stars"])
def test_the_optimised_program_draws_the_same_picture(joined: Joined, example: str) -> None:
    program = joined.compiler.load(resources() / "examples" / f"{example}.frag").result()
    stats = joined.compilers.compile(program, ["navi23"])["navi23"].result()
    again = (
        joined.compiler.compile(replay(stats.chosen.ir).text, "replay", None)
        .result()
        .bound_as(program)
    )
    expected = joined.device.render(Frame.of(Draw.of(program, SIZE))).result().pixels.astype(int)
    drawn = joined.device.render(Frame.of(Draw.of(again, SIZE))).result().pixels.astype(int)
    assert expected[..., :3].std() > 1, "a picture to compare"
    assert np.mean(np.abs(drawn - expected).max(axis=2) > 3) < 0.02


@needs_radv_listing
@pytest.mark.parametrize("example", ["contours", "cube", "julia", "mandelbrot", "stars"])
def test_the_compiled_program_is_one_like_any_other(joined: Joined, example: str) -> None:
    program = joined.compiler.load(resources() / "examples" / f"{example}.frag").result()
    left = joined.compilers.program(program, REFERENCE).result()
    expected = joined.device.render(Frame.of(Draw.of(program, SIZE))).result().pixels.astype(int)
    drawn = joined.device.render(Frame.of(Draw.of(left, SIZE))).result().pixels.astype(int)
    assert np.mean(np.abs(drawn - expected).max(axis=2) > 3) < 0.02
    counted = joined.device.trace(Draw.of(left, SIZE)).result()
    assert counted.blocks[0].count == SIZE[0] * SIZE[1]
    assert left.name == program.name
    assert left.digest != program.digest


@needs_radv_listing
def test_what_a_driver_unrolls_and_deletes_is_gone_from_the_compiled_program(
    joined: Joined,
) -> None:
    unrolled = STEPS.replace("float t = 0.5; t < p.x; t += 1.0", "int t = 0; t < 4; t++").replace(
        "t * 0.37", "float(t) * p.x"
    )
    unused = unrolled.replace("c = vec4", "float n = sin(a + p.x); n *= n; c = vec4")
    for text in (unrolled, unused):
        left = joined.compilers.program(compile_text(text, "steps", None), REFERENCE).result()
        assert (functions_called(left) == GLSL_SIN).sum() == 4
        assert not len(left.module.indices(Op.LoopMerge))


def functions_called(program: Program) -> np.ndarray:
    """Numbers of the extended instructions in the text of the program."""
    module = program.module
    return np.array([module.instruction_words(i)[4] for i in module.indices(Op.ExtInst)])


@needs_radv_listing
def test_reads_of_textures_are_counted_as_often_as_they_run(joined: Joined) -> None:
    """Pixel x reads x times in a loop, and once more behind it, from another texture."""
    text = """void mainImage(out vec4 c, in vec2 p) {
        vec4 sum = vec4(0.0);
        for (float t = 0.5; t < p.x; t += 1.0) sum += textureLod(iChannel3, sum.xy + p * t, 0.0);
        c = sum + texelFetch(iChannel1, ivec2(p), 0); }"""
    program = compile_text(text, "reads", None)
    left = joined.compilers.program(program, REFERENCE).result()
    counted = joined.device.trace(Draw.of(left, SIZE)).result()
    names = ("OpImageSampleExplicitLod", "OpImageFetch")
    runs = [
        sum(each.count * each.opcodes.get(name, 0) for each in counted.blocks) for name in names
    ]
    assert runs == [sum(range(64)) * 48, 64 * 48]
    assert set(texture_reads(left.module).values()) == {(0, 2), (0, 4)}


def test_a_texture_s_size_in_a_program_is_not_replayed(joined: Joined) -> None:
    with pytest.raises(UnreadableNir):
        joined.compilers.program(compile_text(SIZES, "sizes", None), REFERENCE).result()


@needs_radv_listing
def test_a_frame_costs_what_its_rounds_cost(joined: Joined) -> None:
    """Twice the rounds nearly double the cycles, which the compiler's guess cannot know."""
    frames = [
        joined.costs.cost(Draw.of(compile_text(text, "steps", None), SIZE)).result()
        for text in (STEPS, STEPS.replace("t += 1.0", "t += 0.5"))
    ]
    for slug in ("renoir", "navi23"):
        once, twice = (frame.costs[slug] for frame in frames)
        assert once.explained == twice.explained == 1
        assert 1.6 < twice.busy_cycles / once.busy_cycles < 2
        guesses = [frame.stats[slug].chosen.value("Inverse Throughput") for frame in frames]
        assert guesses[0] == pytest.approx(guesses[1], rel=0.05)
        body = max(once.lines, key=lambda part: part.share).line.line
        assert body in (3, 4)


@needs_radv_listing
def test_the_numbers_offered_to_predictors_are_those_of_the_frame(joined: Joined) -> None:
    small, large = (
        joined.costs.cost(Draw.of(compile_text(STEPS, "steps", None), size)).result()
        for size in ((64, 48), (64, 96))
    )
    for slug in ("renoir", "navi23"):
        told, cost = small.features[slug], small.costs[slug]
        assert told.busy_cycles * 64 * 48 == pytest.approx(cost.busy_cycles)
        assert told.vgprs == small.stats[slug].common.registers
        assert told.vector > told.transcendental > 0
        assert all(math.isfinite(number) for number in told.numbers)
        assert large.features[slug].busy_cycles == pytest.approx(told.busy_cycles, rel=0.05)


def tables(*seeds: int) -> str:
    """A shader that looks numbers up in constant arrays of one size."""
    arrays = [
        f"const float table{seed}[64] = float[64]("
        + ", ".join(f"{n * seed % 64 / 64:.4f}" for n in range(64))
        + ");"
        for seed in seeds
    ]
    sums = " ".join(f"a += table{seed}[(i * int(p.x)) & 63];" for seed in seeds)
    return (
        "\n".join(arrays)
        + f"""
        void mainImage(out vec4 c, in vec2 p) {{
            float a = 0.0;
            for (int i = 0; i < 64 && a < 20.0; i++) {{ {sums} }}
            c = vec4(a / 64.0); }}"""
    )


FILLED = """
void mainImage(out vec4 c, in vec2 p) {
    float a[5], b[5];
    for (int i = 0; i < 5; i++) { a[i] = float(i * i) * 0.06; b[i] = 1.0 - 0.2 * float(i); }
    int n = int(p.x) % 5;
    c = vec4(a[n], b[n], a[(n + 1) % 5], 1.0); }
"""
"""With arrays that are no constants of the module."""


@needs_radv_listing
@pytest.mark.parametrize("text", [FILLED, tables(37, 41)], ids=["filled", "two of one size"])
def test_arrays_are_read_from_the_listing(joined: Joined, text: str) -> None:
    program = compile_text(text, "arrays", None)
    left = joined.compilers.program(program, REFERENCE).result()
    expected = joined.device.render(Frame.of(Draw.of(program, SIZE))).result().pixels.astype(int)
    drawn = joined.device.render(Frame.of(Draw.of(left, SIZE))).result().pixels.astype(int)
    assert expected[..., :3].std() > 1, "a picture to compare"
    assert np.abs(drawn - expected).max() <= 2


@needs_radv_listing
def test_tables_the_driver_does_not_print_are_taken_from_the_program(joined: Joined) -> None:
    program = compile_text(tables(37), "table", None)
    stats = joined.compilers.compile(program, ["navi23"])["navi23"].result()
    assert "load_constant" in stats.chosen.ir
    by_size = ConstantData(by_size=constant_tables(program.module))
    assert by_size.words(0, 256) == constant_data(program.module, stats.chosen.assembly).words(
        0, 256
    )
    again = replay(stats.chosen.ir, by_size).text
    made = joined.compiler.compile(again, "replay", None).result().bound_as(program)
    expected = joined.device.render(Frame.of(Draw.of(program, SIZE))).result().pixels.astype(int)
    drawn = joined.device.render(Frame.of(Draw.of(made, SIZE))).result().pixels.astype(int)
    assert expected[..., :3].std() > 1, "a picture to compare"
    assert np.abs(drawn - expected).max() <= 2


def test_what_cannot_be_replayed_is_costed_as_a_whole(joined: Joined) -> None:
    program = compile_text(SIZES, "sizes", None)
    frame = joined.costs.cost(Draw.of(program, SIZE), ["navi23"]).result()
    cost = frame.costs["navi23"]
    assert cost.explained == 0
    assert cost.busy_cycles > 0
    assert "size" in cost.basis
    assert cost.lines


@needs_radv_listing
def test_a_frame_given_up_has_no_cost_instead_of_a_guessed_one(
    joined: Joined, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compile_text(STEPS, "steps", None)
    frame = joined.costs.cost(Draw.of(program, SIZE), ["navi23"]).result()

    def late(*arguments: object) -> object:
        joined.costs.abandon()
        return compile_(*arguments)

    compile_ = joined.costs._compiler.compile
    with monkeypatch.context() as patched:
        patched.setattr(joined.costs._compiler, "compile", late)
        with pytest.raises(Abandoned):
            joined.costs.cost(Draw.of(program, SIZE), trace=frame.trace, stats=frame.stats).result()
    again = joined.costs.cost(Draw.of(program, SIZE), trace=frame.trace, stats=frame.stats).result()
    assert again.costs["navi23"].busy_cycles == frame.costs["navi23"].busy_cycles


@needs_radv_listing
def test_the_command_tells_statistics_costs_and_times(tmp_path: Path) -> None:
    shader = tmp_path / "steps.frag"
    shader.write_text(STEPS)
    words = ["compiled", shader, "--target", "navi23", "--target", "gfx1100", "--counts", "--isa"]
    words += ["--size", "64x48", "--device", "llvmpipe", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["problems"] == []
    assert [target["target"] for target in answer["targets"]] == ["navi23", "gfx1100"]
    for target in answer["targets"]:
        assert {
            "name", "vgprs", "sgprs", "spills", "occupancy", "instructions", "latency",
            "inverse_throughput", "code_bytes", "isa", "reproduce",
            "branches", "scratch_bytes",
        } <= target.keys()  # fmt: skip
        again = shlex.split(target["reproduce"])
        assert again[:2] == ["shaderlab", "compiled"]
        parsed = parser.parse(again[1:])
        assert (parsed.file, parsed.target) == (shader, [target["target"]])
        assert (parsed.size, parsed.device, parsed.counts) == ((64, 48), "llvmpipe", True)
        assert target["frame"]["explained"] == 1
        assert sum(part["share"] for part in target["frame"]["lines"]) == pytest.approx(1)
        for time in target["frame"]["times"]:
            assert 0 < time["low_s"] < time["time_s"] < time["high_s"]


def test_an_unknown_target_is_wrong_use() -> None:
    shader = resources() / "examples" / "gradient.frag"
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", "compiled", shader, "--target", "voodoo2"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "voodoo2" in done.stderr
    assert "navi23" in done.stderr


def test_targets_lists_the_families_with_their_products() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", "targets", "--json"], capture_output=True, text=True
    )
    entries = {e["target"]: e for e in json.loads(done.stdout) if e["kind"] == "compiled"}
    assert len(entries) >= 16
    names = [product["name"] for product in entries["gfx1100"]["products"]]
    assert names == ["Radeon RX 7900 XTX", "Radeon RX 7900 XT", "Radeon RX 7900 GRE"]
