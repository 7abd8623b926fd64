"""Where shaderlab's own files and the user's files lie."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


@cache
def _shipped(name: str) -> Path:
    """A folder that ships with shaderlab: beside the package in a checkout, inside it in a wheel."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent.parent / name


def resources() -> Path:
    return _shipped("resources")


def models() -> Path:
    return _shipped("models")


def user_config() -> Path:
    return platformdirs.user_config_path("shaderlab", appauthor=False)


def user_data() -> Path:
    return platformdirs.user_data_path("shaderlab", appauthor=False)


def user_cache() -> Path:
    return platformdirs.user_cache_path("shaderlab", appauthor=False)
