"""A framed button for a command, with its icon and text."""

from __future__ import annotations

from shaderlab.app.qt import QAction, Qt, QtWidgets


def push_button(action: QAction) -> QtWidgets.QToolButton:
    button = QtWidgets.QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setProperty("role", "push")
    return button
