"""Commands about the document and what is written to disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.panels.samples.presenter import SamplesPresenter
from shaderlab.app.qt import QApplication, QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.examples_dialog import ExamplesDialog
from shaderlab.app.shell.export_dialog import ExportDialog
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.frontend.examples import examples


class FileCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        settings: Settings,
        notices: NotificationCentre,
        editor: Editor,
        documents: Documents,
        preview: Preview,
        samples: SamplesPresenter,
        recover: Callable[[], None],
    ):
        """`recover`: offers the unsaved texts of earlier runs."""
        self._window, self._session, self._settings = window, session, settings
        self._notices, self._editor, self._documents = notices, editor, documents
        self._preview = preview
        self.calls: Calls = {
            "file.new": documents.new,
            "file.open": documents.open_dialog,
            "file.open_capture": documents.open_capture_dialog,
            "file.examples": self._examples,
            "file.save": lambda: self._compile_saved(documents.save()),
            "file.save_as": lambda: self._compile_saved(documents.save_as()),
            "file.save_picture": self._save_picture,
            "file.copy_picture": self._copy_picture,
            "file.export_animation": self._export_animation,
            "file.export_samples": samples.review,
            "file.reload": documents.reload,
            "file.recover": recover,
            "file.close": lambda: documents.close_tab(documents.tabs.front),
            "file.next_tab": lambda: documents.show_tab(documents.tabs.beside(1)),
            "file.previous_tab": lambda: documents.show_tab(documents.tabs.beside(-1)),
            "file.documents": self._list_documents,
            "file.tabs": self._open_in_tabs,
            "file.quit": window.close,
        }

    def _examples(self) -> None:
        dialog = ExamplesDialog(examples(), self._window)
        dialog.chosen.connect(self._documents.open_example)
        dialog.open()

    def _list_documents(self) -> None:
        documents = self._documents
        tabs = tuple(documents.tabs.all)
        entries = [
            Entry(str(at), tab.document.name, str(tab.document.path or ""))
            for at, tab in enumerate(tabs)
        ]
        palette = CommandPalette(entries, "Go to an open document", self._window)

        def chosen(at: str) -> None:
            if tabs[int(at)] in documents.tabs.all:
                documents.show_tab(tabs[int(at)])
                self._editor.setFocus()

        palette.chosen.connect(chosen)
        palette.popup()

    def _open_in_tabs(self, in_tabs: bool) -> None:
        self._settings.open_in_tabs = in_tabs

    def _compile_saved(self, saved: bool) -> None:
        if saved and self._settings.compile_on_save:
            self._documents.compile()

    def _copy_picture(self) -> None:
        image = self._preview.picture.image
        if image is not None:
            QApplication.clipboard().setImage(image)
            self._notices.say("note", "Copied the picture")

    def _export_animation(self) -> None:
        stem = Path(self._documents.document.name).stem
        dialog = ExportDialog(
            self._session.exports, stem, self._preview.timeline.loop, self._window
        )
        dialog.open()

    def _save_picture(self) -> None:
        image = self._preview.picture.image
        if image is None:
            return
        start = Path.home() / f"{Path(self._documents.document.name).stem}.png"
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self._window, "Save the picture", str(start), "PNG pictures (*.png)"
        )
        if name and not image.save(name):
            self._notices.say("error", f"{Path(name).name} cannot be saved")
