"""Colours: two schemes, one table, from which every view takes what it paints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shaderlab import locations
from shaderlab.app.qt import QApplication, QColor, QPalette, Qt

_CHECK, _DROP, _RISE, _CLOSE, _FLOAT = (
    (locations.resources() / "icons" / f"{name}.svg").as_posix()
    for name in ("check", "drop", "rise", "dock-close", "dock-float")
)
"""Pictures a style sheet names by path, in colours that suit both schemes."""


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


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's palette."""
    role = QPalette.ColorRole
    made = QPalette()
    for colour, roles in {
        theme.window: (role.Window,),
        theme.base: (role.Base,),
        theme.current_line: (role.AlternateBase,),
        theme.raised: (role.Button, role.ToolTipBase, role.Light),
        theme.line: (role.Mid, role.Midlight, role.Dark),
        theme.text: (role.WindowText, role.Text, role.ButtonText, role.ToolTipText),
        theme.dim: (role.PlaceholderText,),
        theme.accent: (role.Highlight, role.Accent, role.Link),
        theme.on_accent: (role.HighlightedText, role.BrightText),
    }.items():
        for one in roles:
            made.setColor(one, QColor(colour))
    faint = QColor(theme.dim)
    faint.setAlphaF(0.55)
    for one in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, one, faint)
    made.setColor(role.Shadow, QColor("#000000"))
    return made


