"""A program that goes round and round is told from one that works slowly."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shaderlab.captures import opening, stalls
from shaderlab.captures.stalls import Stall
from shaderlab.errors import ShaderTimeout

BUSY = "while True: pass"
OTHER_THREAD = """
import hashlib, threading
def work():
    while True: hashlib.sha256(bytes(1 << 20))
threading.Thread(target=work).start()
threading.Event().wait()
"""


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stalls, "_LEAST_S", 0.2)


def test_a_program_that_works_without_progress_is_stopped() -> None:
    with running(BUSY) as process:
        with opening.ending(process.pid, threading.Event(), 600.0, Stall(process.pid, 0)) as why:
            process.wait(300)
        (error,) = why
        assert isinstance(error, ShaderTimeout)
        assert "no progress" in str(error)


def test_progress_and_the_work_of_other_threads_are_no_stall(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent = iter([0.5, 0.6, 0.8, 1.6])
    monkeypatch.setattr(stalls, "_spent_s", lambda _: next(spent))
    stall = Stall(1, 1_000_000)
    assert stall.allowed_s == pytest.approx(0.3)
    assert not stall.found()
    assert not stall.found(), "0.1 s since the first look"
    stall.progressed()
    assert not stall.found(), "counted from the last sign"
    assert stall.found(), "0.8 s since then"


@pytest.mark.skipif(sys.platform != "linux", reason="the first thread is not known")
def test_only_the_first_thread_counts() -> None:
    with running(OTHER_THREAD) as process:
        while stalls.psutil.Process(process.pid).cpu_times().user < 1.0:
            assert process.poll() is None
            threading.Event().wait(0.05)
        assert stalls._spent_s(process.pid) < 0.5


def test_a_program_that_only_waits_is_given_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 3.0, 5.0])
    monkeypatch.setattr(stalls.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(stalls, "_spent_s", lambda _: 0.0)
    stall = Stall(1, 0)
    assert not stall.found()
    assert not stall.found(), "15 times the processor time it may take"
    assert stall.found()
