"""Whether each draw of the scenes is replayed as RenderDoc draws it.

    python -m tests.scenes.judge F.rdc NAMES

Prints the draws that are not good, then how many are, and the causes by how often they occur.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

from shaderlab.captures import opening
from shaderlab.captures.frame import Counters
from shaderlab.gpu import discovery
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker

ALIKE = 0.005
"""Share of pixels that may differ."""
INVOCATIONS = 0.03
"""How far invocations may be off, relative."""


def fault(found: AnalysedDraw, theirs: Counters | None) -> str:
    """Why a draw is not good; empty where it is."""
    replayed = found.replayed
    if found.reason or replayed is None:
        return found.reason or "it was not replayed"
    if replayed.difference > ALIKE:
        return f"{replayed.difference:.1%} of the pixels differ"
    wanted = theirs.invocations if theirs is not None else None
    if wanted and replayed.invocations is not None:
        off = abs(replayed.invocations - wanted) / wanted
        if off > INVOCATIONS:
            return f"invocations are off by {off:.1%}"
    return ""


def main() -> int:
    path, names = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    frame = opening.opened(path)
    causes: Counter[str] = Counter()
    info = discovery.discover().choose("llvmpipe")
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        analyser = FrameAnalyser(compiler, device)
        for draw, name in zip(frame.draws, names, strict=True):
            why = fault(analyser.analyse(draw), frame.counters.get(draw.event))
            causes[why] += 1
            if why:
                print(f"{draw.event:6} {name}: {why}")
    print(f"{causes.pop('', 0)} of {len(names)} draws are good")
    for why, count in causes.most_common():
        print(f"{count:4} {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
