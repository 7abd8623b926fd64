"""Colours of the text: C's lexer with the words of GLSL or HLSL."""

from __future__ import annotations

from shaderlab.app.editor.bindings import QColor, QFont, Qsci
from shaderlab.app.widgets.theme import Theme
from shaderlab.language.builtins import builtins
from shaderlab.language.syntax import Language


class ShaderLexer(Qsci.QsciLexerCPP):
    """Reads GLSL unless `read_as` names another language."""

    def __init__(self, parent):
        super().__init__(parent)
        self._words = _words(Language.GLSL)
        self.setFoldComments(False)
        self.setFoldPreprocessor(True)

    def read_as(self, language: Language) -> None:
        """Colour the words of this language from now on."""
        self._words = _words(language)
        editor = self.editor()
        if editor is not None:
            editor.setLexer(self)

    def language(self) -> str:
        return "shader"

    def keywords(self, set: int) -> str:
        return self._words.get(set, "")

    def use(self, theme: Theme, font: QFont) -> None:
        """Paint in these colours and this font."""
        cpp = Qsci.QsciLexerCPP
        inks = {
            cpp.Keyword: theme.keyword,
            cpp.KeywordSet2: theme.type,
            cpp.GlobalClass: theme.builtin,
            cpp.Number: theme.number,
            cpp.Comment: theme.comment,
            cpp.CommentLine: theme.comment,
            cpp.CommentDoc: theme.comment,
            cpp.CommentLineDoc: theme.comment,
            cpp.PreProcessor: theme.preprocessor,
            cpp.DoubleQuotedString: theme.number,
        }
        self.setDefaultPaper(QColor(theme.base))
        self.setDefaultColor(QColor(theme.text))
        self.setDefaultFont(font)
        for style in range(128):
            active = style & ~64
            ink = inks.get(active, theme.text)
            self.setColor(QColor(theme.comment if style & 64 else ink), style)
            self.setPaper(QColor(theme.base), style)
            self.setFont(font, style)


def _words(language: Language) -> dict[int, str]:
    """By the lexer's number of the set: keywords, types, built-in names."""
    table = builtins(language)
    named = table.functions.keys() | table.methods.keys() | table.variables.keys() | {"mainImage"}
    return {1: " ".join(table.keywords), 2: " ".join(table.types), 4: " ".join(named)}
