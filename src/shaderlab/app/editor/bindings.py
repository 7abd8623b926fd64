"""QScintilla from PyQt6, on PySide6's Qt.

QScintilla's Python bindings exist for PyQt6 only.  This is the one module that imports PyQt6.  Both
bindings run on PySide6's Qt, which works because `app.qt` loads that first; their minor versions
must agree.  Colours and fonts given to QScintilla are PyQt6's, from here.
"""

from __future__ import annotations

import shiboken6

from shaderlab.app.qt import QtCore, QWidget
from shaderlab.errors import ShaderlabError

# isort: split
from PyQt6 import Qsci, sip
from PyQt6.QtCore import QT_VERSION_STR as PYQT_BUILT_FOR
from PyQt6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import QFrame


class BindingsDiffer(ShaderlabError):
    """PySide6 and PyQt6 were made for different Qt versions."""


def check_versions() -> None:
    """Raise BindingsDiffer unless PyQt6 was built for the minor version of the Qt that runs."""
    running = QtCore.qVersion()
    if running.split(".")[:2] != PYQT_BUILT_FOR.split(".")[:2]:
        raise BindingsDiffer(
            f"PySide6 runs Qt {running}, but PyQt6 was made for Qt {PYQT_BUILT_FOR}: "
            "install the same minor version of both"
        )


def widget_of(view: Qsci.QsciScintilla) -> QWidget:
    """The same widget as PySide6 knows it."""
    address = sip.unwrapinstance(view)
    assert address is not None  # the view is no wrapper of something deleted
    widget = shiboken6.wrapInstance(address, QWidget)
    assert isinstance(widget, QWidget)
    return widget
