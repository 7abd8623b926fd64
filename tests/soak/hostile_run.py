"""Give a window hostile shaders one after another, and see that it stays a window.

    QT_QPA_PLATFORM=offscreen python tests/soak/hostile_run.py [--device llvmpipe] [--every 1]

After each: the right kind of end, no child left behind, and a good shader's picture within two
seconds.  A second pass, with other constants, tells what the window's memory grew by.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import hostile
from soak.hostile import End, Hostile
from soak.rig import Rig, Stuck

from shaderlab.app.editor.limits import unshowable
from shaderlab.app.settings import Settings
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import Quarantined, ShaderlabError
from shaderlab.system import heap

RECOVERY_S = 2.0


@dataclass
class Findings:
    """What a pass came to."""

    ends: Counter = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    recoveries_s: list[float] = field(default_factory=list)
    stays_s: list[tuple[float, str]] = field(default_factory=list)
    """Most work the window did before it got to an event, per shader."""
    resident: list[int] = field(default_factory=list)
    """Bytes of the window's process after each shader."""


def settings(frame_s: float, compile_s: float, trace_s: float) -> Settings:
    return Settings(
        preview_size="320x180",
        frame_limit_s=frame_s,
        compile_limit_s=compile_s,
        trace_limit_s=trace_s,
        memory_limit_mib=1536,
    )


def end_of(rig: Rig) -> tuple[End, ShaderlabError | None]:
    """How the text in force ended."""
    session, device = rig.session, rig.session.on_device
    if not session.compiling.compiles:
        message = session.compiling.diagnostics[0].message
        stopped = "limit" in message or "not compiled again" in message or "crashed (" in message
        return (End.STOPPED if stopped else End.REFUSED), None
    error = device.pictures.error or device.counts.error
    if error is None:
        return End.PICTURE, None
    fatal = ends_workers(error) or isinstance(error, Quarantined)
    return (End.STOPPED if fatal else End.REFUSED), error


def state_of(rig: Rig) -> str:
    """What the window is at, for a fault to tell."""
    session, device = rig.session, rig.session.on_device
    told = {
        "task": device.task,
        "for": f"{device.busy_s:.1f} s",
        "compiling": session.compiling.busy,
        "playing": device.pictures.playback.playing,
        "error": device.pictures.error or device.counts.error,
        "problems": [d.message for d in session.compiling.diagnostics[:2]],
    }
    return ", ".join(f"{key} {value}" for key, value in told.items() if value)


def one(rig: Rig, shader: Hostile, number: int, found: Findings, patience_s: float) -> None:
    """Put the shader in, wait for its end, and go back to a good one."""
    rig.turn()
    rig.watchdog.reset()  # to write the shader down is none of the window's work
    if unshowable(shader.text):
        _refused_at_the_door(rig, shader, found)
        return
    rig.show(shader.text)
    try:
        rig.wait(lambda: rig.settled, f"an end of {shader.name}", patience_s)
        end, error = end_of(rig)
        found.ends[end.name] += 1
        if end not in shader.ends and not (end is End.STOPPED and shader.ends & End.REFUSED):
            found.faults.append(f"{shader.name}: ended {end.name}: {error}")
        if error is not None and "\n" in str(error):
            found.faults.append(f"{shader.name}: an error of several lines: {error}")
        rig.show(hostile.good(number))
        seconds = rig.wait(lambda: rig.sees(number), f"a picture after {shader.name}")
        found.recoveries_s.append(seconds)
        if seconds > RECOVERY_S:
            found.faults.append(f"{shader.name}: a good picture came after {seconds:.2f} s")
    except Stuck as error:
        found.faults.append(f"{shader.name}: {error}; {state_of(rig)}")
    if not rig.session.on_device.pictures.playback.playing:
        rig.session.on_device.toggle_play()
    found.stays_s.append((rig.watchdog.longest_work_s, shader.name))
    found.resident.append(rig.resident_bytes)
    left = rig.children()
    if left and rig_settles_children(rig, left):
        found.faults.append(f"{shader.name}: left {len(left)} processes behind")


def _refused_at_the_door(rig: Rig, shader: Hostile, found: Findings) -> None:
    """Such a text comes from a file or from the clipboard, and neither lets it in."""
    before = rig.editor.text
    path = rig.folder / "hostile.frag"
    path.write_text(shader.text, encoding="utf-8")
    rig.app.clipboard().setText(shader.text)
    rig.turn()
    rig.watchdog.reset()  # what this script did is none of the window's work
    rig.editor.set_unmodified()
    if rig.window.documents.open(path):
        found.faults.append(f"{shader.name}: was opened")
    rig.editor.paste()
    rig.turn()
    if rig.editor.text != before:
        found.faults.append(f"{shader.name}: was pasted")
    found.ends[End.REFUSED.name] += 1
    found.stays_s.append((rig.watchdog.longest_work_s, shader.name))
    found.resident.append(rig.resident_bytes)


def rig_settles_children(rig: Rig, left: set[int]) -> bool:
    """Whether some of these are still there after a moment; compiling goes on meanwhile."""
    try:
        rig.wait(lambda: not (left & rig.children()), "the end of children", 30.0)
    except Stuck:
        return True
    return False


def run_pass(rig: Rig, shaders: Iterable[Hostile], patience_s: float, *, told: bool) -> Findings:
    found = Findings()
    for number, shader in enumerate(shaders):
        before = len(found.faults)
        one(rig, shader, number, found, patience_s)
        if told:
            for fault in found.faults[before:]:
                print("FAULT", fault, flush=True)
            if number % 20 == 19:
                print(f"{number + 1} shaders, {found.resident[-1] >> 20} MiB", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--every", type=int, default=1, help="take every Nth shader")
    parser.add_argument("--only", default="", help="take those whose name contains this")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--frame", type=float, default=2.0, help="limit of a frame, seconds")
    arguments = parser.parse_args()
    limits = settings(arguments.frame, 4.0, 4.0)
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), limits)
        rig.use(arguments.device)
        rig.wait(lambda: rig.settled, "the first picture")
        heap.leave_settled_objects_alone()  # as `start.run` does
        faults = 0
        first_bytes = 0
        for salt in range(arguments.passes):
            wanted = (s for s in hostile.each(salt) if arguments.only in s.name)
            shaders = islice(wanted, 0, None, arguments.every)
            found = run_pass(rig, shaders, 60.0, told=True)
            faults += len(found.faults)
            first_bytes = first_bytes or found.resident[-1]
            recoveries_s = found.recoveries_s or [float("nan")]  # all refused at the door
            print(
                f"pass {salt}: {len(found.resident)} shaders on {arguments.device}: "
                f"{dict(found.ends)}; {len(found.faults)} faults; good picture after "
                f"{statistics.median(recoveries_s):.2f} s (median), "
                f"{max(recoveries_s):.2f} s (longest); window {found.resident[-1] >> 20} MiB "
                f"({100 * (found.resident[-1] / first_bytes - 1):+.1f} % since the first pass); "
                f"replaced {rig.session.replacements}, the device's child within "
                f"{rig.session.on_device.worker.longest_replacement_s:.2f} s"
            )
            for seconds, name in sorted(found.stays_s, reverse=True)[:8]:
                print(f"  most work before an event: {seconds * 1000:.0f} ms, {name}")
        rig.close()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
