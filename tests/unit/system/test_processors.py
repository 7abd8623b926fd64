"""How long threads waited for a processor, by the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from shaderlab.system import processors
from shaderlab.system.processors import Times

BUSY = "import os; os.sched_setaffinity(0, {%d}); print(flush=True)\nwhile True: pass"


@pytest.mark.parametrize(("told", "name"), [("Model 9", "Model 9"), ("", "arm64")])
def test_a_processor_without_a_model_has_the_name_of_its_kind(monkeypatch, told, name):
    monkeypatch.setattr(processors.Path, "read_text", lambda *_: "flags : none\n")
    monkeypatch.setattr(processors.platform, "processor", lambda: told)
    monkeypatch.setattr(processors.platform, "machine", lambda: "arm64")
    assert processors.name.__wrapped__() == name


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports how long threads waited")
def test_two_busy_processes_on_one_core_keep_each_other_waiting():
    core = min(os.sched_getaffinity(0))
    command = [sys.executable, "-c", BUSY % core]
    pair = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for each in pair:
            assert each.stdout is not None
            each.stdout.readline()
        pids = [each.pid for each in pair]
        before = processors.thread_times(pids)
        assert set(before) == set(pids)
        after = before
        while min(processors.longest_wait(before, after), processors.ran(before, after)) < 0.05:
            time.sleep(0.01)  # ends once the kernel has switched between them
            after = processors.thread_times(pids)
    finally:
        for each in pair:
            each.kill()
            each.communicate()


def test_nothing_is_known_of_a_process_that_is_gone():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert processors.thread_times([gone.pid]) == {}


BEFORE = {1: Times(1.0, 5.0), 2: Times(2.0, 1.0), 3: Times(30.0, 9.0)}
AFTER = {1: Times(1.5, 5.5), 2: Times(2.0, 3.0), 4: Times(0.25, 2.5)}  # 3 has ended, 4 is new


def test_the_longest_wait_is_of_one_thread_since_the_first_reading():
    assert processors.longest_wait(BEFORE, AFTER) == 2.5
    assert processors.longest_wait({}, {}) == 0.0


def test_processor_time_is_of_all_threads_since_the_first_reading():
    assert processors.ran(BEFORE, AFTER) == 0.75
    assert processors.ran({}, {}) == 0.0
