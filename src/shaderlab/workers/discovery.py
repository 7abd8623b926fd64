"""Devices looked for in the background: only children of `gpu.discovery` load drivers."""

from __future__ import annotations

from concurrent.futures import Future

from shaderlab.gpu import discovery
from shaderlab.gpu.discovery import Discovery
from shaderlab.workers.background import in_background


def discover() -> Future[Discovery]:
    """All devices of this machine."""
    return in_background(discovery.discover, "device discovery")
