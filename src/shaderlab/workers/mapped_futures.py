"""A future of something made of another future's result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class MappedFuture(Future[R]):
    """A future of `transform(source's result)`; cancelling it cancels a source not yet started."""

    source: Future


def mapped(source: Future[T], transform: Callable[[T], R]) -> Future[R]:
    """It fails as the source does, or with what `transform` raises."""
    target: MappedFuture[R] = MappedFuture()
    target.source = source

    def finish(done: Future[T]) -> None:
        if done.cancelled():
            if target.cancel():
                target.set_running_or_notify_cancel()
            return
        if not target.set_running_or_notify_cancel():
            return
        error = done.exception()
        if error is not None:
            target.set_exception(error)
        else:
            try:
                target.set_result(transform(done.result()))
            except Exception as fault:  # noqa: BLE001, the future carries it
                target.set_exception(fault)

    source.add_done_callback(finish)
    target.add_done_callback(lambda done: source.cancel() if done.cancelled() else None)
    return target
