"""The one door to Qt: PySide6, in the order that lets QScintilla share its libraries.

`QtPrintSupport` is not used by name.  It is loaded so that PyQt6's QScintilla finds PySide6's copy
already in the process rather than loading its own, whose private symbols do not match.
"""

from __future__ import annotations

import builtins
import os

os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

from PySide6 import QtCore, QtGui, QtPrintSupport, QtSvg, QtWidgets
from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QEvent,
    QFileSystemWatcher,
    QLineF,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSettings,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QIcon,
    QImage,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QApplication, QWidget

# PySide6 reads the source of each module imported after it to see whether that could switch its
# names to another style.  No module here does, and it takes a tenth of the window's start.
builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
