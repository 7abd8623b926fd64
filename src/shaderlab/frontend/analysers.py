"""Vendors' offline compilers, run where the user has them: Arm's `malioc` and AMD's `rga`.

They are neither bundled nor required.  Their output is read by its documented formats: Mali
Offline Compiler's JSON report (schema `performance`, versions 0 to 2: shaders -> variants ->
performance and properties), and the table of Radeon GPU Analyzer's `--analysis` (one CSV file per
GPU and stage, `gfx1100_<name>_frag.csv`, the header naming the columns).  Options, fields and
columns were compared with several public programs that use malioc 7 to 8.8 and rga 2.14.  Neither
was available when this was written, so the parsers have not seen output of the real ones: anything
unexpected is an error rather than a guess.
"""

from __future__ import annotations

import csv
import json
import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shaderlab import locations
from shaderlab.errors import MissingTool, ShaderlabError
from shaderlab.frontend import tools
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain.interface import first_line
from shaderlab.system.scratch import TemporaryFolder

NAMES = ("malioc", "rga")
TIMEOUT_S = 30.0
_OUTPUT_BYTES = 16 << 20
_MOST_SHADERS = 64
_MOST_NOTES = 4

RGA_NAMES: Mapping[str, str] = {
    "polaris10": "gfx803",
    "polaris11": "gfx803",
    "vega10": "gfx900",
    "vega20": "gfx906",
    "raven": "gfx902",
    "renoir": "gfx90c",
    "navi10": "gfx1010",
    "navi12": "gfx1011",
    "navi14": "gfx1012",
    "navi21": "gfx1030",
    "navi22": "gfx1031",
    "navi23": "gfx1032",
    "vangogh": "gfx1033",
    "navi24": "gfx1034",
    "rembrandt": "gfx1035",
}
"""RADV's families -> LLVM's processor names, which rga takes (LLVM, "User Guide for AMDGPU
Backend", Processors).  Families not listed have the same name in both."""

_RGA_COLUMNS = {
    "USED_VGPRS": "vgprs",
    "USED_SGPRS": "sgprs",
    "VGPR_SPILLS": "vgpr_spills",
    "SGPR_SPILLS": "sgpr_spills",
    "SCRATCH_MEM": "scratch_bytes",
    "USED_LDS_BYTES": "lds_bytes",
    "ISA_SIZE": "code_bytes",
}
_RGA_NEEDED = ("USED_VGPRS", "USED_SGPRS")
_PATHS = {
    "longest_path_cycles": "longest",
    "shortest_path_cycles": "shortest",
    "total_cycles": "total",
}


@dataclass(frozen=True)
class ExternalReport:
    """What an external analyser says about a fragment shader on one GPU."""

    tool: str
    """`malioc` or `rga`."""
    target: str
    """The GPU as the tool names it."""
    properties: Mapping[str, int | float | bool | str] = field(default_factory=dict)
    """Registers, spills and the like, by the tool's names (rga's: those of `CompiledStats`)."""
    cycles: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """`longest`, `shortest`, `total` -> pipeline -> cycles of one invocation; pipelines without a
    number (a loop of unknown length) are left out.  Empty for rga."""
    bound: tuple[str, ...] = ()
    """Pipelines that limit the longest path."""
    version: str = ""
    """The tool's own, where its report has it."""
    notes: tuple[str, ...] = ()
    """The tool's warnings and remarks."""

    @property
    def summary(self) -> str:
        """`Mali-G710 (malioc): longest path arith_total 3.2 cycles; 24 work_registers_used`."""
        parts = []
        longest = self.cycles.get("longest", {})
        shown = {name: longest[name] for name in self.bound if name in longest} or longest
        if shown:
            cycles = ", ".join(f"{name} {value:g}" for name, value in shown.items())
            parts.append(f"longest path {cycles} cycles")
        parts += [f"{name.replace('_', ' ')} {_plain(v)}" for name, v in self.properties.items()]
        tool = f"{self.tool} {self.version}".rstrip()
        return f"{self.target} ({tool}): {'; '.join([*parts, *self.notes])}"


def found(
    configured: Mapping[str, str] | None = None, names: Iterable[str] = NAMES
) -> dict[str, Path]:
    """The analysers found, by name: at the configured path, else on PATH.

    Raises MissingTool for a configured path that is not a program.
    """
    there: dict[str, Path] = {}
    for name in names:
        wanted = (configured or {}).get(name, "")
        path = tools.find(str(locations.typed(wanted)) if wanted else name)
        if wanted and path is None:
            raise MissingTool(f"{name}: {wanted} is not an executable program")
        if path is not None:
            there[name] = path.absolute()
    return there


def malioc(
    program: Program, executable: Path, core: str = "", stop: threading.Event | None = None
) -> tuple[ExternalReport, ...]:
    """Run Mali Offline Compiler on the program's module, for `core` or the tool's default.

    Raises ShaderlabError where it fails or its report is not as documented, ShaderTimeout,
    Abandoned once `stop` is set.
    """
    with TemporaryFolder() as folder:
        file = Path(folder) / "shader.frag.spv"
        file.write_bytes(program.spirv)
        command = [str(executable), "--vulkan", "--fragment", "--format", "json"]
        if program.entry_point != "main":  # its default
            command += ["--name", program.entry_point]
        if core:
            command += ["--core", core]
        done = _run([*command, str(file)], stop)
    if done.returncode != 0 and "{" not in done.text:
        raise ShaderlabError(f"malioc failed: {first_line(done.text)}")
    return parse_malioc(done.text)


