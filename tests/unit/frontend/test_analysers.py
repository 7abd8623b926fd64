"""Reading what vendors' compilers print, as they document it: their programs were not at hand."""

import json

import pytest

from shaderlab.errors import MissingTool, ShaderlabError
from shaderlab.frontend import analysers

PIPES = ["arith_total", "load_store", "varying", "texture"]


def report(**changes) -> dict:
    performance = {
        "pipelines": PIPES,
        "total_cycles": {"bound_pipelines": ["arith_total"], "cycle_count": [3.5, 0.0, 0.25, 1.0]},
        "shortest_path_cycles": {"bound_pipelines": ["texture"], "cycle_count": [0.5, 0, 0.25, 1]},
        "longest_path_cycles": {
            "bound_pipelines": [None],
            "cycle_count": [None, None, None, None],
        },
    } | changes
    return {
        "schema": {"name": "performance", "version": 0},
        "shaders": [
            {
                "hardware": {"core": "Mali-G710", "revision": "r0p0"},
                "shader": {"api": "Vulkan", "type": "Fragment"},
                "variants": [
                    {
                        "name": "Main",
                        "performance": performance,
                        "properties": [
                            {"name": "work_registers_used", "value": 24},
                            {"name": "has_stack_spilling", "value": False},
                        ],
                    }
                ],
            }
        ],
    }


def test_a_report_is_read_with_its_gaps():
    (found,) = analysers.parse_malioc(json.dumps(report()))
    assert found.target == "Mali-G710"
    assert found.properties == {"work_registers_used": 24, "has_stack_spilling": False}
    assert found.cycles["total"] == dict(zip(PIPES, (3.5, 0.0, 0.25, 1.0), strict=True))
    assert found.cycles["longest"] == {}, "a loop of unknown length has no longest path"
    assert found.bound == ()
    assert "work registers used 24; has stack spilling no" in found.summary


def later_report() -> dict:
    """As malioc 8 answers for a module (schema version 2), by the fields others read of it."""
    pipes = [
        "arith_total",
        "arith_fma",
        "arith_cvt",
        "arith_sfu",
        "load_store",
        "varying",
        "texture",
    ]
    made = report(
        pipelines=pipes,
        total_cycles={"bound_pipelines": ["arith_total", "arith_sfu"],
                      "cycle_count": [2.5, 0.9375, 0.40625, 2.5, 1.0, 0.0, 0.0]},
        shortest_path_cycles={"bound_pipelines": ["load_store"],
                              "cycle_count": [0.25, 0.25, 0.0, 0.0, 1.0, 0.0, 0.0]},
        longest_path_cycles={"bound_pipelines": ["arith_total", "arith_sfu"],
                             "cycle_count": [2.5, 0.9375, 0.40625, 2.5, 1.0, 0.0, 0.0]},
    )  # fmt: skip
    made["schema"]["version"] = 2
    made["producer"] = {
        "name": "Mali Offline Compiler",
        "version": [8, 8, 1],
        "build": "1a2b3c",
        "documentation": "https://developer.arm.com/",
    }
    (shader,) = made["shaders"]
    shader |= {
        "filename": "shader.frag.spv",
        "driver": "r54p0-00rel0",
        "hardware": {"architecture": "Valhall", "core": "Mali-G78", "revision": "r1p1"},
        "shader": {"api": "Vulkan", "type": "Fragment"},
        "warnings": ["Cycle counts assume the cache is warm\nand more"],
        "notes": [],
        "properties": [
            {"name": "has_uniform_computation", "display_name": "Has uniform computation",
             "description": "", "value": True},
            {"name": "uses_late_zs_test", "display_name": "Uses late ZS test",
             "description": "", "value": False},
        ],
    }  # fmt: skip
    shader["variants"][0]["properties"] += [
        {"name": "thread_occupancy", "display_name": "", "description": "", "value": 100},
        {"name": "fp16_arithmetic", "display_name": "", "description": "", "value": None},
    ]
    return made


