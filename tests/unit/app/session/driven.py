"""A session, and the test in the place of all its workers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from shaderlab.app.session.session import Session
from shaderlab.engine.keys import file_digest
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.prediction.forms import Form
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.workers.compiler import Loaded

from .fakes import FakeClock, FakeWorkers, Loop, Request, forecast, frame, program, target, trace


class Driven:
    """The session has started and knows that there are no targets."""

    def __init__(self):
        self.clock = FakeClock()
        self.loop = loop = Loop(self.clock)
        self.workers = FakeWorkers(loop.settle)
        self.session = Session(self.workers, clock=self.clock, loop=loop)
        self.session.start()
        self.text, self.predictor = self.workers.text, self.workers.forecaster
        self.optimizer, self.vendors = self.workers.optimizer, self.workers.vendors
        self._models = 0
        self.told: list[ShaderlabError] = []
        self.session.failed.connect(self.told.append)
        self.has_targets()

    def close(self) -> None:
        self.session.close()
        self.loop.end()

    def read_targets(self) -> None:
        """A model was added or removed."""
        self.session.read_targets()
        self._models += 1
        vars(self.session._crew)["models"] = f"models {self._models}"

    def has_targets(self, *forms: Form) -> None:
        """The targets' models want traces of these forms."""
        if not self.predictor.open:
            self.read_targets()
        self.predictor.answer((target(*forms),))
        self.predictor.answer(())

    @property
    def device(self):
        return self.workers.devices[-1]

    def has_vendors(self, *slugs: str) -> None:
        """The families this machine compiles for."""
        found = [
            SimpleNamespace(family=SimpleNamespace(slug=slug, vendor=VENDORS["amd"]))
            for slug in slugs
        ]
        self.workers.looking.set_result(SimpleNamespace(targets=tuple(found), problems={}))

    def compiles(self, name: str):
        made = program(name)
        self.text.answer(made)
        return made

    def serve(self, name: str = "a", *forecasts):
        """The text under way compiles, draws, is counted and predicted."""
        made = self.compiles(name)
        self.device.answer(frame())
        self.device.answer(trace())
        self.predictor.answer(forecasts or (forecast(),))
        return made


def analysed(driven: Driven) -> None:
    """No default decides anything, as far as was asked."""
    while asked := [each for each in driven.text.open if each.task == "influence"]:
        asked[0].answer(Influence({}))


def load(request: Request, answer: Program | ShaderlabError) -> None:
    """The compile of a file ends so, until the file is another."""
    (path,) = request.arguments
    read = {str(path): file_digest(path)}
    failed = isinstance(answer, ShaderlabError)
    request.answer(Loaded(None, answer, read) if failed else Loaded(answer, None, read))


def change(path: Path) -> None:
    """Its text is another, which takes no part in what a fake makes of it."""
    path.write_text(f"{path.read_text() if path.exists() else ''} ")
