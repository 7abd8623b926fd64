"""The document's versions, in their panel and in the window that compares two of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.assistant_presenter import language_of
from shaderlab.app.panels.variants.comparison import Comparison
from shaderlab.app.panels.variants.panel import VariantsPanel
from shaderlab.app.panels.variants.rows import (
    clock,
    common_key,
    curves,
    line_seconds,
    variant_rows,
)
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.session import Session
from shaderlab.app.session.versions import Version
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Side, Status
from shaderlab.prediction.forecasts.time_changes import Change, change_of
from shaderlab.scene.draw import CANONICAL_SIZE
from shaderlab.spirv.module import printable

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.change_bands import ChangeBand


class VariantsPresenter(QObject):
    """Connects the session's versions to the panel, and handles the commands about them."""

    panel_wanted = Signal()

    def __init__(
        self,
        session: Session,
        panel: VariantsPanel,
        documents: Documents,
        notices: NotificationCentre,
        theme: Theme,
        refresh: Throttle,
    ):
        super().__init__(panel)
        self._session, self._panel, self._versions = session, panel, session.versions
        self._documents, self._notices, self._theme = documents, notices, theme
        self._target = self._target_name = ""
        self._sure = False
        """Whether changes of the chosen forecast are like those whose errors are known."""
        self._compared = 0
        """Number of the version in the window of comparisons."""
        self._window: Comparison | None = None
        self._list = WhenSeen(panel)(self._show_versions)
        self._outdated = ""
        """What the latest version is, where that is not the text in the editor."""
        versions, compared = session.versions, session.on_device.compared
        versions.changed.connect(self._show)
        refresh.passed.connect(self._refresh)
        compared.changed.connect(self._show_pictures)
        panel.text_wanted.connect(self.bring_back)
        panel.comparison_wanted.connect(self.compare)
        panel.renamed.connect(self._rename)
        panel.unpinned.connect(versions.unpin)
        panel.baseline_chosen.connect(versions.compare_with)
        panel.forget_wanted.connect(versions.forget)

    # -- commands ---------------------------------------------------------------------------

    def pin(self) -> None:
        """Pin the current program to compare with, named after the document and the time."""
        name, when = self._documents.document.name, f"{datetime.now():%H:%M:%S}"
        if self._versions.pin(f"{name}, {when}") is None:
            self._notices.say("warning", "Nothing to pin: the shader does not compile")
        else:
            said = f"Pinned \u201c{name}\u201d ({when}). Times are now compared with it"
            self._notices.say("note", said)

    def unpin(self) -> None:
        if (baseline := self._versions.baseline) is not None:
            self._versions.unpin(baseline.number)

    def bring_back(self, number: int) -> None:
        """Have a version's text in the editor, as one edit that can be undone."""
        found = self._versions.find(number)
        if found is None or not found.text:
            return
        if not self._documents.bring_back(found.text):
            self._notices.say("note", "This version is the current text")
            return
        self._notices.say("note", f"Restored {_named(found)}; Undo returns to the newer text")

    def compare_baseline(self) -> None:
        """Compare the pinned variant with the present version."""
        baseline = self._versions.baseline or next(reversed(self._versions.variants), None)
        if baseline is None:
            self._notices.say("note", "Pin a variant first: there is nothing to compare with")
        else:
            self.compare(baseline.number)

    def compare(self, number: int) -> None:
        """Open the window that compares a version with the present one."""
        if self._versions.find(number) is None:
            return
        self._compared = number
        window = self._comparison
        if not window.isVisible():
            window.texts.clear()
        self._show_comparison()
        window.show()
        window.raise_()
        window.activateWindow()
        self._ask_for_pictures(wanted=window.shows_pictures)

    # -- what is shown ----------------------------------------------------------------------

    def show_forecast(self, chosen: ChosenForecast | None) -> None:
        """Show times of this forecast's target."""
        if chosen is not None:
            self._target, self._target_name = chosen.forecast.target, chosen.name
            its = chosen.forecast
            self._sure = its.status is Status.OK and its.domain is Side.INSIDE
        self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._panel.set_theme(theme)
        if self._window is not None:
            self._window.set_theme(theme)

    @property
    def window(self) -> Comparison | None:
        """The window of comparisons; None before the first."""
        return self._window

    @property
    def _comparison(self) -> Comparison:
        if self._window is None:
            made = Comparison(self._theme, self._panel.window())
            made.pictures_wanted.connect(self._ask_for_pictures)
            made.pictures.time_wanted.connect(lambda _time: self._ask_for_pictures(wanted=True))
            made.text_wanted.connect(lambda: self.bring_back(self._compared))
            self._window = made
        return self._window

    def _show_versions(self) -> None:
        versions, baseline = self._versions.all, self._versions.baseline
        number = baseline.number if baseline is not None else 0
        current, bands = not self._outdated, self._bands
        self._panel.show_versions(
            variant_rows(versions, self._target, number, current=current, bands=bands),
            [each.number for each in versions],
            curves(versions),
            (self._target, self._target_name),
            {each.number: clock(each.at) for each in versions},
        )

    @property
    def _bands(self) -> Mapping[str, ChangeBand]:
        """Of changes on the chosen target, by method."""
        info = self._session.targets.get(self._target)
        return info.changes if info is not None and self._sure else {}

    def _refresh(self) -> None:
        if reasons.outdated_forecasts(self._session) != self._outdated:
            self._show()

    def _show(self) -> None:
        self._outdated = reasons.outdated_forecasts(self._session)
        self._list()
        if self._window is not None and self._window.isVisible():
            if self._versions.find(self._compared) is None:
                self._window.close()  # another document
            else:
                self._show_comparison()

    def _show_comparison(self) -> None:
        then, now = self._versions.find(self._compared), self._versions.latest
        window = self._comparison
        if then is None or now is None:
            return
        key, target = common_key(then, now, self._target), self._target
        then_s, now_s = (line_seconds(each, target, key) for each in (then, now))
        whole_s = then.times_s.get(key, 0.0) if key else 0.0
        change = self._change(then, now)
        present = self._outdated or "now"
        window.setWindowTitle(f"{_named(then)} compared with {present} \u2013 shaderlab")
        window.headline.setText(self._headline(then, now))
        if (program := self._session.program) is not None:
            window.texts.read_as(language_of(program))
        clear = change is not None and change.clear
        window.texts.show_texts(then.text, now.text, then_s, now_s, whole_s, clear)

    def _headline(self, then: Version, now: Version) -> str:
        key, present = common_key(then, now, self._target), self._outdated or "now"
        if key is None:
            return f"{_named(then)} \u2192 {present}"
        then_s, now_s = then.times_s[key], now.times_s[key]
        change, said = self._change(then, now), "no change"
        if change:
            said = f"{change.relative}, {change.known}"
        times = f"{units.seconds(then_s)} \u2192 {units.seconds(now_s)}"
        return f"{_named(then)} \u2192 {present} \u00b7 {self._target_name}: {times} ({said})"

    def _change(self, then: Version, now: Version) -> Change | None:
        if (key := common_key(then, now, self._target)) is None:
            return None
        return change_of(now.times_s[key], then.times_s[key], self._bands.get(key[1]))

    # -- pictures ---------------------------------------------------------------------------

    def _ask_for_pictures(self, wanted: bool) -> None:
        compared = self._session.on_device.compared
        then, window = self._versions.find(self._compared), self._window
        if not wanted or then is None or window is None:
            compared.clear()
            return
        if self._session.device is None:
            window.pictures.show_none("No Vulkan device", "Pictures need one.", "warning")
            return
        pictures = self._session.on_device.pictures
        if not window.pictures.has_pair and not window.pictures.time.hasFocus():
            window.pictures.time.blockSignals(True)
            window.pictures.time.setValue(pictures.playback.time_s)
            window.pictures.time.blockSignals(False)
        size = pictures.frame.draw.size if pictures.frame is not None else CANONICAL_SIZE
        time_s = window.pictures.time.value()

        number = self._compared

        def looks() -> bool:
            """Whether the user still looks at these pictures once the version is compiled."""
            return number == self._compared and window.shows_pictures

        def draw(program: Program) -> None:
            if looks():
                compared.compare(program, time_s, size)

        def failed(error: ShaderlabError) -> None:
            if not looks():
                return
            hint = f"It no longer compiles: {error}"
            window.pictures.show_none("No picture of the earlier version", hint, "warning")

        if then.program is not None:
            draw(then.program)
        else:
            self._session.compiling.ask(then.text, draw, failed)

    def _show_pictures(self) -> None:
        compared, window = self._session.on_device.compared, self._window
        then = self._versions.find(self._compared)
        if window is None or then is None:
            return
        if compared.pair is not None:
            window.pictures.show_pair(compared.pair, (_named(then), "Now"))
        elif compared.outputs is not None:
            former, present = compared.outputs
            title, hint = former.compared(present)
            window.pictures.show_none(title, "\n".join(map(printable, hint.splitlines())))
        elif compared.error is not None:
            window.pictures.show_none("No picture", str(compared.error), "warning")

    # -- names ------------------------------------------------------------------------------

    def _rename(self, number: int, name: str) -> None:
        """An empty name: one is made for a version of the history."""
        found = self._versions.find(number)
        if found is not None:
            made = f"{self._documents.document.name}, {clock(found.at)}"
            self._versions.rename(number, name or made)


def _named(version: Version) -> str:
    """What a version is called on screen."""
    return version.name or f"the version from {clock(version.at)}"
