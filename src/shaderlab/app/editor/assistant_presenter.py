"""What the session knows that the assistant asks for: language, includes, values of inputs."""

from __future__ import annotations

from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.frontend.program import Dialect, Program
from shaderlab.language.describing import about_name
from shaderlab.language.syntax import Language, Place
from shaderlab.scene.defaults import shown_value

_LIKE_HLSL = (Dialect.HLSL, Dialect.SLANG)


def language_of(program: Program) -> Language:
    """What the program's text is coloured and completed as."""
    return Language.HLSL if program.dialect in _LIKE_HLSL else Language.GLSL


class AssistantPresenter(QObject):
    """Connects the session to the assistant, and that to the editor's tips."""

    def __init__(self, session: Session, editor: Editor, assistant: Assistant):
        super().__init__(editor)
        self._session, self._editor, self._assistant = session, editor, assistant
        self._language = Language.GLSL
        session.program_changed.connect(self._on_program)
        editor.about_name = self._about

    def _on_program(self) -> None:
        program = self._session.program
        if program is None:
            return
        language = language_of(program)
        if language is not self._language:
            self._language = language
            self._assistant.read_as(language)
            self._editor.read_as(language)
        self._assistant.look_into(program.includes)

    def _about(self, line: int, column: int) -> str:
        if not self._assistant.may_look:
            return ""
        known = self._assistant
        return about_name(known.syntax, Place(line, column), self._value_of, known.included)

    def _value_of(self, name: str) -> str:
        """What the input of this name holds in the canonical run; empty where there is none."""
        for each in self._session.drawing.listed():
            if name in (each.name, each.name.rpartition(".")[2]):
                return shown_value(each)
        return ""
