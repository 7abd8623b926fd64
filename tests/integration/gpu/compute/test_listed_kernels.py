"""Two kernels as Mesa 22.3.6's and 25.0.7's compilers left them compute what they did; so that what
differs by driver is tested where none of these drivers is."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.compiled import CompiledStats, Executable
from shaderlab.gpu.compilers.families import families
from shaderlab.gpu.radv.nir import UnreadableNir
from shaderlab.gpu.radv.replay import Replay, replay_of
from shaderlab.gpu.vulkan.compute_tracing import trace_compute
from tests import kernels
from tests.integration.gpu.compute.test_replayed_kernels import left

FOLDER = Path(__file__).parent / "listings"
WIDTHS = {"amd": 64, "intel": 16, "nvidia": 32, "adreno": 64, "mali": 8}


def replayed(program: Program, chip: str, nir: str) -> Replay:
    family = next(each for each in families() if each.slug == chip)
    width = WIDTHS[family.vendor.slug]
    executable = Executable("compute", width, (), ir=nir, stage=Stage.COMPUTE)
    stats = CompiledStats(chip, family.name, family.vendor, "Mesa", (executable,), 0.0, 0.0)
    return replay_of(program, stats)


def listings(kernel: str = "") -> list[Path]:
    return sorted(FOLDER.glob(f"*-{kernel or '*'}.nir"))


@pytest.mark.parametrize("path", listings(), ids=lambda path: path.stem)
def test_a_listed_kernel_computes_what_it_did(path: Path, open_device, tmp_path: Path) -> None:
    chip, _, name = path.stem.partition("-")
    device = open_device("llvmpipe")
    case = kernels.KERNELS[name](1000)
    draw = kernels.draw(name, case, tmp_path)
    made = replayed(draw.program, chip.partition("_")[0], path.read_text(encoding="utf-8"))
    program = compile_text(made.text, path.name, None).bound_as(draw.program)
    again = draw.of_program(program)
    expected = left(device, draw)
    for at, found in left(device, again).items():
        assert np.array_equal(found, expected[at]), at
    counts = {block.count for block in trace_compute(device, again).blocks}
    assert draw.launch.invocations in counts
    assert next(iter(case.counts.values())) in counts


@pytest.mark.parametrize(
    ("chip", "old", "new", "reason"),
    [
        ("adreno740", "desc_set=0", "desc_set=3", "which buffer is read or written is not certain"),
        ("cfl", "@resource_intel", "@resource_other", "not certain|not replayed"),
        ("cfl", "base=448", "base=444", "a constant of the driver's own is not replayed"),
        ("ga106", "32    %", "16    %", "not replayed"),
        ("gfx1100", "@load_scalar_arg_amd (base=2", "@load_scalar_arg_amd (base=9",
         "an argument of the driver's own is not replayed"),
        ("malig610", "@load_push_constant (%", "@load_push_constant (%10.x, %", "not"),
        ("navi23", "load_shared2_amd", "load_shared3_amd", "load_shared3_amd is not replayed"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_refused(chip: str, old: str, new: str, reason: str) -> None:
    program = kernels.program("scan_reduce")
    nir = (FOLDER / f"{chip}-scan_reduce.nir").read_text(encoding="utf-8")
    assert old in nir
    with pytest.raises(UnreadableNir, match=reason):
        replayed(program, chip, nir.replace(old, new))


@pytest.mark.parametrize("path", listings("nearest"), ids=lambda path: path.stem)
def test_a_cut_listing_is_refused_or_compiles(path: Path) -> None:
    """Whatever line is missing: a sentence, or a program that glslang takes."""
    program = kernels.program("nearest")
    lines = path.read_text(encoding="utf-8").splitlines()
    chip = path.stem.partition("-")[0].partition("_")[0]
    for n in range(0, len(lines), 3):
        with contextlib.suppress(ShaderlabError):
            made = replayed(program, chip, "\n".join(lines[:n] + lines[n + 1 :]))
            compile_text(made.text, "cut.comp", None)
