"""Several processes that make the same store at the same moment."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

from shaderlab.samples.store import Store

PROCESSES = 4


def open_at(path: Path, together) -> None:
    together.wait()
    Store(path).close()


def test_a_new_store_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")  # quick enough that they really meet
    for turn in range(15):
        together = context.Barrier(PROCESSES)
        openers = [
            context.Process(target=open_at, args=(tmp_path / f"store{turn}", together))
            for _ in range(PROCESSES)
        ]
        for opener in openers:
            opener.start()
        for opener in openers:
            opener.join()
        assert [opener.exitcode for opener in openers] == [0] * PROCESSES
