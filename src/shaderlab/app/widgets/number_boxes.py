"""Fields for numbers with arrows."""

from __future__ import annotations

from shaderlab.app.qt import QtWidgets

_ROOM = 7
"""Pixels left of the number.  With arrows of its own, a style sheet's padding does not count."""


def whole_number_box() -> QtWidgets.QSpinBox:
    box = QtWidgets.QSpinBox()
    box.lineEdit().setTextMargins(_ROOM, 0, 0, 0)
    return box


def number_box() -> QtWidgets.QDoubleSpinBox:
    box = QtWidgets.QDoubleSpinBox()
    box.lineEdit().setTextMargins(_ROOM, 0, 0, 0)
    return box
