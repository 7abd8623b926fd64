"""A list of texts in two columns, in a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.qt import Qt, QtWidgets, QWidget


def show_table(title: str, rows: Sequence[tuple[str, str]], parent: QWidget) -> None:
    """Open the dialog, which deletes itself when it is closed."""
    dialog = QtWidgets.QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    table = QtWidgets.QTreeWidget()
    table.setHeaderHidden(True)
    table.setRootIsDecorated(False)
    table.setColumnCount(2)
    for row in rows:
        table.addTopLevelItem(QtWidgets.QTreeWidgetItem(list(row)))
    table.resizeColumnToContents(0)
    close = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
    close.rejected.connect(dialog.reject)
    layout = QtWidgets.QVBoxLayout(dialog)
    layout.addWidget(table)
    layout.addWidget(close)
    dialog.resize(520, 520)
    dialog.open()
