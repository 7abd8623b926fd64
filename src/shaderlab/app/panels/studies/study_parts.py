"""What every study's view is made of: a bar of controls, and a table of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shaderlab.app.qt import Qt, QtCore, QtWidgets, QWidget
from shaderlab.app.widgets.flow_layout import FlowLayout


def controls_bar(controls: Iterable[QWidget]) -> QWidget:
    """The controls in a row, which wraps in a narrow panel."""
    bar = QWidget()
    bar.setProperty("role", "content")
    bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    row = FlowLayout()
    for each in controls:
        row.addWidget(each)
    column = QtWidgets.QVBoxLayout(bar)
    column.setContentsMargins(10, 8, 10, 8)
    column.addLayout(row)
    return bar


def results_table(model: QtCore.QAbstractItemModel) -> QtWidgets.QTableView:
    """Whole rows, as wide as what they hold."""
    table = QtWidgets.QTableView()
    table.setModel(model)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionResizeMode(QtWidgets.QHeaderView.ResizeMode.ResizeToContents)
    return table


def summary_label() -> QtWidgets.QLabel:
    """A dim line or more below a result."""
    label = QtWidgets.QLabel()
    label.setProperty("role", "dim")
    label.setWordWrap(True)
    label.setContentsMargins(10, 5, 10, 5)
    return label


def offer_targets(box: QtWidgets.QComboBox, names: Mapping[str, str], chosen: str) -> None:
    """Targets by slug with the name to show; what was chosen stays, else it is `chosen`."""
    if [box.itemData(place) for place in range(box.count())] == list(names):
        return
    former = box.currentData() or chosen
    box.blockSignals(True)
    box.clear()
    for slug, name in names.items():
        box.addItem(name, slug)
    box.setCurrentIndex(max(box.findData(former), 0))
    box.blockSignals(False)
