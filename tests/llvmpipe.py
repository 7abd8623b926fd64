"""llvmpipe, the software driver that every test machine has."""

from __future__ import annotations

from contextlib import closing

import pytest

from shaderlab.gpu import discovery
from shaderlab.workers.device import DeviceWorker


@pytest.fixture(scope="package")
def worker():
    """The software driver's child: what it counts does not depend on who asked before."""
    info = discovery.discover().choose("llvmpipe")
    with closing(DeviceWorker(info)) as made:
        yield made
