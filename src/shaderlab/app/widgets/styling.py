"""How widgets look: Qt's palette, and a style sheet that takes its colours from it."""

from __future__ import annotations

from time import perf_counter

import shiboken6

from shaderlab import locations
from shaderlab.app.qt import QApplication, QColor, QObject, QPalette, QTimer, QWidget
from shaderlab.app.widgets.theme import Theme

_SLICE_S = 0.008

_CHECK, _DROP, _RISE, _CLOSE, _FLOAT = (
    (locations.resources() / "icons" / f"{name}.svg").as_posix()
    for name in ("check", "drop", "rise", "dock-close", "dock-float")
)
"""Pictures a style sheet names by path, in colours that suit both schemes."""

_Role = QPalette.ColorRole
_ROLES = {
    "window": (_Role.Window,),
    "base": (_Role.Base,),
    "current_line": (_Role.AlternateBase,),
    "raised": (_Role.Button, _Role.ToolTipBase, _Role.Light),
    "line": (_Role.Mid, _Role.Dark),
    "text": (_Role.WindowText, _Role.Text, _Role.ButtonText, _Role.ToolTipText),
    "dim": (_Role.PlaceholderText,),
    "accent": (_Role.Highlight, _Role.Accent, _Role.Link),
    "on_accent": (_Role.HighlightedText,),
    # Roles that Fusion does not paint with here carry the colours that Qt has no role for.
    "selection": (_Role.Midlight,),
    "error": (_Role.BrightText,),
    "warning": (_Role.Shadow,),
    "good": (_Role.LinkVisited,),
}
"""A theme's colours by the roles that have them; the style sheet uses the first."""


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's palette."""
    made = QPalette()
    for colour, roles in _ROLES.items():
        for role in roles:
            made.setColor(role, QColor(getattr(theme, colour)))
    faint = QColor(theme.dim)
    faint.setAlphaF(0.55)
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return made


