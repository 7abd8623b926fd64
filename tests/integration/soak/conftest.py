"""The soak's own tools, a window of its own, and workers that fail on request."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
sys.path.insert(0, str(TESTS))
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def rig(qapp, tmp_path_factory) -> Iterator:
    from soak.hostile_run import settings
    from soak.rig import Rig

    from shaderlab.system import heap

    made = Rig(tmp_path_factory.mktemp("rig"), settings(1.0, 4.0, 6.0))
    made.wait(lambda: made.settled, "the first picture")
    # As `start.run` does.  What tests before these left is no part of a window's work either: to go
    # through it took one second.
    heap.leave_settled_objects_alone()
    yield made
    gc.unfreeze()
    made.close()
