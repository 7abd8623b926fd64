"""The parameters of the call under way, above its line."""

from __future__ import annotations

from html import escape

from shaderlab.app.qt import QPoint, Qt, QtWidgets, QWidget
from shaderlab.language.signatures import Signature, parameter_range

_FORMS = 4
"""Shown at most."""


class ParameterHint(QtWidgets.QLabel):
    """Shown without taking the keyboard."""

    def __init__(self, owner: QWidget):
        super().__init__(owner, Qt.WindowType.ToolTip)
        self.setProperty("role", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setContentsMargins(8, 4, 8, 4)

    def offer(self, signature: Signature, below: QPoint, line_height: int) -> None:
        """Show the forms that take this many arguments, the argument under way in bold."""
        argument = signature.argument
        fitting = [form for form in signature.forms if _reaches(form, argument)]
        lines = [_emphasised(form, argument) for form in (fitting or signature.forms)[:_FORMS]]
        if signature.summary:
            lines.append(escape(signature.summary))
        self.setText("<br>".join(lines))
        self.adjustSize()
        above = below.y() - line_height - self.height()
        top = above if above > self.screen().availableGeometry().top() else below.y()
        self.move(below.x(), top)
        self.show()


def _reaches(form: str, argument: int) -> bool:
    return parameter_range(form, argument) != (0, 0)


def _emphasised(form: str, argument: int) -> str:
    start, end = parameter_range(form, argument)
    return f"{escape(form[:start])}<b>{escape(form[start:end])}</b>{escape(form[end:])}"
