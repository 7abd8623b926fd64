"""What does the window keep of the work it does again and again?  Run by hand, on glibc:

    QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.window_memory [--times 500]

Bytes of the interface process's heap (mallinfo2(3)) that each kind of work leaves behind, after as
much of it as fills the caches.  Python's own objects do not tell: what Qt or a binding keeps is in
no list of theirs.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.rig import Rig


class _Heap(ctypes.Structure):
    """struct mallinfo2 of malloc.h."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def held_bytes() -> int:
    """What the heap of the interface's thread holds, and what was mapped besides."""
    gc.collect()
    found = _mallinfo2()
    return found.uordblks + found.hblkhd


def _mallinfo2() -> _Heap:
    call = ctypes.CDLL(None).mallinfo2
    call.restype = _Heap
    return call()


def works(rig: Rig) -> dict[str, Callable[[], object]]:
    session, window = rig.session, rig.window
    device = session.on_device
    texts = cycle([rig.editor.text, f"{rig.editor.text}\n// a remark\n"])

    def frame() -> None:
        before = device.pictures.frame
        device.pictures.draw_soon()
        rig.wait(lambda: device.pictures.frame is not before and not device.task, "a frame")

    def version() -> None:
        rig.show(next(texts))
        rig.wait(lambda: rig.settled and session.complete, "all of another version")

    def paint(work: Callable[[], object]) -> Callable[[], None]:
        def painted() -> None:
            work()
            for _ in range(3):
                rig.app.processEvents()

        return painted

    return {
        "nothing": paint(lambda: None),
        "a refresh of labels and buttons": paint(window._refresh.now),
        "notes beside the lines": paint(lambda: rig.editor.set_notes(rig.editor.notes)),
        "forecasts in all their panes": paint(session.forecasts_changed.emit),
        "counts in all their panes": paint(session.trace_changed.emit),
        "a frame": frame,
        "another version, all of it": version,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=500)
    parser.add_argument("--device", default="llvmpipe")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder))
        rig.use(arguments.device)
        rig.wait(lambda: rig.settled and rig.session.complete, "the first picture and forecasts")
        rig.session.on_device.pictures.playback.pause()
        for name, work in works(rig).items():
            for _ in range(arguments.times):
                work()
            before = held_bytes()
            for _ in range(arguments.times):
                work()
            each = (held_bytes() - before) / arguments.times
            print(f"{name:34} {each:8.1f} bytes kept of each", flush=True)
        rig.close()


if __name__ == "__main__":
    main()
