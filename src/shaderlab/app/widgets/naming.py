"""Names of controls for screen readers, from what is on screen beside them."""

from __future__ import annotations

from shaderlab.app.qt import QtGui, QtWidgets, QWidget

CONTROLS = (
    QtWidgets.QAbstractButton,
    QtWidgets.QLineEdit,
    QtWidgets.QComboBox,
    QtWidgets.QAbstractSpinBox,
    QtWidgets.QAbstractSlider,
    QtWidgets.QAbstractItemView,
    QtWidgets.QTabBar,
    QtWidgets.QTextEdit,
    QtWidgets.QPlainTextEdit,
)


def spoken_name(widget: QWidget) -> str:
    """What a screen reader says of a widget; empty for nothing."""
    interface = QtGui.QAccessible.queryAccessibleInterface(widget)
    name = interface.text(QtGui.QAccessible.Text.Name) if interface is not None else ""
    return name or widget.accessibleName()  # a tab bar answers with the name of its tab


def name_controls(root: QWidget) -> None:
    """Give each control below `root` that has no name the first line of its tool tip, the text it
    shows while it is empty, or the title of its panel."""
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or widget.accessibleName() or spoken_name(widget):
            continue
        tip = widget.toolTip().partition("\n")[0]
        if isinstance(widget, QtWidgets.QLineEdit):
            tip = tip or widget.placeholderText()
        if isinstance(widget, QtWidgets.QAbstractItemView):
            tip = tip or _title_around(widget)
        widget.setAccessibleName(tip.rstrip("."))


def _title_around(widget: QWidget) -> str:
    """Of the dock it is in; empty where it is in none."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QtWidgets.QDockWidget):
        around = around.parentWidget()
    return around.windowTitle() if around is not None else ""
