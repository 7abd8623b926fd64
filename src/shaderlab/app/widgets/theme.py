"""Colours: two schemes, one table, from which every view takes what it paints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shaderlab.app.qt import QApplication, QColor, Qt


class ThemeChoice(StrEnum):
    """What the user chose; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Theme:
    """Colours by their role, as `#rrggbb`."""

    dark: bool
    window: str
    """Chrome: bars, panels, dialogs."""
    base: str
    """Where content lies: editor, tables, charts."""
    raised: str
    """Controls and overlays."""
    line: str
    """Hairlines between panes."""
    text: str
    dim: str
    """Secondary text; at least 4.5:1 on window and base."""
    accent: str
    on_accent: str
    selection: str
    current_line: str
    linked_line: str
    """Background of the source lines that belong to the chosen block."""
    found: str
    """Tint and outline of what a search found."""
    error: str
    warning: str
    good: str
    bars: str
    bars_faint: str
    heat: tuple[str, ...]
    """Backgrounds of the count margin, cold to hot; `text` is readable on each."""
    strip: tuple[str, ...]
    """Of bars on `base`, cold to hot, by the same steps as `heat`; the hot ones have 3:1."""
    keyword: str
    type: str
    builtin: str
    number: str
    comment: str
    preprocessor: str


LIGHT = Theme(
    dark=False,
    window="#f3f4f6",
    base="#ffffff",
    raised="#fbfbfc",
    line="#d3d7de",
    text="#1d2229",
    dim="#5b6573",
    accent="#2563d9",
    on_accent="#ffffff",
    selection="#c9dcfb",
    current_line="#f3f6fb",
    linked_line="#e2ecfd",
    found="#d98a00",
    error="#c42b34",
    warning="#8f5a00",
    good="#0a7261",
    bars="#2563d9",
    bars_faint="#a9c3f3",
    heat=("#f3f4f6", "#fbf3d9", "#fbe7b4", "#fbd596", "#f9bd80", "#f5a273"),
    strip=("#ffffff", "#e3c16a", "#d39a33", "#c27a12", "#b4530f", "#a1290f"),
    keyword="#9333a8",
    type="#0b6e8e",
    builtin="#2350b5",
    number="#a1430c",
    comment="#657064",
    preprocessor="#7a5c00",
)

DARK = Theme(
    dark=True,
    window="#20232a",
    base="#181a20",
    raised="#2a2e37",
    line="#363b46",
    text="#dfe3ea",
    dim="#98a1b0",
    accent="#4f8ff7",
    on_accent="#0c1118",
    selection="#2d4470",
    current_line="#1f222a",
    linked_line="#22314d",
    found="#b07a1e",
    error="#ff7b80",
    warning="#e5b454",
    good="#5cc996",
    bars="#4f8ff7",
    bars_faint="#2f4a7c",
    heat=("#20232a", "#33301f", "#46391c", "#5a401c", "#6b411f", "#7d3c25"),
    strip=("#181a20", "#6b5a2a", "#94702a", "#c08a33", "#e0853d", "#ff6a45"),
    keyword="#d79bf0",
    type="#63c6dd",
    builtin="#8fb8ff",
    number="#f0a877",
    comment="#8a9683",
    preprocessor="#d9c27a",
)


def current(choice: ThemeChoice) -> Theme:
    """The active theme: the user's choice, else the desktop's, else light."""
    if choice is ThemeChoice.SYSTEM:
        return DARK if QApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT
    return DARK if choice is ThemeChoice.DARK else LIGHT


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def blend(colour: str, other: str, share: float) -> str:
    """`colour` with this share of the other one."""
    one, rest = QColor(colour), QColor(other)
    pairs = ((one.red(), rest.red()), (one.green(), rest.green()), (one.blue(), rest.blue()))
    return QColor(*(round(a * (1 - share) + b * share) for a, b in pairs)).name()


def with_alpha(colour: str, alpha: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(alpha)
    return made
