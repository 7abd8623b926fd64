import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.frontend.toolchain import choice
from shaderlab.frontend.toolchain.interface import Toolchain
from shaderlab.frontend.toolchain.libraries import Libraries
from shaderlab.frontend.toolchain.programs import Programs


@pytest.fixture(autouse=True)
def own_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Each test compiles by programs, into an empty cache of its own.

    They are those of the pinned packages: systems have versions that place errors and instructions
    otherwise.
    """
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
    before = choice.toolchain()
    choice.use(Programs())
    yield folder
    choice.use(before)


@pytest.fixture(scope="session")
def libraries() -> Libraries:
    return Libraries()


@pytest.fixture(params=["programs", "libraries"])
def toolchain(request: pytest.FixtureRequest, own_cache: Path, libraries: Libraries) -> Toolchain:
    """Each in turn, in use."""
    if request.param == "libraries":
        choice.use(libraries)
    return choice.toolchain()
