"""The longest time that comparing two long texts holds the interface's thread.

    xvfb-run -a python -m tests.benchmarks.long_diff [--lines N] [--edits N]

Two texts of 5,000 lines, every fortieth changed, are compared some times over, in one column and
side by side, with all lines shown, while the event loop is turned as fast as it goes.  Printed are
the longest turns in milliseconds, by the clock and by the interface thread's own processor time,
which is what they take where other processes leave a core free, and how long a comparison took
until it was shown.
"""

from __future__ import annotations

import argparse
from time import perf_counter, thread_time

from shaderlab.app.panels.variants.text_comparison import TextComparison
from shaderlab.app.qt import QApplication
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.theme import ThemeChoice


def text(lines: int, version: int) -> str:
    return "\n".join(
        f"    float value{n} = sin(float({n + (version if n % 40 == 0 else 0)})) * {n}.5;"
        for n in range(lines)
    )


def turns(app: QApplication, view: TextComparison) -> tuple[float, float, float]:
    """Seconds of the longest turn of the loop until everything is shown, by the clock and of the
    thread; and of all turns."""
    start, longest, own = perf_counter(), 0.0, 0.0
    while view.is_busy:
        before, worked = perf_counter(), thread_time()
        app.processEvents()
        longest = max(longest, perf_counter() - before)
        own = max(own, thread_time() - worked)
    return longest, own, perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--edits", type=int, default=10)
    chosen = parser.parse_args()
    app = QApplication([])
    view = TextComparison(theme.current(ThemeChoice.DARK))
    view.resize(1200, 800)
    view.show()
    view.whole.setChecked(True)
    costs = {line: line * 1e-9 for line in range(1, chosen.lines + 1)}
    for name, beside in (("one column", False), ("side by side", True)):
        view.beside.setChecked(beside)
        longest, owns, whole = [], [], []
        for edit in range(chosen.edits):
            texts = text(chosen.lines, 0), text(chosen.lines, edit + 1)
            worked = thread_time()
            view.show_texts(*texts, costs, costs, 1.0)
            first = thread_time() - worked
            turn_s, own_s, all_s = turns(app, view)
            longest.append(turn_s)
            owns.append(max(first, own_s))
            whole.append(all_s)
        print(
            f"{name}: longest turn {max(owns) * 1e3:.1f} ms of the thread, "
            f"{max(longest) * 1e3:.0f} ms by the clock; shown after "
            f"{sorted(whole)[len(whole) // 2] * 1e3:.0f} ms"
        )


if __name__ == "__main__":
    main()
