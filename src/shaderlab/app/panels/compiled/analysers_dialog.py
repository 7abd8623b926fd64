"""Paths of Arm's and AMD's own shader analysers, which are optional and never bundled."""

from __future__ import annotations

from shaderlab.app.qt import QtWidgets, QWidget, Signal
from shaderlab.app.settings import Settings
from shaderlab.errors import MissingTool
from shaderlab.frontend import analysers

_TOOLS = (
    ("malioc", "Arm: malioc", "Mali Offline Compiler, part of Arm Performance Studio"),
    ("rga", "AMD: rga", "Command-line Radeon GPU Analyzer"),
)


class AnalysersDialog(QtWidgets.QDialog):
    """Changes the settings it was given when it is accepted; a path that is no program keeps it
    from being accepted."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("External analysers")
        self._settings = settings
        self._paths: dict[str, QtWidgets.QLineEdit] = {}
        self._states: dict[str, QtWidgets.QLabel] = {}
        form = QtWidgets.QFormLayout()
        for name, label, tip in _TOOLS:
            form.addRow(label, self._path_row(name, tip))
            self._states[name] = QtWidgets.QLabel()
            self._states[name].setProperty("role", "dim")
            form.addRow("", self._states[name])
        self._core = QtWidgets.QLineEdit(settings.malioc_core)
        self._core.setPlaceholderText("malioc\u2019s default")
        self._core.setToolTip("GPU for malioc, e.g. Mali-G78; `malioc --list` lists them")
        form.addRow("Mali GPU", self._core)
        hint = QtWidgets.QLabel(
            "Their results appear below the statistics in the GPU compilers panel. The parsers "
            "follow the tools' documentation and have not been tested with the tools themselves."
        )
        hint.setWordWrap(True)
        hint.setProperty("role", "dim")
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self._buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(hint)
        layout.addWidget(self._buttons)
        self.setMinimumWidth(560)
        for name, edit in self._paths.items():
            edit.setText(getattr(settings, f"{name}_path"))
        self._look()

    def state(self, name: str) -> str:
        """What is shown for a tool: where it is, or why it is not used."""
        return self._states[name].text()

    def set_path(self, name: str, path: str) -> None:
        self._paths[name].setText(path)

    def set_core(self, core: str) -> None:
        self._core.setText(core)

    @property
    def usable(self) -> bool:
        """Whether it can be accepted."""
        return self._buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok).isEnabled()

    def accept(self) -> None:
        for name, edit in self._paths.items():
            setattr(self._settings, f"{name}_path", edit.text().strip())
        self._settings.malioc_core = self._core.text().strip()
        self.changed.emit()
        super().accept()

    def _path_row(self, name: str, tip: str) -> QWidget:
        edit = QtWidgets.QLineEdit()
        edit.setPlaceholderText(f"{name} on PATH, if installed")
        edit.setToolTip(tip)
        edit.setClearButtonEnabled(True)
        edit.textChanged.connect(self._look)
        self._paths[name] = edit
        browse = QtWidgets.QPushButton("Browse\u2026")
        browse.setAutoDefault(False)
        browse.clicked.connect(lambda: self._browse(name))
        row = QWidget()
        layout = QtWidgets.QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(edit, 1)
        layout.addWidget(browse)
        return row

    def _browse(self, name: str) -> None:
        path, _ = QtWidgets.QFileDialog.getOpenFileName(self, f"Where {name} is")
        if path:
            self.set_path(name, path)

    def _look(self) -> None:
        """Show what each path is; only the file system is asked, nothing is run."""
        usable = True
        for name, edit in self._paths.items():
            wanted = edit.text().strip()
            try:
                path = analysers.found({name: wanted}, (name,)).get(name)
            except MissingTool:
                self._states[name].setText("Not an executable program")
                usable = False
                continue
            text = "Found" if wanted else f"Found: {path}"
            self._states[name].setText(text if path else "Not found on PATH")
        self._buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok).setEnabled(usable)
