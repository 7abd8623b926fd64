"""Review before export: what leaves the machine, field by field, and sources in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.panels.samples.panel import count
from shaderlab.app.qt import QFontDatabase, Qt, QtWidgets, QWidget, Signal
from shaderlab.samples.choice import FIGURES_LICENCE, LICENCES, Choice

if TYPE_CHECKING:
    from shaderlab.samples.review import Review
    from shaderlab.workers.samples import Listing

ALL = "All devices"


class ReviewDialog(QtWidgets.QDialog):
    """Asks for reviews as choices change, and for the export when it is agreed to."""

    review_wanted = Signal(object)
    """A `Choice`."""
    export_wanted = Signal(object, str)
    """A `Choice`, and the SPDX licence of the figures."""

    def __init__(self, listing: Listing, chosen_ids: list[str], parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("Review and export samples")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._ids = chosen_ids
        slugs = sorted({sample.slug for sample in listing.recorded})
        self._scope = QtWidgets.QComboBox()
        if chosen_ids:
            self._scope.addItem(f"Only {count(len(chosen_ids), 'chosen sample')}", "")
        self._scope.addItem(ALL, None)
        for slug in slugs:
            self._scope.addItem(f"Only {slug}", slug)
        self._figures = QtWidgets.QComboBox()
        self._figures.setEditable(True)
        self._figures.addItems(LICENCES)
        self._figures.setCurrentText(FIGURES_LICENCE)
        self._figures.setToolTip("SPDX licence of the figures, named in the data set's card")
        self._sources = QtWidgets.QCheckBox("Include sources that were kept under a licence")
        self._sources.setChecked(False)
        self._summary = QtWidgets.QLabel("Reading the samples…")
        self._summary.setWordWrap(True)
        self._note = QtWidgets.QLabel(
            "Shader names and recording times stay on this machine, "
            "as does everything else not listed here."
        )
        self._note.setProperty("role", "dim")
        self._note.setWordWrap(True)
        self.fields = QtWidgets.QTreeWidget()
        self.fields.setRootIsDecorated(False)
        self.fields.setUniformRowHeights(True)
        self.fields.setHeaderLabels(("field", "value in the file", "meaning"))
        self.texts = QtWidgets.QPlainTextEdit()
        self.texts.setReadOnly(True)
        self.texts.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._tabs = QtWidgets.QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self.fields, "Fields")
        self._tabs.addTab(self.texts, "Sources")
        form = QtWidgets.QFormLayout()
        form.addRow("Samples", self._scope)
        form.addRow("Licence of the figures", self._figures)
        form.addRow("", self._sources)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self._buttons = QtWidgets.QDialogButtonBox(kinds.Cancel)
        self.export_button = self._buttons.addButton(
            "Export…", QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.export_button.setEnabled(False)
        self._buttons.rejected.connect(self.reject)
        self._buttons.accepted.connect(self._agree)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self._summary)
        layout.addWidget(self._tabs, 1)
        layout.addWidget(self._note)
        layout.addWidget(self._buttons)
        self.resize(860, 600)
        self._scope.currentIndexChanged.connect(self.ask)
        self._sources.toggled.connect(self.ask)

    @property
    def choice(self) -> Choice:
        scope = self._scope.currentData()
        chosen = scope == "" and bool(self._ids)
        return Choice(
            device=scope or None,
            ids=frozenset(self._ids) if chosen else None,
            sources=self._sources.isChecked(),
        )

    def ask(self) -> None:
        """Have the present choice reviewed; until that is there, nothing can be exported."""
        self.export_button.setEnabled(False)
        self._summary.setText("Reading the samples…")
        self.review_wanted.emit(self.choice)

    def include_sources(self, include: bool) -> None:
        """Tick the box, as a user would."""
        self._sources.setChecked(include)

    def show_review(self, choice: Choice, review: Review) -> None:
        """Show what an export of `choice` would hold, if that is still the choice."""
        if choice != self.choice:
            return
        self.fields.clear()
        for field in review.fields:
            meaning = field.meaning.replace("`", "")  # Markdown for the documents
            item = QtWidgets.QTreeWidgetItem([field.path, field.holds, meaning])
            for column, text in enumerate((field.path, field.holds, meaning)):
                item.setToolTip(column, text)
            self.fields.addTopLevelItem(item)
        self.fields.setColumnWidth(0, 210)
        self.fields.setColumnWidth(1, 330)
        self.texts.setPlainText(
            "\n\n".join(
                f"// program {s.program[:12]}, {s.license}\n{s.text}" for s in review.sources
            )
        )
        self._tabs.setTabText(1, f"Sources ({len(review.sources)})")
        several = len(review.devices) > 1
        devices = ", ".join(f"{d} ({n})" if several else d for d, n in review.devices.items())
        sources = count(len(review.sources), "source text") if review.sources else "no source text"
        self._summary.setText(
            f"{count(review.samples, 'sample')} of {count(review.programs, 'program')} "
            f"on {devices}, with {sources}."
        )
        self.export_button.setEnabled(True)

    def show_error(self, text: str) -> None:
        """Say why there is no review, or why what is reviewed here was not written."""
        if not self.export_button.isEnabled():
            self.fields.clear()
        self._summary.setText(text)

    @property
    def summary(self) -> str:
        return self._summary.text()

    def _agree(self) -> None:
        self.export_wanted.emit(self.choice, self._figures.currentText().strip())
