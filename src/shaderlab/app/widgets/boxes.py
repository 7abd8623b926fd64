"""Parts that panels share in their layouts."""

from __future__ import annotations

from collections.abc import Mapping

from shaderlab.app.qt import QtWidgets, QWidget


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
