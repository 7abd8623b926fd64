"""The open capture in its panel; a chosen draw's shader in the editor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.documents.documents import Documents
from shaderlab.app.panels.frame.panel import FramePanel
from shaderlab.app.panels.frame.rows import NO_CHANGE, draw_rows, frame_change, target_rows
from shaderlab.app.qt import QObject
from shaderlab.app.session.capture_jobs import CaptureJobs, ChosenDraw
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.phrases import SINCE_PIN
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.captures.frame import CapturedDraw, pass_numbers
from shaderlab.captures.shader_texts import Origin
from shaderlab.prediction.forecasts.time_changes import NOT_VALIDATED
from shaderlab.workers.frame_heat import FrameHeatKind

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast

_SOON_MS, _MANY_SOON_MS, _MANY = 120, 1500, 1500
"""Numbers that come within this time are shown together; of frames with so many draws, later."""


class FramePresenter(QObject):
    """Connects the session's capture to its panel, and draws to the editor."""

    def __init__(
        self,
        session: Session,
        panel: FramePanel,
        settings: Settings,
        documents: Documents,
        notices: NotificationCentre,
    ):
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._documents, self._notices = documents, notices
        self._soon = Throttle(_SOON_MS, self)
        seen = WhenSeen(panel)
        self._soon.passed.connect(seen(self._show))
        self._late = Throttle(_MANY_SOON_MS, self)
        self._late.passed.connect(seen(self._show))
        capture = session.capture
        capture.changed.connect(self._on_changed)
        capture.chosen_changed.connect(self._follow)
        capture.chosen_changed.connect(self._on_changed)
        capture.ready.connect(self._open_draw)
        capture.text_ready.connect(self._open_text)
        capture.failed.connect(lambda error: notices.say("error", str(error)))
        session.forecasts_changed.connect(self._on_changed)
        panel.draw_chosen.connect(self._choose)
        panel.target_chosen.connect(self._on_target)
        panel.stop_wanted.connect(capture.stop)
        panel.pin_wanted.connect(capture.pin)
        panel.heat_wanted.connect(self._on_changed)
        self._heat_of: object = None
        """Kind and version of the frame that a heat map was asked for last."""
        self._show_none()

    @property
    def _capture(self) -> CaptureJobs:
        return self._session.capture

    def _on_changed(self) -> None:
        if self._capture.path is None:
            return
        (self._late if len(self._capture.draws) > _MANY else self._soon).soon()

    def _show_none(self) -> None:
        self._panel.empty.say(
            "blocks",
            "No captured frame is open",
            "File > Open capture reads a frame that RenderDoc captured; Run > Capture a program "
            "captures one.",
        )
        self._panel.show_empty()

    def _show(self) -> None:
        capture, panel = self._capture, self._panel
        if capture.path is None:
            self._show_none()
            return
        if not capture.draws:
            self._show_opening()
            return
        found = {event: known for event in capture.draws if (known := capture.known(event))}
        edited = [event for event in capture.edited if capture.is_edited(event)]
        panel.show_frame(
            draw_rows(
                capture.draws.values(),
                found,
                edited,
                self._target,
                self._parts(capture.summed.forecasts),
                self._parts(capture.pinned),
            ),
            pass_numbers(capture.draws.values()),
        )
        panel.show_pictures(capture.shown_pictures)
        names = {slug: info.name for slug, info in self._session.targets.items()}
        rows = target_rows(capture.summed.forecasts, capture.summed.before, names, capture.pinned)
        panel.show_pin(is_pinned=bool(capture.pinned), can_pin=bool(capture.summed.forecasts))
        panel.show_targets(rows, {row.target: row.name for row in rows}, self._target)
        self._show_heat()
        running = (capture.reading or capture.counting) and not capture.is_stopped
        error = str(capture.error) if capture.error is not None else ""
        headline, about = self._headline()
        panel.say(
            headline, error or (about if capture.redrawing else self._progress() or about),
            running=running and not error, is_error=bool(error), is_stale=capture.redrawing,
        )  # fmt: skip

    def _parts(self, forecasts: Sequence[FrameForecast]) -> dict[int, Forecast]:
        """What draws take in a frame on the chosen target, by event."""
        now = self._of_target(forecasts)
        return {int(name): part for name, part in now.passes.items()} if now is not None else {}

    def _of_target(self, forecasts: Sequence[FrameForecast]) -> FrameForecast | None:
        return next((each for each in forecasts if each.target == self._target), None)

    @property
    def _target(self) -> str:
        """The chosen target; the frame's first where that one has no forecast, being removed."""
        slugs = [each.target for each in self._capture.summed.forecasts]
        chosen = self._settings.target
        return chosen if chosen in slugs or not slugs else slugs[0]

    def _show_heat(self) -> None:
        """Have the map made once all draws are counted, and only while somebody sees it."""
        capture, panel = self._capture, self._panel
        if not panel.shows_heat:
            return
        kind, chosen = panel.heat.kind, capture.chosen
        if capture.reading or capture.counting:
            panel.heat.show_heat(None, "shown when all draws are counted")
            return
        if not capture.has_device:
            panel.heat.show_heat(None, "no device, so nothing is counted")
            return
        event = None
        if kind is FrameHeatKind.DIFFERENCE:
            if chosen is None:
                panel.heat.show_heat(None, "choose a draw to compare its picture")
                return
            event = chosen.draw.event
        wanted = kind, event, capture.version
        if wanted != self._heat_of:
            self._heat_of = wanted
            capture.ask_heat(kind, event)
        if capture.heat_error is not None:
            panel.heat.show_heat(None, str(capture.heat_error))
            return
        panel.heat.show_heat(capture.heat, "counting…")

    def _show_opening(self) -> None:
        capture = self._capture
        assert capture.path is not None
        if capture.error is not None:
            self._panel.empty.say(
                "error", f"{capture.path.name} cannot be opened", str(capture.error), role="error"
            )
        elif capture.reading:
            self._panel.empty.say(
                "blocks", f"Opening {capture.path.name}", "RenderDoc replays the frame.",
                "Stop", capture.stop,
            )  # fmt: skip
        elif capture.is_stopped:
            self._panel.empty.say("note", f"Opening {capture.path.name} was stopped")
        else:
            self._panel.empty.say("note", f"{capture.path.name} has no draws")
        self._panel.show_empty()

    def _headline(self) -> tuple[str, str]:
        """`Frame: 647 µs, -3 % since pin`; its band, and which sum it is."""
        capture = self._capture
        now = self._of_target(capture.summed.forecasts)
        if now is None or now.least_s is None:
            return (capture.path.name if capture.path is not None else ""), ""
        text, details = f"Frame: {now.status.sign}{units.seconds(now.least_s)}", []
        if capture.redrawing:
            return text, "previous version, drawing the edit\u2026"
        if now.low_s is not None and now.high_s is not None:
            details.append(f"{units.seconds(now.low_s)} \u2013 {units.seconds(now.high_s)}")
        changes = [
            f"{change} {since}"
            for then, since in (
                (self._of_target(capture.pinned), SINCE_PIN),
                (self._of_target(capture.summed.before if capture.edited else ()),
                 "vs before the edits"),
            )
            if then is not None and (change := frame_change(now, then))
        ]  # fmt: skip
        text = ", ".join([text, *changes[:1]])
        details += changes[1:]
        if any(not each.startswith(NO_CHANGE) for each in changes):
            details.append(NOT_VALIDATED)
        count, total = len(now.passes), len(now.passes) + now.missing
        number = str(count) if count == total else f"{count} of {total}"
        details.append(f"sum of {number} {'draw' if total == 1 else 'draws'}")
        return text, " \u00b7 ".join(details)

    def _progress(self) -> str:
        """How far the frame is; empty once nothing more comes."""
        capture = self._capture
        total = len(capture.draws)
        can = sum(each.state is not None for each in capture.draws.values())
        if capture.reading:
            return f"{capture.read} of {total} read, {len(capture.found)} counted"
        if not capture.has_device:
            return f"{total} draws; no device, so nothing is counted"
        if capture.counting:
            counted = sum(capture.draws[event].state is not None for event in capture.found)
            return f"{counted} of {can} counted"
        replayed = sum(each.replayed is not None for each in capture.found.values())
        if capture.is_stopped:
            return f"Stopped: {replayed} of {total} draws replayed"
        return "" if replayed else self._why_none()

    def _why_none(self) -> str:
        """Why no draw is replayed: the most frequent reason."""
        why = Counter(each.reason for each in self._capture.draws.values() if each.reason)
        return f"No draw is replayed: {why.most_common(1)[0][0]}" if why else ""

    def _follow(self) -> None:
        chosen = self._capture.chosen
        self._panel.follow(chosen.draw.event if chosen is not None else -1)

    # -- what the user does -----------------------------------------------------------------

    def _choose(self, event: int) -> None:
        draw = self._capture.draws.get(event)
        if draw is None:
            return
        if draw.text is not None:
            self._capture.ask_text(event)
            return
        if draw.state is None or draw.shader is None:
            why = draw.reason or "it has not been read yet"
            self._notices.say("note", f"Draw {event} cannot be opened: {why}")
            self._follow()
            return
        self._capture.ask(event)

    def _open_draw(self, chosen: ChosenDraw) -> None:
        state = chosen.draw.state
        if state is None or not self._documents.open_draw(chosen.shader.path, state):
            self._follow()
            return
        self._capture.use(chosen)
        if chosen.shader.origin is Origin.ASSEMBLY:
            self._notices.say(
                "note",
                "This shader is shown as assembly and cannot be edited: it carries no source, and "
                "spirv-cross is missing or cannot decompile it (apt-get install spirv-cross)",
            )

    def _open_text(self, draw: CapturedDraw, path: Path) -> None:
        if self._documents.open(path):
            self._notices.say(
                "note",
                f"Draw {draw.event}'s shader, with default inputs: what the draw gave it is not "
                "read from captures of OpenGL",
            )

    def _on_target(self, target: str) -> None:
        self._settings.target = target
        self._show()
