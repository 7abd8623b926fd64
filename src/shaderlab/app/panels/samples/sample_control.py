"""Between the lane of samples and what shows it: the panel, the review, notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.panels.samples.review_dialog import ReviewDialog
from shaderlab.app.qt import QObject, QtWidgets
from shaderlab.app.widgets.notifications import Action
from shaderlab.errors import ShaderlabError

if TYPE_CHECKING:
    from shaderlab.app.shell.main_window import MainWindow
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.contribution import Exported
    from shaderlab.samples.review import Review

_STAGES = {"": "", "profile": "Measuring…", "keep": "Keeping the sample…"}


class SampleControl(QObject):
    """Keeps the panel in line with `Session.samples`, and does what its commands say."""

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self._lane = lane = window.session.samples
        self._panel = panel = window.samples_panel
        self.dialog: ReviewDialog | None = None
        lane.changed.connect(self.refresh)
        lane.recorded.connect(self._on_recorded)
        lane.failed.connect(self._on_failed)
        lane.reviewed.connect(self._on_reviewed)
        lane.exported.connect(self._on_exported)
        panel.shown.connect(lane.refresh)
        panel.licence_changed.connect(lambda licence: setattr(lane, "licence", licence))
        panel.removal_wanted.connect(self._remove)
        window.session.state_changed.connect(self._say_why_none)
        self._say_why_none()

    # -- commands ---------------------------------------------------------------------------

    def record(self) -> None:
        """Record the program in force; profiles it first where that is needed."""
        window = self._window
        name = Path(window.documents.document.name).stem
        self._lane.record(name, *window.profile_panel.plan)

    def review(self) -> None:
        """Open the review of what an export would hold."""
        window = self._window
        dialog = ReviewDialog(self._lane.listing, self._panel.chosen_ids, window)
        dialog.review_wanted.connect(self._lane.review)
        dialog.export_wanted.connect(self._export)
        dialog.finished.connect(lambda _: setattr(self, "dialog", None))
        self.dialog = dialog
        dialog.open()
        dialog.ask()

    # -- what is shown ----------------------------------------------------------------------

    def refresh(self) -> None:
        """Put the panel and the commands in line with the lane."""
        lane, panel = self._lane, self._panel
        panel.show_listing(lane.listing)
        panel.show_state(_STAGES[lane.stage])
        self._window.actions_["file.export_samples"].setEnabled(bool(lane.listing.rows))
        self._say_why_none()

    def can_record(self) -> bool:
        """Whether a click would record something now."""
        session = self._window.session
        info = session.device
        able = info is not None and info.timestamps and session.program is not None
        return able and not session.on_device.profiling and not self._lane.stage

    def _say_why_none(self) -> None:
        window, empty = self._window, self._panel.empty
        info, lane = window.session.device, self._lane
        if lane.listing_error is not None:
            empty.say(
                "error", str(lane.listing_error), f"The store is {lane.path}.", "Look again",
                lane.refresh, "error",
            )  # fmt: skip
        elif info is not None and not info.timestamps:
            hint = f"{info.name} cannot write timestamps. Choose another in the Run menu."
            empty.say("device", "Nothing can be timed on this device", hint, role="warning")
        else:
            key = window.actions_["run.record"].shortcut().toString()
            empty.say(
                "record", "No samples yet",
                f"Record ({key}) times the shader on this device and keeps its figures here, "
                "on this machine. What an export would hold is shown before it is written.",
            )  # fmt: skip

    # -- what happens -----------------------------------------------------------------------

    def _on_recorded(self, name: str) -> None:
        self._window.notices.say("note", f"Recorded {name}; its figures are kept on this machine")

    def _on_failed(self, error: ShaderlabError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(str(error))
        self._window.notices.say("error", f"{error}. {error.remedy}".rstrip(". ") + ".")

    def _on_reviewed(self, choice: Choice, review: Review) -> None:
        if self.dialog is not None:
            self.dialog.show_review(choice, review)

    def _remove(self, ids: list[str]) -> None:
        kinds = QtWidgets.QMessageBox.StandardButton
        box = QtWidgets.QMessageBox(self._window)
        box.setWindowTitle("Remove samples")
        count = "this sample" if len(ids) == 1 else f"these {len(ids)} samples"
        box.setText(f"Remove {count} from this machine? They cannot be brought back.")
        box.setStandardButtons(kinds.Cancel)
        remove = box.addButton("Remove", QtWidgets.QMessageBox.ButtonRole.DestructiveRole)
        remove.clicked.connect(lambda: self._lane.forget(ids))
        box.open()

    def _export(self, choice: Choice, licence: str) -> None:
        start = str(Path.home() / "shaderlab-samples.parquet")
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self.dialog, "Export the samples", start, "Parquet data sets (*.parquet)"
        )
        if name:
            self._lane.export(Path(name), choice, licence)

    def _on_exported(self, exported: Exported) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        folder = exported.data.parent
        self._window.notices.say(
            "note",
            f"{exported.rows} samples ({exported.sources} with source) are in "
            f"{exported.data.name}, described in {exported.card.name}",
            Action("Copy the folder", lambda: _copy(str(folder))),
        )


def _copy(text: str) -> None:
    QtWidgets.QApplication.clipboard().setText(text)