def style_sheet() -> str:
    """What the palette cannot say: hairlines, spacing, flat bars."""
    (
        window, base, current_line, raised, line, text, dim, accent, on_accent, selection, error,
        warning, good,
    ) = (f"palette({_named(roles[0])})" for roles in _ROLES.values())  # fmt: skip
    return f"""
    QToolTip {{ color: {text}; background: {raised}; border: 1px solid {line};
        padding: 4px 6px; }}
    QMainWindow::separator {{ background: {line}; width: 1px; height: 1px; }}
    QMainWindow::separator:hover {{ background: {accent}; }}
    QDockWidget {{ color: {dim}; titlebar-close-icon: url({_CLOSE});
        titlebar-normal-icon: url({_FLOAT}); }}
    QDockWidget::title {{ background: {window}; padding: 3px 9px; text-align: left; }}
    QDockWidget::close-button, QDockWidget::float-button {{ border: none; padding: 0;
        background: transparent; }}
    QDockWidget::close-button:hover, QDockWidget::float-button:hover {{ background: {line}; }}
    QSplitter::handle {{ background: {line}; }}
    QSplitter::handle:hover {{ background: {accent}; }}
    QMenuBar {{ background: {window}; border: none; }}
    QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 4px; }}
    QMenuBar::item:selected {{ background: {line}; }}
    QMenu {{ background: {raised}; border: 1px solid {line}; padding: 4px; }}
    QMenu::item {{ padding: 5px 26px 5px 10px; border-radius: 4px; }}
    QMenu::icon {{ padding-left: 6px; }}
    QMenu::item:selected {{ background: {selection}; color: {text}; }}
    QMenu::item:disabled {{ color: {dim}; background: transparent; }}
    QMenu::separator {{ height: 1px; background: {line}; margin: 4px 6px; }}
    QToolBar {{ background: {window}; border: none; border-bottom: 1px solid {line};
        padding: 3px 6px; spacing: 2px; }}
    QToolBar::separator {{ background: {line}; width: 1px; margin: 5px 6px; }}
    QToolButton {{ border: none; border-radius: 5px; padding: 4px 6px; color: {text}; }}
    QToolButton:disabled {{ color: {dim}; }}
    QToolButton:hover {{ background: {line}; }}
    QToolButton:focus {{ border: 1px solid {accent}; padding: 3px 5px; }}
    QToolButton:pressed, QToolButton:checked {{ background: {selection}; }}
    QToolButton[role="push"] {{ background: {raised}; border: 1px solid {line};
        padding: 4px 10px; }}
    QToolButton[role="push"]:hover {{ border-color: {accent}; }}
    QToolButton::menu-indicator {{ image: none; }}
    QToolButton[popupMode="2"], QToolButton[role="push"][popupMode="2"] {{
        padding-right: 18px; }}
    QToolButton[popupMode="2"]::menu-indicator {{ image: url({_DROP}); width: 12px; height: 12px;
        subcontrol-origin: padding; subcontrol-position: center right; right: 4px; }}
    QStatusBar {{ background: {window}; border-top: 1px solid {line}; }}
    QStatusBar::item {{ border: none; }}
    QStatusBar QLabel {{ color: {dim}; padding: 0 6px; }}
    QStatusBar QToolButton {{ color: {dim}; padding: 1px 6px; }}
    QTabBar {{ background: {window}; qproperty-drawBase: 0; }}
    QTabBar::tab {{ background: transparent; color: {dim}; padding: 7px 9px 6px 9px;
        border: none; border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
    QTabBar::tab:hover:!selected {{ color: {text}; }}
    QTabBar::close-button {{ image: url({_CLOSE}); }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {line}; background: {base}; }}
    QTableView {{ background: {base}; border: none; gridline-color: transparent;
        selection-background-color: {selection}; selection-color: {text}; }}
    QTableView::item {{ padding: 0 8px; border: none; }}
    QHeaderView {{ background: {window}; border: none; }}
    QHeaderView::section {{ background: {window}; color: {dim}; border: none;
        border-bottom: 1px solid {line}; padding: 6px 11px 5px 11px; }}
    QHeaderView::section:vertical {{ border-bottom: none; padding: 0 8px 0 11px; }}
    QTableCornerButton::section {{ background: {window}; border: none;
        border-bottom: 1px solid {line}; }}
    QHeaderView::up-arrow, QHeaderView::down-arrow {{ subcontrol-position: top center;
        width: 8px; height: 6px; }}
    QTreeView {{ background: {base}; border: 1px solid {line}; border-radius: 5px;
        outline: none; selection-background-color: {selection}; selection-color: {text}; }}
    QTreeView::item {{ padding: 4px 6px; border: none; }}
    QTreeView::item:selected {{ background: {selection}; color: {text}; }}
    QCheckBox::indicator {{ width: 14px; height: 14px; border: 1px solid {dim};
        border-radius: 3px; background: {base}; }}
    QCheckBox::indicator:focus {{ border-color: {accent}; }}
    QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent};
        image: url({_CHECK}); }}
    QComboBox {{ background: {raised}; color: {text}; border: 1px solid {line};
        border-radius: 5px; padding: 4px 8px; }}
    QComboBox:focus, QComboBox:hover {{ border-color: {accent}; }}
    QComboBox:disabled {{ color: {dim}; }}
    QComboBox::drop-down {{ border: none; width: 18px; }}
    QComboBox::down-arrow {{ image: url({_DROP}); width: 12px; height: 12px; }}
    QComboBox QLineEdit {{ border: none; padding: 0; background: transparent; }}
    QDialogButtonBox, QMessageBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QListView {{ background: {base}; border: none; outline: none; }}
    QListView::item {{ padding: 5px 8px; }}
    QListView::item:selected {{ background: {selection}; color: {text}; }}
    QLineEdit {{ background: {base}; color: {text}; border: 1px solid {line};
        border-radius: 5px; padding: 4px 6px; selection-background-color: {selection};
        selection-color: {text}; }}
    QAbstractSpinBox {{ background: {base}; color: {text}; border: 1px solid {line};
        border-radius: 5px; padding: 4px 6px; selection-background-color: {selection};
        selection-color: {text}; }}
    QAbstractSpinBox QLineEdit {{ border: none; background: transparent; padding: 0 3px; }}
    QAbstractSpinBox:focus {{ border-color: {accent}; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 16px; }}
    QAbstractSpinBox::up-arrow {{ image: url({_RISE}); width: 10px; height: 10px; }}
    QAbstractSpinBox::down-arrow {{ image: url({_DROP}); width: 10px; height: 10px; }}
    QLineEdit[role="number"] {{ border-radius: 4px; padding: 2px 4px; }}
    QLineEdit:focus {{ border-color: {accent}; }}
    QSlider:horizontal {{ min-height: 18px; }}
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {line}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {accent}; }}
    QSlider::handle:horizontal {{ width: 14px; height: 14px; margin: -6px 0;
        border: 1px solid {dim}; border-radius: 7px; background: {raised}; }}
    QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus {{
        border-color: {accent}; }}
    QSlider::handle:horizontal:focus {{ background: {accent}; }}
    QPushButton {{ background: {raised}; color: {text}; border: 1px solid {line};
        border-radius: 5px; padding: 5px 14px; }}
    QPushButton:hover, QPushButton:focus {{ border-color: {accent}; }}
    QPushButton:pressed {{ background: {selection}; }}
    QPushButton:default {{ background: {accent}; color: {on_accent};
        border-color: {accent}; }}
    QPushButton:disabled {{ color: {dim}; background: {window}; }}
    QAbstractScrollArea::corner {{ background: {base}; border: none; }}
    QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
    QScrollBar::handle {{ background: {line}; border-radius: 3px; margin: 2px; }}
    QScrollBar::handle:vertical {{ min-height: 28px; }}
    QScrollBar::handle:horizontal {{ min-width: 28px; }}
    QScrollBar::handle:hover {{ background: {dim}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    *[role="dim"] {{ color: {dim}; }}
    *[role="title"] {{ color: {text}; font-weight: 600; }}
    *[role="error"] {{ color: {error}; }}
    *[role="warning"] {{ color: {warning}; }}
    *[role="good"] {{ color: {good}; }}
    *[role="content"] {{ background: {base}; }}
    *[role="strip"] {{ background: {window}; border-top: 1px solid {line}; }}
    *[role="popup"] {{ background: {raised}; color: {text}; border: 1px solid {line}; }}
    *[role="sticky"] {{ background: {current_line}; color: {text};
        border-bottom: 1px solid {line}; padding-left: 8px; }}
    *[role="badge"] {{ color: {warning}; border: 1px solid {warning}; border-radius: 4px;
        padding: 0 6px; }}
    *[role="overlay"] {{ background: {raised}; border: 1px solid {line};
        border-radius: 8px; }}
    """


def _named(role: QPalette.ColorRole) -> str:
    """As style sheets write it: `placeholder-text`."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in role.name).removeprefix("-")


class Styling(QObject):
    """Has every widget of the application painted in one theme.

    Only the palette differs between themes.  Qt looks a style sheet's `palette(...)` up when it
    polishes a widget, so after a change each one is polished again: those on screen at once
    (15 ms), the thousand others between the events that follow.  A new style sheet would style all
    of them at once, and twice (0.23 s).
    """

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._left: list[QWidget] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    def apply(self, theme: Theme) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        wanted = palette(theme)
        if not application.styleSheet():
            application.setPalette(wanted)
            application.setStyleSheet(style_sheet())
        elif application.palette() != wanted:
            application.setPalette(wanted)
            self._left.clear()
            for widget in application.allWidgets():
                if widget.isVisible():
                    _polish(widget)
                else:
                    self._left.append(widget)
            self._timer.start()

    def _go_on(self) -> None:
        end = perf_counter() + _SLICE_S
        while self._left and perf_counter() < end:
            widget = self._left.pop()
            if shiboken6.isValid(widget):
                _polish(widget)
        if not self._left:
            self._timer.stop()


def _polish(widget: QWidget) -> None:
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()
