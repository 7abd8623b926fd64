"""What tests may expect of this machine's RADV."""

from __future__ import annotations

import functools
import re

import pytest

from shaderlab.gpu.radv import discovery
from shaderlab.prediction.forms import Form

LISTINGS_READ = ("22.3", "25.0")
"""The Mesas whose program listings are known to be replayed as programs of their own."""

needs_radv_listing = pytest.mark.usefixtures("radv_listing")
"""Skips a test that rests on a replayed listing where this machine's RADV prints others."""


@functools.cache
def why_no_listing() -> str:
    """Why programs compiled by this machine's RADV are not replayed; empty where they are."""
    if discovery.radv_manifest() is None:
        return "RADV (mesa-vulkan-drivers) is not installed"
    driver = discovery.available()[0].driver
    version = re.search(r"Mesa (\d+\.\d+)", driver)
    if version is None or version[1] not in LISTINGS_READ:
        return f"{driver}: only listings of RADV from Mesa {', '.join(LISTINGS_READ)} are known"
    return ""


def spelling(slug: str) -> str:
    """What this machine's RADV calls a family, which changed between versions."""
    return next(each.spelling for each in discovery.available() if each.family.slug == slug)


def last_form() -> Form:
    """The form of a program that is traced last, and forecast best, on this machine."""
    return Form.OPTIMIZED if why_no_listing() else Form.COMPILED
