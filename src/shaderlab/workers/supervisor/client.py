"""What all workers have in common: a server in its own child, called by typed requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

from shaderlab.workers.supervisor.child import Request, Server
from shaderlab.workers.supervisor.limits import Limits
from shaderlab.workers.supervisor.supervisor import Device, Supervisor

_S = TypeVar("_S")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _absolute(argument: object) -> object:
    """A path as it is from any folder: children work in one of their own."""
    return argument.absolute() if isinstance(argument, Path) else argument


class Client(Generic[_S]):
    """The parent's side of a server of class `_S`, whose public methods are its requests.

    Nothing is spawned before `start` or the first request.  Futures carry what the server raises,
    and supervision's ShaderTimeout, OutOfMemory, DeviceLost and Abandoned.
    """

    def __init__(
        self,
        server: type[_S],
        *arguments: object,
        name: str,
        limits: Limits | None,
        start_s: float | None = None,
        low_priority: bool = False,
        spare: bool = False,
        environment: Mapping[str, str] | None = None,
        idle_s: float | None = None,
        patient: bool = False,
        crash_remedy: str = "",
        device: Device | None = None,
    ):
        """`arguments` are the server's; `name` is for messages.

        Without `limits`, the child's memory is not limited.  `start_s`: seconds for it to come up,
        where that is not `limits.start`.  With `spare`, a second child that came up stands by for
        when one is lost.  The child alone, and what it starts, has the variables of `environment`.
        A child without a request for `idle_s` is ended until the next one: for servers that keep
        nothing from one request to the next.  `patient`: no deadline, that of coming up neither, is
        missed because the machine is busy; `crash_remedy`: for a child that crashed, `device`: what
        its requests run on (`Supervisor`).
        """
        self.limits = limits or Limits()
        self._supervisor = Supervisor(
            Server(
                f"{server.__module__}:{server.__qualname__}",
                tuple(map(_absolute, arguments)),
                low_priority,
                tuple((environment or {}).items()),
            ),
            name=name,
            start_deadline_s=self.limits.start if start_s is None else start_s,
            compile_deadline_s=self.limits.driver_compile,
            memory_bytes=limits.memory_bytes if limits is not None else None,
            spare=spare,
            idle_s=idle_s,
            patient=patient,
            crash_remedy=crash_remedy,
            device=device,
        )

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        self.limits = limits
        self._supervisor.memory_bytes = limits.memory_bytes
        self._supervisor.compile_deadline_s = limits.driver_compile

    def start(self) -> None:
        """Bring the child up without waiting for it."""
        self._supervisor.start()

    @property
    def pid(self) -> int | None:
        """Process id of the present child."""
        return self._supervisor.pid

    @property
    def pids(self) -> set[int]:
        """Process ids of the child and of its spare."""
        return self._supervisor.pids

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return self._supervisor.replacements

    @property
    def longest_replacement_s(self) -> float:
        """Most seconds from finding a child lost to another one in its place."""
        return self._supervisor.longest_replacement_s

    def abandon(self, request: Future) -> bool:
        """Give up a request that is under way; whether it was.  Its future fails: Abandoned."""
        return self._supervisor.abandon(request)

    def close(self, *, wait: bool = True) -> None:
        """End the child; with `wait` until it is gone."""
        self._supervisor.close(wait=wait)

    def _request(
        self,
        method: Callable[Concatenate[_S, _P], _R],
        deadline_s: float,
        doing: str,
        remedy: str = "",
        *,
        on_device: bool = True,
    ) -> Callable[_P, Future[_R]]:
        """A method of the server, to be called in the child.

        It is stopped after `deadline_s`.  `doing` ('rendering plasma.frag') and `remedy`, what the
        user can do when it goes over a limit, are for messages.  `on_device`: whether the device
        of a client that has one does any of it.
        """

        def ask(*arguments: _P.args, **keywords: _P.kwargs) -> Future[_R]:
            request = Request(method.__name__, tuple(map(_absolute, arguments)), keywords)
            return self._supervisor.submit(
                request, deadline_s=deadline_s, doing=doing, remedy=remedy, on_device=on_device
            )

        return ask
