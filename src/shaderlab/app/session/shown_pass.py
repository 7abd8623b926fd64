"""Which pass of a frame the preview shows: the last one, the edited one, or one by its name."""

from __future__ import annotations

from shaderlab.app.session.other_passes import OtherPasses
from shaderlab.projects.project import SHOWN_PASS

FINAL = "final"
"""The frame's final picture."""
EDITED = "edited"
"""Whichever pass is being edited."""
_NAMED = "pass:"


def named(name: str) -> str:
    """The choice of one pass, whatever is being edited."""
    return _NAMED + name


def shown_pass(choice: str, passes: OtherPasses) -> str:
    """Name of the pass to show; the last one's where the frame has none as chosen, empty where it
    has no passes."""
    if not passes.edited:
        return ""
    if choice == EDITED:
        return passes.edited
    name = choice.removeprefix(_NAMED)
    return name if choice.startswith(_NAMED) and name in passes.names else SHOWN_PASS
