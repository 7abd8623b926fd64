"""Devices looked for beside the interface: only children of `gpu.discovery` load drivers."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from shaderlab.gpu import discovery
from shaderlab.gpu.discovery import Discovery


def discover() -> Future[Discovery]:
    """All devices of this machine."""
    found: Future[Discovery] = Future()

    def run() -> None:
        try:
            found.set_result(discovery.discover())
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=run, name="device discovery", daemon=True).start()
    return found
