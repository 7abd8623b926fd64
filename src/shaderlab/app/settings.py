"""What is remembered between runs, as typed data over an INI file of the user's.

The file may be anyone's: what it holds is bounded before it is taken, value by value.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from dataclasses import dataclass, field, fields
from enum import Enum
from pathlib import Path
from typing import Any

from shaderlab import files, locations
from shaderlab.app.qt import QByteArray, QSettings
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.errors import WrongUse
from shaderlab.spirv.heat import HeatKind
from shaderlab.workers.supervisor.limits import Limits, default_memory_bytes

RECENT_FILES = 10
LIMIT_RANGE_S = (0.5, 3600.0)
BUDGET_RANGE_S = (0.02, 60.0)
PIXELS_RANGE = (64 * 64, 8192 * 8192)
LEAST_MEMORY_MIB = 256
"""A worker with a driver's compiler in it needs about that much for anything."""


TRIALS_RANGE = (2, 200)
DRAWS_RANGE = (1, 1000)
ZOOM_RANGE = (-5, 20)
FONT_RANGE = (6.0, 40.0)
TAB_RANGE = (1, 16)
HERTZ_RANGE = (1.0, 1000.0)
_RANGES: dict[str, tuple[float, float]] = {
    "most_pixels": PIXELS_RANGE,
    "frame_budget_s": BUDGET_RANGE_S,
    "compile_limit_s": LIMIT_RANGE_S,
    "frame_limit_s": LIMIT_RANGE_S,
    "trace_limit_s": LIMIT_RANGE_S,
    "profile_limit_s": LIMIT_RANGE_S,
    "predict_limit_s": LIMIT_RANGE_S,
    "memory_limit_mib": (0, 1 << 20),
    "trials": TRIALS_RANGE,
    "draws": DRAWS_RANGE,
    "zoom": ZOOM_RANGE,
    "font_points": FONT_RANGE,
    "tab_width": TAB_RANGE,
    "heat_opacity": (0, 100),
    "split_percent": (5, 95),
    "budget_hz": (0.0, HERTZ_RANGE[1]),
}
_FORMER_NAMES = {"compiled_families": "amd_families"}
"""Of settings that were renamed: files written before are still read."""
_MOST_BYTES = 1 << 20
_LONGEST_TEXT = 4096
_LONGEST_LIST = 100
_LONGEST_BYTES = 64 << 10
"""Of one value."""


def within(value: float, bounds: tuple[float, float]) -> float:
    """The nearest value in the bounds; the lower one for what is no number."""
    return min(max(bounds[0], value), bounds[1])


@dataclass
class Settings:
    """Every setting with its default, which is also used when a stored value cannot be read."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    device: str = ""
    """Slug of the device the user chose; empty for the best one found."""
    target: str = "rtx3060"
    """Slug of the target whose predicted time is divided among the lines."""
    target_order: str = "time"
    """As `panels.targets.arrangement.Order` names it."""
    group_targets: bool = False
    """By vendor."""
    hidden_targets: list[str] = field(default_factory=list)
    """Slugs."""
    own_target_order: list[str] = field(default_factory=list)
    """Slugs, where the user put targets in order."""
    budget_hz: float = 60.0
    """Frames per second that predicted times are compared with; 0 for none."""
    forecast_size: str = "1024x768"
    """Of the frame that is counted and predicted, pixels."""
    forecast_time_s: float = 1.0
    """`iTime` of that frame."""
    preview_size: str = "auto"
    preview_pass: str = "final"
    """Which pass of a frame the preview shows, as `session.shown_pass` names it."""
    start_paused: bool = False
    compile_on_save: bool = False
    most_pixels: int = 1920 * 1080
    """Upper limit for every preview size."""
    frame_budget_s: float = 0.5
    """Seconds a preview frame should take; a slower shader is drawn at a lower resolution."""
    compile_limit_s: float = Limits.compile
    frame_limit_s: float = Limits.frame
    trace_limit_s: float = Limits.trace
    profile_limit_s: float = Limits.profile
    predict_limit_s: float = Limits.predict
    memory_limit_mib: int = 0
    """Of each worker; 0 for what suits the machine."""
    trials: int = 10
    draws: int = 30
    zoom: int = 0
    """Editor font, points above the default."""
    font_family: str = ""
    """Of the text; empty for the system's fixed font."""
    font_points: float = 11.0
    tab_width: int = 4
    """Columns."""
    keys: list[str] = field(default_factory=list)
    """Key bindings that differ from the defaults, as `shell.key_bindings` writes them."""
    welcomed: bool = False
    """Whether the tour of the first start is over."""
    wrap_lines: bool = False
    show_counts: bool = True
    show_shares: bool = True
    """Of the predicted time, beside the text."""
    heat_kind: HeatKind = HeatKind.INSTRUCTIONS
    heat_opacity: int = 75
    """Per cent."""
    compiled_families: list[str] = field(
        default_factory=lambda: ["navi23", "gfx1100", "renoir", "polaris10"]
    )
    """Families on screen in the panel of compilers, by RADV's names."""
    malioc_path: str = ""
    """Arm's Mali Offline Compiler; empty for the one on PATH, if any."""
    malioc_core: str = ""
    """The GPU it compiles for, e.g. `Mali-G78`; empty for its default."""
    rga_path: str = ""
    """AMD's Radeon GPU Analyzer; empty for the one on PATH, if any."""
    recent: list[str] = field(default_factory=list)
    """Absolute paths, newest first."""
    open_in_tabs: bool = True
    """Another document goes into a tab of its own, and tabs are open again at the next start."""
    open_files: list[str] = field(default_factory=list)
    """What the tabs had at the end, each as `last_file`."""
    last_file: str = ""
    """What was open at the end: a path, or `example:<name>`; empty at the first start."""
    split: str = ""
    """How the editor was split at the end, as `documents.split` names it; empty for one view."""
    split_file: str = ""
    """What the view showed that was not in use, as `last_file`."""
    split_first: bool = False
    """Whether the view in use was the left or the upper one."""
    split_percent: int = 50
    """Of the editor that the left or the upper view had."""
    geometry: bytes = b""
    docks_narrow: bytes = b""
    docks_half: bytes = b""
    docks_wide: bytes = b""
    docks_large: bytes = b""
    """Places of the panels, by the kind of the window's width."""
    side_visible: bool = True

    @property
    def limits(self) -> Limits:
        """Limits of requests; values out of range are clamped."""
        memory = self.memory_limit_mib << 20
        return Limits(
            compile=within(self.compile_limit_s, LIMIT_RANGE_S),
            frame=within(self.frame_limit_s, LIMIT_RANGE_S),
            trace=within(self.trace_limit_s, LIMIT_RANGE_S),
            profile=within(self.profile_limit_s, LIMIT_RANGE_S),
            predict=within(self.predict_limit_s, LIMIT_RANGE_S),
            memory_bytes=max(memory, LEAST_MEMORY_MIB << 20) if memory else default_memory_bytes(),
        )

    def add_recent(self, path: Path) -> None:
        """Put `path` first in the recent files."""
        name = str(path)
        self.recent = [name, *(p for p in self.recent if p != name)][:RECENT_FILES]


