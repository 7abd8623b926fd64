"""Versions of Mesa, whose compiler makes programs of other programs (`Program.made_by`)."""

from __future__ import annotations

import re

FITTED_TO = "22.3"
"""The version whose compiled programs `additive-compiled` was fitted to."""

_VERSION = re.compile(r"\bMesa (\d+\.\d+)\S*( \(shaderlab\))?")


def mesa_of(driver: str) -> str:
    """`25.0` of `radv Mesa 25.0.7-2`, `25.0 (shaderlab)` where `packaging/compilers.sh` built it;
    empty where no version of Mesa is named."""
    found = _VERSION.search(driver)
    return found[1] + (found[2] or "") if found else ""
