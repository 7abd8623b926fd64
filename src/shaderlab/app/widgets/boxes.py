"""Parts that panels share in their layouts."""

from __future__ import annotations

from collections.abc import Mapping

from shaderlab.app.qt import Qt, QtWidgets, QWidget


def vertical(of: QWidget, *parts: QWidget, largest: QWidget | None = None) -> QtWidgets.QVBoxLayout:
    """The parts from top to bottom of the widget without gaps; `largest` takes what is left."""
    layout = QtWidgets.QVBoxLayout(of)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for part in parts:
        layout.addWidget(part, int(part is largest))
    return layout


def pages(*parts: QWidget) -> QtWidgets.QStackedWidget:
    """One of the parts at a time, the first to begin with."""
    made = QtWidgets.QStackedWidget()
    for part in parts:
        made.addWidget(part)
    return made


def offer(box: QtWidgets.QComboBox, names: Mapping[str, str], chosen: str) -> None:
    """Have the box offer these names, in their order, each for its key; one is chosen."""
    if {box.itemData(n): box.itemText(n) for n in range(box.count())} != names:
        box.clear()
        for key, name in sorted(names.items(), key=lambda item: item[1]):
            box.addItem(name, key)
    box.setCurrentIndex(box.findData(chosen))


def add_beside(form: QtWidgets.QFormLayout, text: str, field: QWidget, button: QWidget) -> None:
    """A row of the form with a button behind its field; `&` in the text leads to the field."""
    label = QtWidgets.QLabel(text)
    label.setBuddy(field)
    row = QtWidgets.QHBoxLayout()
    row.addWidget(field, 1)
    row.addWidget(button)
    form.addRow(label, row)


def centre_labels(form: QtWidgets.QFormLayout) -> None:
    """Have labels stand at the middle of their fields; Qt puts them a few pixels higher."""
    roles = QtWidgets.QFormLayout.ItemRole
    for row in range(form.rowCount()):
        label, field = form.itemAt(row, roles.LabelRole), form.itemAt(row, roles.FieldRole)
        if label is not None and field is not None and (text := label.widget()) is not None:
            text.setMinimumHeight(field.sizeHint().height())


def input_dialog(window: QWidget, title: str, label: str) -> QtWidgets.QInputDialog:
    """One that is opened, not run: everything else goes on while it waits for an answer."""
    made = QtWidgets.QInputDialog(window)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    made.setWindowTitle(title)
    made.setLabelText(label)
    return made
