"""Completion and parameter hints as one types."""

from __future__ import annotations

from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.completion_popup import ACCEPT, STEPS, CompletionPopup
from shaderlab.app.editor.parameter_hint import ParameterHint
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QEvent, QObject, Qt, QTimer
from shaderlab.language.completion import word_before

_LETTERS = 2
"""Of a name, before completions come by themselves."""


class Completing(QObject):
    """Opens and drives the list of completions and the hint of a call's parameters."""

    def __init__(self, editor: Editor, assistant: Assistant):
        super().__init__(editor)
        self._editor, self._assistant = editor, assistant
        self.popup = CompletionPopup(editor)
        self.hint = ParameterHint(editor)
        # After the key press was painted.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._refresh)
        self._moved = QTimer(self, singleShot=True, interval=0)
        self._moved.timeout.connect(self._follow)
        editor.character_typed.connect(self._on_character)
        editor.cursor_moved.connect(lambda *_: self._moved.start())
        editor.watch_keys(self)
        self.popup.table.itemClicked.connect(lambda *_: self.accept())

    def complete(self) -> None:
        """List what fits at the caret, however little was typed."""
        self._open(self._assistant.completions())

    def show_parameters(self) -> None:
        """Show the parameters of the call the caret stands in."""
        found = self._assistant.signature()
        if found is None:
            self.hint.hide()
        else:
            self.hint.offer(found, self._editor.caret_on_screen(), self._editor.line_height)

    def accept(self) -> None:
        """Put the chosen completion in place of the word under way."""
        chosen = self.popup.chosen
        self.close()
        if chosen is not None:
            self._editor.replace_before_caret(len(self._word), chosen.name)

    def close(self) -> None:
        self.popup.hide()
        self._later.stop()

    def eventFilter(self, watched, event) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel):
            self.close()
            self.hint.hide()
        elif kind in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return self._on_key(event, kind == QEvent.Type.KeyPress)
        return super().eventFilter(watched, event)

    def _on_key(self, event, pressed: bool) -> bool:
        key = event.key()
        shown = self.popup if self.popup.isVisible() else None
        if key == Qt.Key.Key_Escape and (shown or self.hint.isVisible()):
            if pressed:
                self.close()
                self.hint.hide()
        elif shown and key in STEPS and not event.modifiers():
            if pressed:
                shown.step(STEPS[key])
        elif shown and key in ACCEPT and not event.modifiers():
            if pressed:
                self.accept()
        else:
            return False
        event.accept()
        return True

    def _on_character(self, character: str) -> None:
        if character in "(,":
            if self._assistant.may_look:
                self.show_parameters()
        elif character in ");":
            self._moved.start()
        if character == "." or character.isalnum() or character == "_":
            self._later.start()
        else:
            self.close()

    def _refresh(self) -> None:
        word = self._word
        if not (self._assistant.may_look or self.popup.isVisible()):
            return
        if self.popup.isVisible() or self._is_behind_dot or len(word) >= _LETTERS:
            self._open(self._assistant.completions() if word or self._is_behind_dot else [])

    def _open(self, found) -> None:
        if not found or self._editor.read_only:
            self.close()
            return
        place = self._editor.caret_on_screen(-len(self._word))
        self.popup.offer(found, place, self._editor.line_height)

    def _follow(self) -> None:
        """The caret moved: what is shown must be of where it is."""
        if self.hint.isVisible():
            self.show_parameters()
        if self.popup.isVisible() and not self._later.isActive():
            self._refresh()

    @property
    def _word(self) -> str:
        """The name under way."""
        return word_before(self._editor.line_before_caret)

    @property
    def _is_behind_dot(self) -> bool:
        return self._editor.line_before_caret.removesuffix(self._word).endswith(".")
