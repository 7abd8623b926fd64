"""What the user is asked before text would be lost."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.qt import QtWidgets, QWidget

_Buttons = QtWidgets.QMessageBox.StandardButton


def may_leave(window: QWidget, what: str, save: Callable[[], bool]) -> bool:
    """Ask about unsaved changes, and save them where that is wanted; False to stay."""
    answer = QtWidgets.QMessageBox.question(
        window,
        "Unsaved changes",
        what,
        _Buttons.Save | _Buttons.Discard | _Buttons.Cancel,
        _Buttons.Save,
    )
    return save() if answer == _Buttons.Save else answer == _Buttons.Discard


def may_reload(window: QWidget, name: str) -> bool:
    """Ask before unsaved changes are replaced by what the file has."""
    answer = QtWidgets.QMessageBox.question(
        window,
        "Reload",
        f"Reload {name} from disk and lose the changes made here?",
        _Buttons.Discard | _Buttons.Cancel,
        _Buttons.Cancel,
    )
    return answer == _Buttons.Discard


def may_overwrite(window: QWidget, name: str) -> bool:
    """Ask before a file is written over that changed since it was read."""
    answer = QtWidgets.QMessageBox.question(
        window,
        "Changed on disk",
        f"{name} was changed outside shaderlab since it was opened. Overwrite it?",
        _Buttons.Save | _Buttons.Cancel,
        _Buttons.Cancel,
    )
    return answer == _Buttons.Save
