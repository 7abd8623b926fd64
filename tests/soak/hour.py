"""An hour of a window's use, done in less: rounds of edits, panels, pictures and exports."""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice
from pathlib import Path
from time import monotonic

from soak import edits
from soak.rig import Rig, Stuck

from shaderlab.app.session.session import Session
from shaderlab.app.shell.panels import PANELS
from shaderlab.frontend.examples import examples
from shaderlab.system import process_tree
from shaderlab.workers.exporting import Film, Plan

_EDIT_S = 1 / 20


def memory_mib(session: Session) -> Counter[str]:
    """MiB by kind of process."""
    roles = {pid: role for worker, role in session._crew._workers.items() for pid in worker.pids}
    found: Counter[str] = Counter({"window": _proportional_mib(os.getpid())})
    for pid in process_tree.descendants(os.getpid()):
        found[roles.get(pid, "others")] += _proportional_mib(pid)
    return found


def _proportional_mib(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:  # ended meanwhile
        pass
    return 0.0


class Hour:
    def __init__(self, rig: Rig, folder: Path, edits_a_round: int):
        self.rig, self.folder, self._edits = rig, folder, edits_a_round
        self._texts = edits.stream(1)
        self.failed: Counter[str] = Counter()

    def round(self, number: int) -> None:
        rig, window, session = self.rig, self.rig.window, self.rig.session
        all_examples = examples()
        rig.editor.set_unmodified()
        window.documents.open_example(all_examples[number % len(all_examples)])
        self._settle("an example")
        for text in islice(self._texts, self._edits):
            rig.put(text)
            self._idle(_EDIT_S)
        rig.put(all_examples[number % len(all_examples)].path.read_text("utf-8") + "\n// end\n")
        self._settle("the last edit")
        for panel in PANELS:
            window.layout_.enter(panel.name)
            self._idle(0.1)
        session.on_device.pixels.pick((40 + number, 50))
        window.actions_["view.heat"].trigger()
        self._idle(0.7)
        window.actions_["view.heat"].trigger()
        window.actions_["run.pin"].trigger()
        theme = "view.theme_dark" if number % 2 else "view.theme_light"
        window.actions_[theme].trigger()
        if number % 5 == 4:
            self._now_and_then(number)
        self._settle("the end of a round")

    def rest(self) -> None:
        """A minute in which the preview plays and nobody types."""
        self.rig.window.layout_.enter("targets")
        self._idle(60.0)

    def _now_and_then(self, number: int) -> None:
        rig, session = self.rig, self.rig.session
        rig.window.actions_["run.profile"].trigger()
        self._wait(lambda: session.on_device.task != "profile", "a profile")
        plan = Plan(Film.GIF, self.folder / f"{number}.gif", (320, 180), 0.0, 20, 20.0)
        session.exports.begin(plan)
        self._wait(lambda: session.exports.plan is None, "an animation")

    def _settle(self, what: str) -> None:
        rig, session = self.rig, self.rig.session

        def all_there() -> bool:
            return rig.settled and (not session.compiling.compiles or session.complete)

        self._wait(all_there, what)

    def _wait(self, ready, what: str) -> None:
        try:
            self.rig.wait(ready, what, 60.0)
        except Stuck:
            self.failed[what] += 1

    def _idle(self, seconds: float) -> None:
        end = monotonic() + seconds
        while monotonic() < end:
            self.rig.turn()
