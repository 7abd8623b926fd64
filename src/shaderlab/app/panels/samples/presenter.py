"""Samples recorded on this machine: their panel, the review before an export, notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.documents.documents import Documents
from shaderlab.app.panels.samples.panel import SamplesPanel
from shaderlab.app.panels.samples.review_dialog import ReviewDialog
from shaderlab.app.qt import QAction, QObject, QtWidgets
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.errors import ShaderlabError

if TYPE_CHECKING:
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.contribution import Exported
    from shaderlab.samples.review import Review
    from shaderlab.samples.statistics import DeviceStatistics

_STAGES = {"": "", "profile": "Measuring…", "keep": "Saving the sample…"}


class SamplesPresenter(QObject):
    """Keeps the panel up to date with the samples stored here, and handles its commands."""

    def __init__(
        self,
        session: Session,
        panel: SamplesPanel,
        settings: Settings,
        documents: Documents,
        notices: NotificationCentre,
        command: QAction,
    ):
        """`command` records: the panel names its shortcut while it is empty."""
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._documents, self._notices, self._command = documents, notices, command
        self._jobs = jobs = session.samples
        self.dialog: ReviewDialog | None = None
        seen = WhenSeen(panel)
        jobs.changed.connect(seen(self.refresh))
        jobs.recorded.connect(self._on_recorded)
        jobs.failed.connect(self._on_failed)
        jobs.reviewed.connect(self._on_reviewed)
        jobs.exported.connect(self._on_exported)
        jobs.described.connect(self._on_described)
        panel.statistics.wanted.connect(self._describe)
        panel.shown.connect(jobs.refresh)
        panel.licence_changed.connect(lambda licence: setattr(jobs, "licence", licence))
        panel.removal_wanted.connect(self._remove)
        session.state_changed.connect(seen(self._say_why_none))
        self._say_why_none()

    # -- commands ---------------------------------------------------------------------------

    def record(self) -> None:
        """Record the current program; profile it first if needed."""
        name = Path(self._documents.document.name).stem
        self._jobs.record(name, self._settings.trials, self._settings.draws)

    def review(self) -> None:
        """Open the review of what an export would hold."""
        dialog = ReviewDialog(self._jobs.listing, self._panel.chosen_ids, self._panel.window())
        dialog.review_wanted.connect(self._jobs.review)
        dialog.export_wanted.connect(self._export)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()
        dialog.ask()

    # -- what is shown ----------------------------------------------------------------------

    def refresh(self) -> None:
        """Update the panel from the store."""
        jobs, panel = self._jobs, self._panel
        panel.show_listing(jobs.listing)
        panel.show_state(_STAGES[jobs.stage])
        self._say_why_none()

    @property
    def can_record(self) -> bool:
        """Whether a click would record something now."""
        session = self._session
        info = session.device
        able = info is not None and info.timestamps and session.program is not None
        return able and not session.on_device.profiles.running and not self._jobs.stage

    def _say_why_none(self) -> None:
        empty, info, jobs = self._panel.empty, self._session.device, self._jobs
        if jobs.listing_error is not None:
            empty.say(
                "error", str(jobs.listing_error), f"The store is {jobs.path}.", "Look again",
                jobs.refresh, "error",
            )  # fmt: skip
        elif info is not None and not info.timestamps:
            hint = f"{info.name} has no timestamp queries. Choose another device in the Run menu."
            empty.say("device", "This device cannot time shaders", hint, role="warning")
        else:
            key = self._command.shortcut().toString()
            empty.say(
                "record", "No samples yet",
                f"Record ({key}) times the shader on this device and keeps the sample on this "
                "machine. You see exactly what an export contains before it is written.",
            )  # fmt: skip

    # -- what happens -----------------------------------------------------------------------

    def _describe(self, path: Path | None) -> None:
        import_beside("shaderlab.app.panels.samples.decades_chart")
        self._jobs.describe(path)

    def _on_described(
        self, path: Path | None, found: tuple[DeviceStatistics, ...] | ShaderlabError
    ) -> None:
        view = self._panel.statistics
        if isinstance(found, ShaderlabError):
            view.show_error(str(found))
        else:
            view.show_statistics(path.name if path else "this machine", found)

    def _on_closed(self) -> None:
        self.dialog = None

    def _on_recorded(self, name: str) -> None:
        self._notices.say("note", f"Recorded {name}; the sample stays on this machine")

    def _on_failed(self, error: ShaderlabError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(str(error))
        self._notices.say("error", f"{error}. {error.remedy}".rstrip(". ") + ".")

    def _on_reviewed(self, choice: Choice, review: Review) -> None:
        if self.dialog is not None:
            self.dialog.show_review(choice, review)

    def _remove(self, ids: list[str]) -> None:
        kinds = QtWidgets.QMessageBox.StandardButton
        box = QtWidgets.QMessageBox(self._panel.window())
        box.setWindowTitle("Remove samples")
        count = "this sample" if len(ids) == 1 else f"these {len(ids)} samples"
        box.setText(f"Remove {count} from this machine? This cannot be undone.")
        box.setStandardButtons(kinds.Cancel)
        remove = box.addButton("Remove", QtWidgets.QMessageBox.ButtonRole.DestructiveRole)
        remove.clicked.connect(lambda: self._jobs.forget(ids))
        box.open()

    def _export(self, choice: Choice, licence: str) -> None:
        start = str(Path.home() / "shaderlab-samples.parquet")
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self.dialog, "Export the samples", start, "Parquet data sets (*.parquet)"
        )
        if name:
            self._jobs.export(Path(name), choice, licence)

    def _on_exported(self, exported: Exported) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        folder = exported.data.parent
        sources = f"{exported.sources} with source"
        if exported.unverified:
            sources += f", {len(exported.unverified)} of them unverified"
        self._notices.say(
            "note",
            f"{exported.rows} samples ({sources}) are in "
            f"{exported.data.name}, described in {exported.card.name}",
            Action("Copy the folder's path", lambda: _copy(str(folder))),
        )


def _copy(text: str) -> None:
    QtWidgets.QApplication.clipboard().setText(text)
