"""How long threads waited for a processor, by the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from shaderlab.system import processors

BUSY = "import os; os.sched_setaffinity(0, {%d}); print(flush=True)\nwhile True: pass"


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
        before = processors.kept_waiting(pids)
        assert set(before) == set(pids)
        while processors.longest_wait(before, processors.kept_waiting(pids)) < 0.05:
            time.sleep(0.01)  # ends once the kernel has switched between them
    finally:
        for each in pair:
            each.kill()
            each.communicate()


def test_nothing_is_known_of_a_process_that_is_gone():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert processors.kept_waiting([gone.pid]) == {}


def test_the_longest_wait_is_of_one_thread_since_the_first_reading():
    before = {1: 5.0, 2: 1.0, 3: 9.0}
    after = {1: 5.5, 2: 3.0, 4: 1.5}  # 3 has ended, 4 is new
    assert processors.longest_wait(before, after) == 2.0
    assert processors.longest_wait({}, {}) == 0.0
