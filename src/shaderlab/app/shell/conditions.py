"""Which conditions of commands hold at present."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.samples.presenter import SamplesPresenter
from shaderlab.app.session.session import Session
from shaderlab.app.shell.commands.table import When


def conditions(
    session: Session, editor: Editor, documents: Documents, samples: SamplesPresenter
) -> dict[When, bool]:
    """Every condition but ALWAYS."""
    device, info = session.on_device, session.device
    can_profile = info is not None and info.timestamps and session.program is not None
    return {
        When.DOCUMENT_IS_TEXT: not documents.document.spirv,
        When.CAN_UNDO: editor.can_undo,
        When.CAN_REDO: editor.can_redo,
        When.HAS_PROBLEMS: bool(session.diagnostics),
        When.CAN_PROFILE: can_profile and not device.profiles.running,
        When.PROFILING: device.profiles.running,
        When.CAN_RECORD: samples.can_record,
        When.HAS_PICTURE: device.pictures.has_picture,
        When.HAS_SAMPLES: bool(session.samples.listing.rows),
        When.HAS_VERTEX_TEXT: documents.vertex.has_text,
        When.HAS_PINNED: session.versions.baseline is not None,
    }
