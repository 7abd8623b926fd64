"""Between the lane of AMD compilers and what shows it: the panel, the pinned variant, settings."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import TYPE_CHECKING

from shaderlab.app.panels.compiled.analysers_dialog import AnalysersDialog
from shaderlab.app.panels.compiled.compiled_panel import LAST_VERSION, Baseline
from shaderlab.app.panels.compiled.statistics import FamilyFigures
from shaderlab.app.qt import QApplication, QObject, Qt
from shaderlab.app.session.compiled_jobs import Compiled
from shaderlab.gpu.radv.discovery import INSTALL

if TYPE_CHECKING:
    from shaderlab.app.shell.main_window import MainWindow
    from shaderlab.gpu.radv.families import Family


class AmdControl(QObject):
    """Keeps the panel in line with `Session.compiled`, and does what its commands say."""

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self._lane = lane = window.session.compiled
        self._panel = panel = window.amd_panel
        lane.slugs = tuple(window.settings.amd_families)
        self._set_analysers()
        lane.changed.connect(self.refresh)
        panel.shown.connect(self._on_shown)
        panel.families_chosen.connect(self._choose)
        panel.lines_chosen.connect(window.editor.link_lines)
        window.editor.cursor_moved.connect(lambda line, _column: panel.follow_line(line))
        window.session.state_changed.connect(self._on_state)
        self.refresh()

    # -- commands ---------------------------------------------------------------------------

    def pin(self) -> None:
        """Keep the program in force to compare with, under the document's name and the time."""
        window = self._window
        if window.session.program is None:
            window.notices.say("warning", "There is nothing to pin: the text does not compile")
            return
        name = f"{window.documents.document.name}, {datetime.now():%H:%M:%S}"
        self._lane.pin(name)
        window.notices.say("note", f"Pinned {name}: changes are told against it")

    def unpin(self) -> None:
        self._lane.unpin()

    def copy_command(self) -> None:
        """Put the command that reproduces the chosen family's code in the clipboard."""
        window, chosen = self._window, self._panel.chosen
        path = window.documents.document.path
        slug = chosen.family.slug if chosen is not None else next(iter(self._lane.slugs), "navi23")
        if path is None:
            window.notices.say("warning", "Save the shader first: the command reads a file")
            return
        command = f"shaderlab compiled {shlex.quote(str(path))} --target {slug} --counts --isa"
        QApplication.clipboard().setText(command)
        unsaved = "; it reads the file as last saved" if window.editor.modified else ""
        window.notices.say("note", f"The command is in the clipboard{unsaved}")

    def show_analysers(self) -> None:
        """The form for Arm's and AMD's own analysers."""
        window = self._window
        dialog = AnalysersDialog(window.settings, window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._set_analysers)
        dialog.open()

    def _set_analysers(self) -> None:
        settings = self._window.settings
        paths = {"malioc": settings.malioc_path, "rga": settings.rga_path}
        self._lane.set_analysers(paths, settings.malioc_core)

    # -- what is shown ----------------------------------------------------------------------

    def refresh(self) -> None:
        """Put the panel in line with the lane."""
        lane, panel = self._lane, self._panel
        self._show_pinned()
        if lane.error is not None:
            panel.empty.say(
                "device", "No AMD compiler on this machine", f"{lane.error}.", "Look again",
                lane.look, "warning",
            )  # fmt: skip
            panel.show_empty(usable=False)
            return
        panel.show_families([t.family for t in lane.targets], lane.slugs)
        families = lane.on_screen
        if lane.targets and not families:
            panel.empty.say("targets", "No family is chosen", "Choose some under Families.")
            panel.show_empty()
        elif lane.current is None:
            self._say_what_is_awaited()
            panel.show_empty()
        else:
            figures = [_figures(lane.current, family) for family in families]
            panel.show_figures(figures, self._baselines(families), self._notes(lane.current))
            panel.follow_line(self._window.editor.cursor[0])

    def _say_what_is_awaited(self) -> None:
        session, empty = self._window.session, self._panel.empty
        if session.program is None and not session.compiling.compiles:
            hint = "Fix the problems listed under the text: the rest comes by itself."
            empty.say("error", "This shader does not compile yet", hint, role="error")
        elif not self._lane.targets:
            empty.say("targets", "Looking for AMD compilers…", f"They are Mesa's RADV; {INSTALL}.")
        else:
            empty.say("targets", "Compiling for AMD…")

    def _baselines(self, families: tuple[Family, ...]) -> list[Baseline]:
        lane = self._lane
        before = {
            family.slug: FamilyFigures(
                family, lane.before.get(family.slug), lane.costs_before.get(family.slug)
            )
            for family in families
        }
        found = [Baseline(LAST_VERSION, before)]
        if lane.pinned is not None:
            kept = lane.pinned.compiled
            pinned = {family.slug: _figures(kept, family) for family in families}
            found.append(Baseline(f"pinned: {lane.pinned.name}", pinned))
        return found

    def _notes(self, current: Compiled) -> list[str]:
        program = self._window.session.program
        notes = []
        if program is not None and program.digest != current.program.digest:
            notes.append("Of the version before this one: the new one is being compiled.")
        if current.cost_problem is not None:
            notes.append(f"No frame time: {current.cost_problem}.")
        if current.external is not None:
            notes += [report.summary for report in current.external.reports]
            notes += current.external.problems
        return notes

    def _show_pinned(self) -> None:
        pinned = self._lane.pinned
        self._window.actions_["run.unpin"].setEnabled(pinned is not None)
        if pinned is None:
            self._window.targets_panel.set_pinned("", {})
        else:
            self._window.targets_panel.set_pinned(pinned.name, pinned.times_s)

    # -- what happens -----------------------------------------------------------------------

    def _on_shown(self, shown: bool) -> None:
        self._lane.no_device = self._window.device_choice.error is not None
        self._lane.show(shown)

    def _on_state(self) -> None:
        self._lane.no_device = self._window.device_choice.error is not None
        if self._lane.current is None and self._panel.isVisible():
            self.refresh()

    def _choose(self, slugs: list[str]) -> None:
        self._window.settings.amd_families = slugs
        self._lane.choose(slugs)


def _figures(compiled: Compiled, family: Family) -> FamilyFigures:
    problem = compiled.problems.get(family.slug)
    return FamilyFigures(
        family,
        compiled.stats.get(family.slug),
        compiled.costs.get(family.slug),
        str(problem) if problem else "",
    )
