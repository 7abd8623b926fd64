"""What vendors' compilers make of the shader, in its panel."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.compiled.analysers_dialog import AnalysersDialog
from shaderlab.app.panels.compiled.panel import Baseline, CompiledPanel
from shaderlab.app.panels.compiled.statistics import FamilyFigures
from shaderlab.app.qt import QApplication, QObject, Qt
from shaderlab.app.session import reasons
from shaderlab.app.session.compiled import Compiled
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.phrases import VS_PREVIOUS
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.gpu.compilers.installed import BUILD
from shaderlab.gpu.radv.discovery import INSTALL

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.families import Family


class CompiledPresenter(QObject):
    """Keeps the panel up to date with the session's compilers, and handles its commands."""

    def __init__(
        self,
        session: Session,
        panel: CompiledPanel,
        settings: Settings,
        editor: Editor,
        documents: Documents,
        notices: NotificationCentre,
    ):
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._editor, self._documents, self._notices = editor, documents, notices
        self._no_device = False
        self._jobs = jobs = session.compiled
        jobs.slugs = tuple(settings.compiled_families)
        self._set_analysers()
        seen = WhenSeen(panel)
        jobs.changed.connect(seen(self.refresh))
        panel.shown.connect(self._on_shown)
        panel.families_chosen.connect(self._choose)
        editor.cursor_moved.connect(seen(lambda line, _column: panel.follow_line(line)))
        session.state_changed.connect(seen(self._on_state))
        self.refresh()

    def set_no_device(self, no_device: bool) -> None:
        """Whether there is no device, so that there will be no picture to wait for."""
        self._no_device = no_device
        self._on_state()

    # -- commands ---------------------------------------------------------------------------

    def copy_command(self) -> None:
        """Put the command that reproduces the chosen family's code in the clipboard."""
        chosen, path = self._panel.chosen, self._documents.document.path
        slug = chosen.family.slug if chosen is not None else next(iter(self._jobs.slugs), "navi23")
        if path is None:
            self._notices.say("warning", "Save the shader first: the command reads a file")
            return
        command = f"shaderlab compiled {shlex.quote(str(path))} --target {slug} --counts --isa"
        QApplication.clipboard().setText(command)
        unsaved = "; it reads the file as last saved" if self._editor.modified else ""
        self._notices.say("note", f"Command copied to the clipboard{unsaved}")

    def show_analysers(self) -> None:
        """The form for Arm's and AMD's own analysers."""
        dialog = AnalysersDialog(self._settings, self._panel.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._set_analysers)
        dialog.open()

    def _set_analysers(self) -> None:
        settings = self._settings
        paths = {"malioc": settings.malioc_path, "rga": settings.rga_path}
        self._jobs.set_analysers(paths, settings.malioc_core)

    # -- what is shown ----------------------------------------------------------------------

    def refresh(self) -> None:
        """Update the panel from the state of the jobs."""
        jobs, panel = self._jobs, self._panel
        if jobs.error is not None:
            panel.empty.say(
                "device", "No GPU compiler on this machine", f"{jobs.error}.", "Look again",
                jobs.retry, "warning",
            )  # fmt: skip
            panel.show_empty(usable=False)
            return
        panel.show_families([t.family for t in jobs.targets], jobs.unavailable, jobs.slugs)
        families = jobs.on_screen
        if jobs.targets and not families:
            if absent := jobs.absent:
                title = "No compiler for the chosen GPUs on this machine"
                panel.empty.say("device", title, "\n".join(absent), role="warning")
            else:
                panel.empty.say("targets", "No GPU family is chosen", "Choose some under Families.")
            panel.show_empty()
        elif jobs.current is None:
            self._say_what_is_awaited()
            panel.show_empty()
        else:
            figures = [_figures(jobs.current, family) for family in families]
            panel.show_figures(figures, self._baselines(families), self._notes(jobs.current))
            panel.follow_line(self._editor.caret[0])

    def _say_what_is_awaited(self) -> None:
        session, empty = self._session, self._panel.empty
        if reasons.never_compiled(session):
            title = "This shader does not compile yet"
            empty.say("error", title, reasons.FIX_FIRST, role="error")
        elif not self._jobs.targets:
            empty.say(
                "targets",
                "Looking for GPU compilers…",
                f"AMD's is part of Mesa's RADV driver; {INSTALL}. Those of other vendors are built "
                f"with: {BUILD}.",
            )
        else:
            empty.say("targets", "Compiling…")

    def _baselines(self, families: tuple[Family, ...]) -> list[Baseline]:
        jobs = self._jobs
        before = {
            family.slug: FamilyFigures(
                family, jobs.before.get(family.slug), jobs.costs_before.get(family.slug)
            )
            for family in families
        }
        found = [Baseline(VS_PREVIOUS, before)]
        baseline, kept = self._session.versions.baseline, jobs.pinned
        if baseline is not None and kept is not None:
            pinned = {family.slug: _figures(kept, family) for family in families}
            found.append(Baseline(f"pinned: {baseline.name}", pinned))
        return found

    def _notes(self, current: Compiled) -> list[str]:
        program = self._session.program
        notes = self._jobs.absent
        if program is not None and program.digest != current.program.digest:
            notes.append("From the previous version; the present one is being compiled.")
        if current.cost_problem is not None:
            notes.append(f"Not counted: {current.cost_problem}.")
        if current.external is not None:
            notes += [report.summary for report in current.external.reports]
            notes += current.external.problems
        return notes

    # -- what happens -----------------------------------------------------------------------

    def _on_shown(self, shown: bool) -> None:
        self._jobs.no_device = self._no_device
        self._jobs.show(shown)

    def _on_state(self) -> None:
        self._jobs.no_device = self._no_device
        if self._jobs.current is None:
            self.refresh()

    def _choose(self, slugs: list[str]) -> None:
        self._settings.compiled_families = slugs
        self._jobs.choose(slugs)


def _figures(compiled: Compiled, family: Family) -> FamilyFigures:
    problem = compiled.problems.get(family.slug)
    return FamilyFigures(
        family,
        compiled.stats.get(family.slug),
        compiled.costs.get(family.slug),
        str(problem) if problem else "",
    )