class SettingsStore:
    """Reads and writes `Settings`; a missing or damaged file yields the defaults."""

    def __init__(self, path: Path | None = None):
        self.path = path or locations.user_config() / "settings.ini"
        self._there: dict[str, Any] = {}
        """What the file was last seen to say, encoded, by the setting's name."""

    @property
    def writable(self) -> bool:
        """Whether `save` has a chance: tried, as permissions do not reveal a read-only disk."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path.parent):
                return not self.path.exists() or (
                    self.path.is_file() and os.access(self.path, os.W_OK)
                )
        except OSError:
            return False

    def load(self) -> Settings:
        """The stored values, clamped to their ranges; defaults for the rest."""
        if not self._harmless():
            return Settings()
        stored = QSettings(str(self.path), QSettings.Format.IniFormat)
        settings = Settings()
        for spec in fields(Settings):
            former = stored.value(_FORMER_NAMES.get(spec.name, spec.name))
            value = stored.value(spec.name, former)
            if value is not None:
                with contextlib.suppress(ValueError, TypeError, OverflowError):
                    decoded = _bounded(spec.name, _decode(value, getattr(settings, spec.name)))
                    setattr(settings, spec.name, decoded)
        self._there = _encoded(settings)
        return settings

    def _harmless(self) -> bool:
        """Whether Qt may read the file: small, and without objects of Qt's own to be made."""
        try:
            data = files.read_bytes(self.path, _MOST_BYTES)
        except WrongUse:
            return False
        return b"@Variant" not in data and b"@DateTime" not in data

    def save(self, settings: Settings) -> bool:
        """Write those that changed since they were read or written here, whole or not at all;
        whether that worked.  What another window wrote meanwhile stays."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        stored = QSettings(str(self.path), QSettings.Format.IniFormat)
        stored.setAtomicSyncRequired(True)
        encoded, there = _encoded(settings), self._there if self.path.exists() else {}
        for name, value in encoded.items():
            if name not in there or there[name] != value:
                stored.setValue(name, value)
        stored.sync()
        if stored.status() != QSettings.Status.NoError:
            return False
        self._there = encoded
        return True


def _encoded(settings: Settings) -> dict[str, Any]:
    return {spec.name: _encode(getattr(settings, spec.name)) for spec in fields(Settings)}


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return QByteArray(value)
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, list) else value


def _bounded(name: str, value: Any) -> Any:
    """The value in the range of its setting.  Raises ValueError for what is no number, too long."""
    if name in _RANGES:
        if not math.isfinite(value):
            raise ValueError(value)
        return within(value, _RANGES[name])
    if isinstance(value, bytes) and len(value) > _LONGEST_BYTES:
        raise ValueError(len(value))
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    if len(texts) > _LONGEST_LIST or any(len(text) > _LONGEST_TEXT for text in texts):
        raise ValueError(len(texts))
    return value


def _decode(value: Any, default: Any) -> Any:
    """`value` as INI gives it (often text), in the type of `default`."""
    if isinstance(default, bool):
        if str(value).lower() not in ("true", "false"):
            raise ValueError(value)
        return str(value).lower() == "true"
    if isinstance(default, bytes):
        return bytes(QByteArray(value).data())
    if isinstance(default, list):
        return [str(v) for v in (value if isinstance(value, list) else [value]) if v]
    return type(default)(value)
