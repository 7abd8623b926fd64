"""What the counting pass makes of modules written by hand: read it in golden/*.counted.spvasm.

Every module goes through the validator before and after.  To accept a deliberate change of the
pass, run the tests with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.passes.registry import PASSES

GOLDEN = Path(__file__).parent / "golden"
SOURCES = {
    "calls": "spv1.3",
    "entry_points": "spv1.5",
    "phi_and_lines": "spv1.0",
    "switch_and_demote": "spv1.3",
}
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


@pytest.mark.parametrize("name", SOURCES)
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


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("rewrite", PASSES.values(), ids=list(PASSES))
def test_every_pass_is_valid(name, rewrite):
    validate(rewrite.apply(Module.parse(assembled(name)), "main"), name)


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
