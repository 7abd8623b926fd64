"""What large texts take goes back to the system: in a process of its own, as the window's is."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, sys
from shaderlab.system import heap

if sys.argv[1] == "apart":
    heap.keep_large_blocks_apart()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def resident() -> int:
    return int(open("/proc/self/statm").read().split()[1]) * 4096


libc.free(libc.malloc(30 << 20))  # from now on glibc would keep blocks of this size in the heap
before = resident()
for _ in range(20):
    large, small = libc.malloc(4 << 20), libc.malloc(100_000)
    ctypes.memset(large, 1, 4 << 20)
    ctypes.memset(small, 1, 100_000)  # stays, over the hole that the large one leaves
    more = libc.malloc(5 << 20)
    ctypes.memset(more, 1, 5 << 20)
    libc.free(large)
    libc.free(more)
print(resident() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="no glibc")
def test_large_blocks_leave_no_holes_in_the_heap():
    def kept_bytes(how: str) -> int:
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True
        )
        return int(run.stdout)

    assert kept_bytes("apart") < 6 << 20 < kept_bytes("as it was")


def test_settled_objects_are_not_gone_through_again():
    program = (
        "import gc\n"
        "from shaderlab.system import heap\n"
        "kept = [[] for _ in range(10_000)]\n"
        "heap.leave_settled_objects_alone()\n"
        "later = [[] for _ in range(100)]\n"
        "print(len(kept), 100 <= len(gc.get_objects()) < 1000)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["10000", "True"]


def test_cycles_are_found_where_they_are_looked_for_and_in_no_other_thread():
    program = (
        "import gc, threading, weakref\n"
        "from shaderlab.system import heap\n"
        "class Node:\n"
        "    pass\n"
        "def cycle():\n"
        "    node = Node()\n"
        "    node.itself = node\n"
        "    return weakref.ref(node)\n"
        "search = heap.CycleSearch()\n"
        "found = cycle()\n"
        "kept = []\n"
        "worker = threading.Thread(target=lambda: kept.extend([] for _ in range(100_000)))\n"
        "worker.start(); worker.join()\n"
        "print(found() is None)\n"
        "search.look()\n"
        "print(found() is None)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "True"]


def test_everything_is_looked_through_in_time_but_not_again_and_again():
    program = (
        "import gc\n"
        "from shaderlab.system import heap\n"
        "search = heap.CycleSearch()\n"
        "full = []\n"
        "gc.callbacks.append(\n"
        "    lambda phase, info: full.append(1)\n"
        "    if phase == 'start' and info['generation'] == 2 else None\n"
        ")\n"
        "kept = [[] for _ in range(300_000)]\n"
        "for _ in range(400):\n"
        "    kept.extend([] for _ in range(800))\n"
        "    search.look()\n"
        "print(len(full))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["1"]
