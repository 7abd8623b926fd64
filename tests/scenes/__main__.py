"""Scenes of everything that games and engines use, one frame, captured through RenderDoc's API.

    shaderlab capture --delay 600 -o scenes.rdc --run python -m tests.scenes [NAMES] [SCENE …]

NAMES: a file that gets the scene of each draw and dispatch, in their order.  Without SCENE all are
drawn.  Ends by itself a little after the frame.  Needs lavapipe and `glslangValidator`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from shaderlab.gpu import discovery, drivers
from tests.many_draws import renderdoc

_STAYS_S = 5.0


def main() -> int:
    start, end = renderdoc()
    os.environ["VK_LOADER_LAYERS_DISABLE"] = ""  # RenderDoc's layer is an implicit one
    info = discovery.discover().choose("llvmpipe")
    drivers.select(info.manifest)
    from tests.scenes import attachments, passes, resources, shading
    from tests.scenes.rig import Rig, open_device

    scenes = {
        each.__name__: each
        for each in (*attachments.SCENES, *shading.SCENES, *resources.SCENES, *passes.SCENES)
    }
    chosen = sys.argv[2:] or list(scenes)
    with ExitStack() as stack:
        device = stack.enter_context(open_device(info))
        own = stack.enter_context(ExitStack())
        rig = Rig(device, own)
        start()
        with rig.frame():
            for name in chosen:
                scenes[name](rig)
        if end() != 1:
            raise SystemExit("RenderDoc captured nothing")
        if len(sys.argv) > 1:
            Path(sys.argv[1]).write_text(json.dumps(rig.drawn), encoding="utf-8")
        time.sleep(_STAYS_S)
    return 0


if __name__ == "__main__":
    sys.exit(main())
