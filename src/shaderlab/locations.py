"""Where shaderlab's own files and the user's files are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _shipped(name: str) -> Path:
    """A folder that ships with shaderlab: next to `src` in a checkout, inside a wheel's package."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent.parent / name


def resources() -> Path:
    return _shipped("resources")


def models() -> Path:
    return _shipped("models")


def compilers() -> tuple[Path, ...]:
    """Folders that may hold the vendors' compilers: the user's own, then what is shipped."""
    return user_data() / "compilers", _shipped("compilers")


def packaging() -> Path:
    """The scripts that build what shaderlab can use; there in a checkout."""
    return _shipped("packaging")


def user_config() -> Path:
    return _of_user("config")


def user_data() -> Path:
    return _of_user("data")


def user_cache() -> Path:
    return _of_user("cache")


def _of_user(kind: str) -> Path:
    import platformdirs  # not needed to measure a program bundle, so not required

    return getattr(platformdirs, f"user_{kind}_path")("shaderlab", appauthor=False)


def typed(text: str) -> Path:
    """A path as a user types it: `~` is the home folder, unless there is no such user."""
    path = Path(text.strip())
    try:
        return path.expanduser()
    except RuntimeError:
        return path