def test_a_report_of_a_later_version_is_read_between_warnings():
    printed = f"WARNING: using default GPU\n{json.dumps(later_report(), indent=4)}\nDone.\n"
    (found,) = analysers.parse_malioc(printed)
    assert (found.target, found.version) == ("Mali-G78", "8.8.1")
    assert found.bound == ("arith_total", "arith_sfu")
    assert found.cycles["longest"]["arith_sfu"] == 2.5
    assert found.properties == {
        "work_registers_used": 24,
        "has_stack_spilling": False,
        "thread_occupancy": 100,
        "has_uniform_computation": True,
        "uses_late_zs_test": False,
    }
    assert found.notes == ("Cycle counts assume the cache is warm",)
    assert found.summary.startswith(
        "Mali-G78 (malioc 8.8.1): longest path arith_total 2.5, arith_sfu 2.5 cycles; "
    )
    assert found.summary.endswith("Cycle counts assume the cache is warm")


def test_the_tools_own_errors_are_passed_on():
    text = json.dumps({"schema": {"name": "error"}, "shaders": [{"errors": ["bad module"]}]})
    with pytest.raises(ShaderlabError, match="malioc: bad module"):
        analysers.parse_malioc(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mali Offline Compiler v8",
        "[]",
        "{}",
        '{"shaders": {}}',
        '{"shaders": []}',
        '{"shaders": [1]}',
        '{"shaders": [{"variants": []}]}',
        json.dumps(report(pipelines=PIPES[:2])),
        json.dumps(report(total_cycles={"cycle_count": ["a", 0, 0, 0]})),
        json.dumps(report(total_cycles=[])),
        "[" * 100_000,
    ],
)
def test_anything_unexpected_is_a_sentence(text):
    with pytest.raises(ShaderlabError, match=r"^malioc: \S") as told:
        analysers.parse_malioc(text)
    assert "\n" not in str(told.value)


TABLE = """\
DEVICE,SCRATCH_MEM,WAVEFRONT_SIZE,USED_LDS_BYTES,AVAILABLE_SGPRs,USED_SGPRs,SGPR_SPILLS,\
AVAILABLE_VGPRs,USED_VGPRs,VGPR_SPILLS,ISA_SIZE
gfx1100,0,64,N/A,106,18,0,256,36,0,1280
"""


@pytest.mark.parametrize("missing", ["N/A", "-", ""])
def test_what_a_table_leaves_open_is_left_out(missing):
    """rga 2.14 writes no number for what a GPU or stage lacks."""
    (found,) = analysers.parse_rga(TABLE.replace(",0,1280", f",{missing},1280"), "gfx1100")
    assert "vgpr_spills" not in found.properties
    assert found.properties["code_bytes"] == 1280


def test_a_table_is_read_by_its_header():
    (found,) = analysers.parse_rga(TABLE, "gfx1100")
    assert found.target == "gfx1100"
    assert found.properties == {
        "vgprs": 36, "sgprs": 18, "vgpr_spills": 0, "sgpr_spills": 0, "scratch_bytes": 0,
        "code_bytes": 1280,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", TABLE.splitlines()[0], "A,B\n1,2\n", TABLE.replace(",36,", ",many,")],
)
def test_another_table_is_refused(text):
    with pytest.raises(ShaderlabError, match=r"^rga: ") as told:
        analysers.parse_rga(text, "gfx1100")
    assert "gfx1100" in str(told.value)


def test_a_configured_path_must_be_a_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    assert analysers.found() == {}
    with pytest.raises(MissingTool, match="not an executable program"):
        analysers.found({"rga": str(tmp_path / "rga")})
    (tmp_path / "malioc").write_text("#!/bin/sh\n")
    (tmp_path / "malioc").chmod(0o755)
    assert analysers.found({"rga": ""}) == {"malioc": tmp_path / "malioc"}
