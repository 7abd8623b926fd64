"""Pairs in the window: tables prepared from the committed samples, and pairs of the user's own."""

from __future__ import annotations

from pathlib import Path

from shaderlab import locations
from shaderlab.app.panels.studies.pairs_view import PairsView
from shaderlab.app.panels.studies.study_presenter import StudyPresenter
from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError
from shaderlab.prediction.catalogue import pair_tables
from shaderlab.prediction.catalogue.pair_tables import PairTable, PairTables
from shaderlab.workers import pair_studies


class PairsPresenter(StudyPresenter[PairsView]):
    """Reads the tables once the view is seen; judges one pair of files at a time in a child."""

    CHART = "shaderlab.app.panels.studies.pairs_chart"

    def __init__(self, session: Session, view: PairsView, refresh: Throttle):
        super().__init__(session, view, refresh)
        self._reading = StudyRun(session, self)
        self._tables: PairTables | None = None
        view.shown.connect(self._read)
        view.chosen.connect(self._show)
        view.files_wanted.connect(self.judge)

    def judge(self, host: Path, target: Path) -> None:
        """Fit every method to a pair of data sets."""
        if not self._study.running:
            self._run(
                None,
                f"Reading {host.name} and {target.name}…",
                lambda report, stopped: pair_studies.judged(
                    host, target, lambda text: report(f"Fitting {text}…"), stopped
                ),
            )

    def _read(self) -> None:
        if self._tables is not None or self._reading.running:
            return
        import_beside(self.CHART)
        self._reading.start(
            lambda _report, _stopped: pair_tables.read(locations.models()) or PairTables(()),
            self._on_read,
            self._on_unread,
        )

    def _on_read(self, found: PairTables) -> None:
        self._tables = found
        if not found.every:
            self._view.say_none(
                "No pairs are installed", "Own pair… judges two data sets of your own."
            )
            return
        self._view.offer([(each.host, each.target) for each in found.every])
        self._refresh()

    def _refresh(self) -> None:
        self._view.name_devices({slug: each.name for slug, each in self._session.targets.items()})

    def _on_unread(self, error: ShaderlabError) -> None:
        self._view.say_none("The pairs cannot be read", str(error))

    def _show(self, host: str, target: str) -> None:
        found = self._tables.of(host, target) if self._tables else None
        if found is not None:
            self._view.show_result(found)

    def _on_done(self, found: PairTable | None) -> None:
        super()._on_done(found)
        if found is None:
            self._refuse("Stopped")
