"""What the passes make of modules: read the counting pass's work in golden/*.counted.spvasm.

Every module goes through the validator before and after.  To accept a deliberate change of the
pass, run the tests with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.compute_counting import instrument_compute
from shaderlab.spirv.passes.counting import Instrumented, instrument
from shaderlab.spirv.passes.index_recording import record_indices
from shaderlab.spirv.passes.recording import record
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.source_lines import instruction_lines

GOLDEN = Path(__file__).parent / "golden"
SOURCES = {
    "calls": "spv1.3",
    "entry_points": "spv1.5",
    "phi_and_lines": "spv1.0",
    "switch_and_demote": "spv1.3",
    "everything": "spv1.5",
    "everything_optimized": "spv1.5",
    "shadertoy": "spv1.5",
    "kernel": "spv1.5",
}
DRAWN = [name for name in SOURCES if name != "kernel"]
VULKAN = {"spv1.0": "vulkan1.0", "spv1.3": "vulkan1.1", "spv1.5": "vulkan1.2"}

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("spirv-as", "spirv-dis", "spirv-val")),
    reason="needs SPIRV-Tools",
)


def tool(*arguments, data: bytes) -> bytes:
    ran = subprocess.run(arguments, input=data, capture_output=True, timeout=30)
    assert ran.returncode == 0, (ran.stdout + ran.stderr).decode()
    return ran.stdout


def assembled(name: str) -> bytes:
    text = (GOLDEN / f"{name}.spvasm").read_bytes()
    return tool("spirv-as", "--target-env", SOURCES[name], "-o", "-", "-", data=text)


def validate(spirv: bytes, name: str) -> None:
    tool("spirv-val", "--target-env", VULKAN[SOURCES[name]], "-", data=spirv)


@pytest.mark.parametrize("name", DRAWN)
def test_the_pass_writes_what_is_written_down(name):
    source = assembled(name)
    validate(source, name)
    module = Module.parse(source)
    assert module.to_bytes() == source
    counted = instrument(module, "main").spirv
    validate(counted, name)
    text = tool("spirv-dis", "--no-color", "--no-header", "-", data=counted)
    golden = GOLDEN / f"{name}.counted.spvasm"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_bytes(text)
    assert text.decode() == golden.read_text()


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("rewrite", PASSES.values(), ids=list(PASSES))
def test_every_pass_is_valid(name, rewrite):
    validate(rewrite.apply(Module.parse(assembled(name)), "main"), name)


def digests(name: str) -> Iterator[tuple[str, bytes, str]]:
    """Of each pass, and each way to use it, over one module: what it is, its result, what it says
    of it."""
    module = Module.parse(assembled(name))
    if name == "kernel":
        for every in (False, True):
            counted = instrument_compute(module, "main", every_block=every)
            yield f"compute, {every=}", counted.spirv, _told(counted)
        arrays = [module.instruction_words(index)[2] for index in module.indices(Op.Variable)]
        indices = record_indices(module, "main", [(each, 0) for each in arrays])
        yield "indices", indices.spirv, repr(indices.sites)
        return
    for each in PASSES.values():
        yield each.name, each.apply(module, "main"), ""
    for every in (False, True):
        yield f"counted, {every=}", b"", _told(instrument(module, "main", every_block=every))
    lines = instruction_lines(module)
    there = {each for each in map(lines.at, range(len(module.opcodes))) if each}
    for line in (None, *sorted(there)[:40:8]):
        found = record(module, "main", line, early=True, taken=[Descriptor(1, 0)])
        yield f"recorded, {line}", found.spirv, f"{found.descriptor_set} {found.sites!r}"


def test_a_kernel_counts_no_more_blocks_than_it_needs_unless_asked_to():
    module = Module.parse(assembled("kernel"))
    needed, every = (
        instrument_compute(module, "main", **how) for how in ({}, {"every_block": True})
    )
    assert needed.counters < every.counters


def _told(counted: Instrumented) -> str:
    derived = counted.derivation
    told = (counted.blocks, counted.block_instructions, derived.counted, counted.fields)
    return f"{counted.header_words} {counted.counters} {told!r}"


@pytest.mark.parametrize("name", SOURCES)
def test_every_pass_writes_what_it_wrote(name):
    """By digest: to see a difference, disassemble what the pass makes of the module before and
    after the change."""
    text = ""
    for what, spirv, said in digests(name):
        if spirv:
            validate(spirv, name)
        digest = hashlib.sha256(spirv + said.encode()).hexdigest()[:16]
        text += f"{what}: {len(spirv)} bytes, {digest}\n"
    golden = GOLDEN / f"{name}.passes"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_the_buffer_takes_a_free_descriptor_set():
    assert instrument(Module.parse(assembled("entry_points")), "main").descriptor_set == 2
    assert instrument(Module.parse(assembled("calls")), "main").descriptor_set == 1


def test_counters_needed():
    """Two for main and its loop, one for who discards, one for who is called after that."""
    counted = instrument(Module.parse(assembled("calls")), "main")
    assert len(counted.blocks) == 9
    assert len(counted.fields) == 4
    # Those that run in the loop have words of their own, the other two share one.
    assert counted.counters == 3
