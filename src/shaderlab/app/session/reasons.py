"""Why a result is missing, in words: what a pane shows in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shaderlab.errors import ShaderlabError, ShaderTimeout

if TYPE_CHECKING:
    from shaderlab.app.session.session import Session

FIX_FIRST = "Fix the problems listed below the editor; results update automatically."


class Reason(NamedTuple):
    """`role` is the theme colour of the pane's icon: dim, error or warning."""

    title: str
    hint: str = ""
    role: str = "dim"


def outdated_counts(session: Session) -> str:
    """What counts say of themselves where they are not of the text and inputs as they stand;
    empty where they are."""
    if session.progress.counts_are_current or session.trace is None:
        return ""
    return _outdated(session)


def outdated_forecasts(session: Session) -> str:
    """The same of forecasts."""
    if session.untraced.forecasts:
        return "" if session.compiling.follows else _outdated(session)
    if not session.forecasts:
        return ""
    if not session.progress.forecasts_are_current:
        return _outdated(session)
    if session.frame.forecasts and session.frame.outdated:
        return f"previous version of {', '.join(session.frame.outdated)}, counting…"
    return ""


def _outdated(session: Session) -> str:
    if not (session.compiling.compiles and session.vertex.compiles):
        return "last version that compiled"
    return "previous version" if session.compiling.left_behind else "previous version, counting…"


def never_compiled(session: Session) -> bool:
    """Whether no version of the document compiled so far, the present one included."""
    return session.program is None and not session.compiling.compiles


def no_counts(session: Session) -> Reason:
    """Why there is no trace."""
    device = session.on_device
    error = device.counts.error or device.pictures.error
    if never_compiled(session):
        return Reason("No counts yet", FIX_FIRST, "error")
    if error is not None:
        return Reason(str(error), advice(error), "warning")
    if session.device is None:
        return Reason(
            "No counts yet", "Counting needs a Vulkan device; a software driver is enough."
        )
    return Reason("Counting…")


def no_forecasts(session: Session) -> Reason:
    """Why there are no forecasts."""
    if session.trace is not None:
        failed = session.forecast_error
        return Reason(str(failed), role="warning") if failed else Reason("Predicting…")
    counts = no_counts(session)
    if counts.title == "Counting…":
        return Reason("Predicting…")
    if never_compiled(session):
        return Reason("No predictions yet", FIX_FIRST, counts.role)
    failed = session.untraced.error
    hint = str(failed or "Predictions are based on this shader's execution counts.")
    return Reason("No predictions yet", hint, counts.role)


def advice(error: ShaderlabError) -> str:
    """What the user can do about an error of the device; empty if nothing is known."""
    if error.remedy or not isinstance(error, ShaderTimeout):
        return error.remedy
    return "Make the shader cheaper, or run it on a faster device."
