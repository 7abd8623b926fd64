"""Where recipes' fits run: in this process, or on a Ray cluster (`ray_engine`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from models.laboratory.peers import Peers
    from models.laboratory.shaderperformer import Run

T = TypeVar("T")
R = TypeVar("R")
Figures = Mapping[str, float]


class Engine(ABC):
    """Runs what recipes ask for; what comes out does not depend on where it ran."""

    dashboard = ""
    """An address that shows what is running, where there is one."""

    @abstractmethod
    def each(self, fit: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """What `fit` makes of every item, in their order.  The fits are independent."""

    @abstractmethod
    def tried(
        self, judge: Callable[[T], Iterator[Figures]], choices: Sequence[T]
    ) -> Iterator[Figures]:
        """The last figures `judge` gives for each choice, in their order.  Those before, which it
        gives while it goes on, show how far it is."""

    @abstractmethod
    def train(
        self,
        run: Callable[[Path, Peers], Run],
        folder: Path,
        report: Callable[[dict], None],
    ) -> None:
        """Train a network to the end; `report` gets each epoch's line of the log as it comes.

        `run` makes the run, or one worker's part of it, in a folder.  `folder` keeps the run: one
        that was interrupted goes on.
        """


class Here(Engine):
    """In this process, one after the other."""

    def each(self, fit: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        return map(fit, items)

    def tried(
        self, judge: Callable[[T], Iterator[Figures]], choices: Sequence[T]
    ) -> Iterator[Figures]:
        for choice in choices:
            yield list(judge(choice))[-1]

    def train(
        self,
        run: Callable[[Path, Peers], Run],
        folder: Path,
        report: Callable[[dict], None],
    ) -> None:
        from models.laboratory.peers import Peers

        for line in run(folder, Peers()).epochs():
            report(line)
