"""A shader of 5,000 lines in the window: keystroke to paint, completions, then a heavy picture.

    xvfb-run -a python -m tests.benchmarks.long_text [--lines 5000] [--keys 200] [--seconds 30]

First, keys are typed one by one into the long text: milliseconds until the editor has painted
them, as processor time of the interface thread and as wall time (a busy machine lengthens the
latter); and all of that thread's work until the next key, 80 ms later.  Then the same for the list
of completions.  Last, a heavy shader is edited twenty times a second: the longest the interface
thread was held, again as its processor time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from time import monotonic, perf_counter

PAINT_GOAL_MS, COMPLETION_GOAL_MS, HELD_GOAL_MS = 16, 50, 50


def _quantiles(name: str, took: list[tuple[float, float]], goal_ms: float) -> None:
    import numpy as np

    work, wall = (1e3 * np.array(column) for column in zip(*took, strict=True))
    print(
        f"{name}: processor time median {np.median(work):.1f} ms, 95th percentile "
        f"{np.percentile(work, 95):.1f} ms (goal {goal_ms}); wall time {np.median(wall):.1f} and "
        f"{np.percentile(wall, 95):.1f} ms; {len(took)} times",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--device", default="llvmpipe")
    arguments = parser.parse_args()
    # Not above: each child imports this file, and would have all of Qt.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from benchmarks.language import long_text
    from soak.rig import Rig

    from shaderlab.frontend.examples import examples
    from shaderlab.system import heap

    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder))
        rig.window.resize(1280, 720)
        rig.use(arguments.device)
        rig.wait(lambda: rig.settled and rig.session.complete, "the first picture and forecasts")
        heap.leave_settled_objects_alone()
        rig.show(long_text(arguments.lines))
        print(f"{rig.editor.line_count} lines")
        _rest(rig, 5.0)
        _keys(rig, arguments.keys)
        _completions(rig, arguments.keys // 4)
        rig.show(next(e for e in examples() if e.path.stem == "julia").path.read_text("utf-8"))
        rig.wait(lambda: rig.settled, "the heavy shader")
        _held(rig, arguments.seconds)
        rig.close()


def _rest(rig, seconds: float) -> None:
    end = monotonic() + seconds
    while monotonic() < end:
        rig.turn()


def _keys(rig, count: int) -> None:
    """The key's handling and the paint that follows are one turn: nothing is left to chance."""
    from PySide6.QtTest import QTest

    editor = rig.editor
    editor.setFocus()
    took, whole = [], []
    for number in range(count):
        if number % 20 == 0:
            editor.go_to(1 + (number * 131) % (editor.line_count - 2), 1)
            _rest(rig, 0.3)
        work, wall = time.thread_time(), perf_counter()
        QTest.keyClick(editor.focusProxy(), "abcdefghij"[number % 10])
        rig.app.processEvents()
        took.append((time.thread_time() - work, perf_counter() - wall))
        _rest(rig, 0.08)
        whole.append((time.thread_time() - work, perf_counter() - wall))
    _quantiles("keystroke to paint", took, PAINT_GOAL_MS)
    _quantiles("until the next key", whole, HELD_GOAL_MS)


def _completions(rig, count: int) -> None:
    editor, assistant = rig.editor, rig.window.assistant
    took = []
    for number in range(count):
        editor.go_to(1 + (number * 271) % (editor.line_count - 2), 1)
        editor.type("flo")
        _rest(rig, 0.1)
        work, wall = time.thread_time(), perf_counter()
        found = assistant.completions()
        took.append((time.thread_time() - work, perf_counter() - wall))
        assert found, "nothing is completed"
    _quantiles("completions", took, COMPLETION_GOAL_MS)


def _held(rig, seconds: float) -> None:
    from soak import edits

    rig.watchdog.reset()
    began, number = monotonic(), 0
    for text in edits.stream(3):
        rig.put(text)
        number += 1
        _rest(rig, max(0.0, began + number / 20 - monotonic()))
        if monotonic() > began + seconds:
            break
    dog = rig.watchdog
    slow = [block for block in dog.blocks if block.work_s > dog.limit_s]
    print(
        f"{number} edits in {seconds:.0f} s: the interface thread was held for at most "
        f"{1e3 * dog.longest_work_s:.0f} ms of processor time (goal {HELD_GOAL_MS}), "
        f"{1e3 * dog.longest_s:.0f} ms of wall time; {len(slow)} of {dog.events} waits "
        "over the goal"
    )
    for block in sorted(slow, key=lambda each: -each.work_s)[:3]:
        print(f"{1e3 * block.work_s:.0f} ms in\n{block.where}")


if __name__ == "__main__":
    main()