def rga(
    program: Program,
    executable: Path,
    families: Iterable[str],
    stop: threading.Event | None = None,
) -> tuple[ExternalReport, ...]:
    """Run Radeon GPU Analyzer's offline Vulkan mode for RADV's families, one after another.

    Raises ShaderlabError where it fails or its report is not as documented, ShaderTimeout,
    Abandoned once `stop` is set.
    """
    reports = []
    for target in dict.fromkeys(RGA_NAMES.get(slug, slug) for slug in families):
        with TemporaryFolder() as folder:
            file = Path(folder) / "shader.spv"
            file.write_bytes(program.spirv)
            table = Path(folder) / "stats.csv"
            command = [str(executable), "-s", "vk-spv-offline", "-c", target]
            command += ["--frag", str(file), "--analysis", str(table)]
            done = _run(command, stop)
            # It puts the GPU before the name and the stage behind it.
            written = sorted(p for p in Path(folder).rglob("*.csv") if p.is_file())
            if not written:
                raise ShaderlabError(f"rga wrote no table for {target}: {_last_line(done.text)}")
            if written[0].stat().st_size > _OUTPUT_BYTES:
                raise ShaderlabError(f"rga: the table for {target} is too large")
            text = written[0].read_text("utf-8", errors="replace")
        reports += parse_rga(text, target)
    return tuple(reports)


def _run(command: list[str], stop: threading.Event | None) -> tools.ToolResult:
    return tools.run(command, timeout_s=TIMEOUT_S, output_bytes=_OUTPUT_BYTES, stop=stop)


def parse_malioc(text: str) -> tuple[ExternalReport, ...]:
    """Read a JSON report; raises ShaderlabError for anything else, with the tool's own errors."""
    try:  # warnings may stand before and behind it: both outputs are read as one
        report, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        raise ShaderlabError(f"malioc: not a JSON report: {first_line(text)[:200]}") from None
    shaders = _list(_get(report, "shaders", "the report"), "shaders")
    errors = [
        str(error)
        for shader in shaders
        if isinstance(shader, dict)
        for error in shader.get("errors") or ()
    ]
    if errors:
        raise ShaderlabError(f"malioc: {first_line(errors[0])}")
    if not shaders:
        raise ShaderlabError("malioc: the report contains no shader")
    producer = report.get("producer")
    version = producer.get("version") if isinstance(producer, dict) else None
    dotted = ".".join(map(str, version)) if isinstance(version, list) else ""
    return tuple(_malioc_shader(shader, dotted) for shader in shaders[:_MOST_SHADERS])


def _malioc_shader(shader: Any, version: str) -> ExternalReport:
    variants = _list(_get(shader, "variants", "a shader"), "variants")
    if not variants:
        raise ShaderlabError("malioc: a shader has no variants")
    variant = variants[0]
    performance = _get(variant, "performance", "a variant")
    names = [str(n) for n in _list(_get(performance, "pipelines", "performance"), "pipelines")]
    cycles: dict[str, dict[str, float]] = {}
    bound: tuple[str, ...] = ()
    for key, short in _PATHS.items():
        path = _get(performance, key, "performance")
        counts = _list(_get(path, "cycle_count", key), f"{key}.cycle_count")
        if len(counts) != len(names):
            raise ShaderlabError(f"malioc: {key} has {len(counts)} counts for {len(names)} pipes")
        cycles[short] = {
            n: _number(c, key) for n, c in zip(names, counts, strict=True) if c is not None
        }
        if short == "longest":
            limits = _list(path.get("bound_pipelines") or [], "bound_pipelines")
            bound = tuple(str(n) for n in limits if n is not None)
    properties: dict[str, int | float | bool | str] = {}
    for entry in (
        *_list(variant.get("properties") or [], "properties"),
        *_list(shader.get("properties") or [], "properties"),
    ):
        name, value = _get(entry, "name", "a property"), entry.get("value")
        if isinstance(value, (bool, int, float, str)):
            properties[str(name)] = value
    hardware = shader.get("hardware")
    core = hardware.get("core") if isinstance(hardware, dict) else None
    notes = tuple(
        first_line(str(note)) for key in ("warnings", "notes") for note in shader.get(key) or ()
    )
    return ExternalReport(
        "malioc", str(core or "Mali"), properties, cycles, bound, version[:20], notes[:_MOST_NOTES]
    )


def parse_rga(text: str, target: str) -> tuple[ExternalReport, ...]:
    """Read the table of `--analysis`; raises ShaderlabError for anything else."""
    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise ShaderlabError(f"rga: the table for {target} has no row")
    header = [cell.strip().upper() for cell in rows[0]]
    lacking = [name for name in _RGA_NEEDED if name not in header]
    if lacking:
        raise ShaderlabError(f"rga: the table for {target} has no column {lacking[0]}")
    reports = []
    for row in rows[1 : 1 + _MOST_SHADERS]:
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        properties: dict[str, int | float | bool | str] = {}
        for column, name in _RGA_COLUMNS.items():
            value = cells.get(column, "")
            if value.isdecimal():
                properties[name] = int(value)
            elif column in _RGA_NEEDED:
                raise ShaderlabError(f'rga: {column} for {target} is "{value[:40]}", not a number')
        reports.append(ExternalReport("rga", cells.get("DEVICE") or target, properties))
    return tuple(reports)


def _get(value: Any, key: str, where: str) -> Any:
    if not isinstance(value, dict) or key not in value:
        raise ShaderlabError(f'malioc: {where} has no "{key}": an unknown report format')
    return value[key]


def _list(value: Any, what: str) -> list:
    if not isinstance(value, list):
        raise ShaderlabError(f"malioc: {what} is not a list: an unknown report format")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ShaderlabError(f"malioc: {where} holds {str(value)[:40]!r}, not a number")
    return float(value)


def _plain(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
