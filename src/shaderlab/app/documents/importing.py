"""A Shadertoy's export opened in the window: written as a project first."""

from __future__ import annotations

from pathlib import Path

from shaderlab.app.documents.text_file import Apart
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.errors import ShaderlabError
from shaderlab.projects import shadertoy_export, shadertoy_import
from shaderlab.projects.project import SUFFIX

_FILTER = "shaderlab projects (*.shaderlab.toml)"


def imported(path: Path, window: QWidget, notices: NotificationCentre, apart: Apart) -> Path | None:
    """Ask where the project is to be and write it there; None where that failed, which is said,
    or was given up."""
    try:
        apart(lambda: shadertoy_export.read(path))
    except ShaderlabError as error:
        notices.say("error", str(error))
        return None
    start = str(path.with_name(path.stem + SUFFIX))
    name, _ = QtWidgets.QFileDialog.getSaveFileName(
        window, "Write the imported project", start, _FILTER
    )
    if not name:
        return None
    target = Path(name)
    if target.suffix.lower() != ".toml":
        target = target.with_name(target.name + SUFFIX)
    try:
        found = apart(lambda: shadertoy_import.from_export(path, target))
    except ShaderlabError as error:
        notices.say("error", str(error))
        return None
    for note in found.notes:
        notices.say("note", note)
    return target