def style_sheet(theme: Theme) -> str:
    """What the palette cannot say: hairlines, spacing, flat bars."""
    t = theme
    return f"""
    QToolTip {{ color: {t.text}; background: {t.raised}; border: 1px solid {t.line};
        padding: 4px 6px; }}
    QMainWindow::separator {{ background: {t.line}; width: 1px; height: 1px; }}
    QMainWindow::separator:hover {{ background: {t.accent}; }}
    QDockWidget {{ color: {t.dim}; titlebar-close-icon: url({_CLOSE});
        titlebar-normal-icon: url({_FLOAT}); }}
    QDockWidget::title {{ background: {t.window}; padding: 3px 9px; text-align: left; }}
    QDockWidget::close-button, QDockWidget::float-button {{ border: none; padding: 0;
        background: transparent; }}
    QDockWidget::close-button:hover, QDockWidget::float-button:hover {{ background: {t.line}; }}
    QSplitter::handle {{ background: {t.line}; }}
    QSplitter::handle:hover {{ background: {t.accent}; }}
    QMenuBar {{ background: {t.window}; border: none; }}
    QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 4px; }}
    QMenuBar::item:selected {{ background: {t.line}; }}
    QMenu {{ background: {t.raised}; border: 1px solid {t.line}; padding: 4px; }}
    QMenu::item {{ padding: 5px 26px 5px 10px; border-radius: 4px; }}
    QMenu::icon {{ padding-left: 6px; }}
    QMenu::item:selected {{ background: {t.selection}; color: {t.text}; }}
    QMenu::item:disabled {{ color: {t.dim}; background: transparent; }}
    QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 6px; }}
    QToolBar {{ background: {t.window}; border: none; border-bottom: 1px solid {t.line};
        padding: 3px 6px; spacing: 2px; }}
    QToolBar::separator {{ background: {t.line}; width: 1px; margin: 5px 6px; }}
    QToolButton {{ border: none; border-radius: 5px; padding: 4px 6px; color: {t.text}; }}
    QToolButton:disabled {{ color: {t.dim}; }}
    QToolButton:hover {{ background: {t.line}; }}
    QToolButton:focus {{ border: 1px solid {t.accent}; padding: 3px 5px; }}
    QToolButton:pressed, QToolButton:checked {{ background: {t.selection}; }}
    QToolButton[role="push"] {{ background: {t.raised}; border: 1px solid {t.line};
        padding: 4px 10px; }}
    QToolButton[role="push"]:hover {{ border-color: {t.accent}; }}
    QToolButton::menu-indicator {{ image: none; }}
    QToolButton[popupMode="2"], QToolButton[role="push"][popupMode="2"] {{
        padding-right: 18px; }}
    QToolButton[popupMode="2"]::menu-indicator {{ image: url({_DROP}); width: 12px; height: 12px;
        subcontrol-origin: padding; subcontrol-position: center right; right: 4px; }}
    QStatusBar {{ background: {t.window}; border-top: 1px solid {t.line}; }}
    QStatusBar::item {{ border: none; }}
    QStatusBar QLabel {{ color: {t.dim}; padding: 0 6px; }}
    QStatusBar QToolButton {{ color: {t.dim}; padding: 1px 6px; }}
    QTabBar {{ background: {t.window}; qproperty-drawBase: 0; }}
    QTabBar::tab {{ background: transparent; color: {t.dim}; padding: 7px 9px 6px 9px;
        border: none; border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
    QTabBar::tab:hover:!selected {{ color: {t.text}; }}
    QTabBar::close-button {{ image: url({_CLOSE}); }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {t.line}; background: {t.base}; }}
    QTableView {{ background: {t.base}; border: none; gridline-color: transparent;
        selection-background-color: {t.selection}; selection-color: {t.text}; }}
    QTableView::item {{ padding: 0 8px; border: none; }}
    QHeaderView {{ background: {t.window}; border: none; }}
    QHeaderView::section {{ background: {t.window}; color: {t.dim}; border: none;
        border-bottom: 1px solid {t.line}; padding: 6px 11px 5px 11px; }}
    QHeaderView::section:vertical {{ border-bottom: none; padding: 0 8px 0 11px; }}
    QTableCornerButton::section {{ background: {t.window}; border: none;
        border-bottom: 1px solid {t.line}; }}
    QHeaderView::up-arrow, QHeaderView::down-arrow {{ subcontrol-position: top center;
        width: 8px; height: 6px; }}
    QTreeView {{ background: {t.base}; border: 1px solid {t.line}; border-radius: 5px;
        outline: none; selection-background-color: {t.selection}; selection-color: {t.text}; }}
    QTreeView::item {{ padding: 4px 6px; border: none; }}
    QTreeView::item:selected {{ background: {t.selection}; color: {t.text}; }}
    QCheckBox::indicator, QTreeView::indicator {{ width: 14px; height: 14px;
        border: 1px solid {t.dim}; border-radius: 3px; background: {t.base}; }}
    QCheckBox::indicator:focus {{ border-color: {t.accent}; }}
    QCheckBox::indicator:checked, QTreeView::indicator:checked {{ background: {t.accent};
        border-color: {t.accent}; image: url({_CHECK}); }}
    QComboBox {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line};
        border-radius: 5px; padding: 4px 8px; }}
    QComboBox:focus, QComboBox:hover {{ border-color: {t.accent}; }}
    QComboBox:disabled {{ color: {t.dim}; }}
    QComboBox::drop-down {{ border: none; width: 18px; }}
    QComboBox::down-arrow {{ image: url({_DROP}); width: 12px; height: 12px; }}
    QComboBox QLineEdit {{ border: none; padding: 0; background: transparent; }}
    QDialogButtonBox, QMessageBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QListView {{ background: {t.base}; border: none; outline: none; }}
    QListView::item {{ padding: 5px 8px; }}
    QListView::item:selected {{ background: {t.selection}; color: {t.text}; }}
    QLineEdit {{ background: {t.base}; color: {t.text}; border: 1px solid {t.line};
        border-radius: 5px; padding: 4px 6px; selection-background-color: {t.selection};
        selection-color: {t.text}; }}
    QAbstractSpinBox {{ background: {t.base}; color: {t.text}; border: 1px solid {t.line};
        border-radius: 5px; padding: 4px 6px; selection-background-color: {t.selection};
        selection-color: {t.text}; }}
    QAbstractSpinBox QLineEdit {{ border: none; background: transparent; padding: 0 3px; }}
    QAbstractSpinBox:focus {{ border-color: {t.accent}; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 16px; }}
    QAbstractSpinBox::up-arrow {{ image: url({_RISE}); width: 10px; height: 10px; }}
    QAbstractSpinBox::down-arrow {{ image: url({_DROP}); width: 10px; height: 10px; }}
    QLineEdit[role="number"] {{ border-radius: 4px; padding: 2px 4px; }}
    QLineEdit:focus {{ border-color: {t.accent}; }}
    QSlider:horizontal {{ min-height: 18px; }}
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {t.line}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {t.bars}; }}
    QSlider::handle:horizontal {{ width: 14px; height: 14px; margin: -6px 0;
        border: 1px solid {t.dim}; border-radius: 7px; background: {t.raised}; }}
    QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus {{
        border-color: {t.accent}; }}
    QSlider::handle:horizontal:focus {{ background: {t.accent}; }}
    QPushButton {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line};
        border-radius: 5px; padding: 5px 14px; }}
    QPushButton:hover, QPushButton:focus {{ border-color: {t.accent}; }}
    QPushButton:pressed {{ background: {t.selection}; }}
    QPushButton:default {{ background: {t.accent}; color: {t.on_accent};
        border-color: {t.accent}; }}
    QPushButton:disabled {{ color: {t.dim}; background: {t.window}; }}
    QAbstractScrollArea::corner {{ background: {t.base}; border: none; }}
    QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
    QScrollBar::handle {{ background: {t.line}; border-radius: 3px; margin: 2px; }}
    QScrollBar::handle:vertical {{ min-height: 28px; }}
    QScrollBar::handle:horizontal {{ min-width: 28px; }}
    QScrollBar::handle:hover {{ background: {t.dim}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    *[role="dim"] {{ color: {t.dim}; }}
    *[role="title"] {{ color: {t.text}; font-weight: 600; }}
    *[role="error"] {{ color: {t.error}; }}
    *[role="warning"] {{ color: {t.warning}; }}
    *[role="good"] {{ color: {t.good}; }}
    *[role="content"] {{ background: {t.base}; }}
    *[role="strip"] {{ background: {t.window}; border-top: 1px solid {t.line}; }}
    *[role="popup"] {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line}; }}
    *[role="sticky"] {{ background: {t.current_line}; color: {t.text};
        border-bottom: 1px solid {t.line}; padding-left: 8px; }}
    *[role="badge"] {{ color: {t.warning}; border: 1px solid {t.warning}; border-radius: 4px;
        padding: 0 6px; }}
    *[role="overlay"] {{ background: {t.raised}; border: 1px solid {t.line};
        border-radius: 8px; }}
    """


def apply(theme: Theme) -> None:
    """Apply the theme to every widget of the application."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    sheet = style_sheet(theme)
    if application.styleSheet() != sheet:  # Qt styles every widget anew, even for the same text
        # Qt takes 0.5 s to replace this window's style sheet by another, 0.15 to 0.2 s by way of
        # none.  It styles all 1,240 widgets twice; a quarter of the time goes to hidden ones.
        if application.styleSheet():
            application.setStyleSheet("")
        application.setPalette(palette(theme))
        application.setStyleSheet(sheet)


def blend(colour: str, other: str, share: float) -> str:
    """`colour` with this share of the other one."""
    one, rest = QColor(colour), QColor(other)
    pairs = ((one.red(), rest.red()), (one.green(), rest.green()), (one.blue(), rest.blue()))
    return QColor(*(round(a * (1 - share) + b * share) for a, b in pairs)).name()


def with_alpha(colour: str, alpha: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(alpha)
    return made
