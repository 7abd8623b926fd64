"""`View`: the answer to one question, for whoever shows it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.jobs import Tools
from shaderlab.engine.graph import Question, Ticket, Urgency
from shaderlab.errors import Abandoned, ShaderlabError

T = TypeVar("T")


class View(QObject, Generic[T]):
    """Has the question answered for the present arguments; the answer to earlier ones stays until
    then, and says what it is of.  Belongs to the interface's thread."""

    changed = Signal()
    """An answer or an error is there for the present arguments."""

    def __init__(
        self,
        tools: Tools,
        asked: Question[T],
        parent: QObject,
        urgency: Urgency = Urgency.SHOWN,
        *,
        overtaken: bool = False,
    ):
        """`overtaken`: the answer to the arguments before is of use as long as the one to the
        present ones is on its way."""
        super().__init__(parent)
        self._takes_overtaken, self._overtaken = overtaken, None
        self._tools, self._asked, self._urgency = tools, asked, urgency
        self._given: tuple[object, ...] = ()
        self._ticket: Ticket[T] | None = None
        self._since = 0.0
        self.wanted: Hashable = None
        """The present arguments, in short; None where nothing is wanted."""
        self.answer: T | None = None
        self.error: ShaderlabError | None = None
        """Why there is no answer to the arguments asked about last."""
        self.of: Any = None
        """What `answer`, or `error`, is of; None where there was none yet."""
        self.took_s = 0.0
        """Seconds until the latest one came."""

    @property
    def waiting(self) -> bool:
        """Whether the answer to the present arguments is on its way."""
        return self._ticket is not None

    @property
    def settled(self) -> bool:
        """Whether it is there, or will not come."""
        return self.wanted is not None and self.of == self.wanted and not self.waiting

    @property
    def current(self) -> bool:
        """Whether `answer` is the one to the present arguments."""
        return self.settled and self.error is None

    @property
    def busy_s(self) -> float:
        """Seconds since it was asked for; 0 where nothing is on its way."""
        return self._tools.clock.now() - self._since if self.waiting else 0.0

    def want(self, of: Hashable, *given: object) -> None:
        """These are the present arguments, `of` in short: equal where they are."""
        if of != self.wanted:
            if self._takes_overtaken and self._overtaken is None and self._ticket is not None:
                self._overtaken, self._ticket = self._ticket, None
                self._overtaken.let_go()
            self.leave()
            self.wanted, self._given = of, given
            if self.of != of or self.error is not None:
                self._ask()

    def leave(self) -> None:
        """Nothing is wanted; what is there stays."""
        self.wanted = None
        if self._ticket is not None:
            self._ticket.close()
            self._ticket = None

    def drop(self) -> None:
        """Nothing is wanted, nor is what is there."""
        self.leave()
        self.answer = self.error = self.of = self._overtaken = None

    def retry(self) -> None:
        """The user wants the present arguments tried again, whatever became of them."""
        if self.wanted is not None and not self.waiting:
            self._tools.engine.release(self._asked, *self._given)
            self._ask()

    def _ask(self) -> None:
        if self._tools.bridge.is_closed:
            return
        of, self._since = self.wanted, self._tools.clock.now()
        ticket = self._tools.engine.ask(self._asked, *self._given, urgency=self._urgency)
        self._ticket = ticket

        def done(answer: T) -> None:
            end(answer, None)

        def failed(error: ShaderlabError) -> None:
            end(None, error)

        def end(answer: T | None, error: ShaderlabError | None) -> None:
            if ticket is self._overtaken:
                self._overtaken = None
                if error is not None or not self.waiting:
                    return
            elif ticket is not self._ticket:
                return
            else:
                self._ticket = None
            if isinstance(error, Abandoned):  # of a worker that was replaced
                self.wanted = None
                return
            self.took_s = self._tools.clock.now() - self._since
            self.answer, self.error, self.of = answer, error, of
            self.changed.emit()

        self._tools.bridge.watch(ticket.future, done, failed)
