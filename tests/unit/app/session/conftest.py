"""What tests of the whole session begin with."""

import pytest

from shaderlab.app.session import forecasts

from .driven import Driven
from .fakes import LLVMPIPE


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    """What one test's programs ended is not held against another's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def pace(monkeypatch):
    """The processor is the one that prices come from, whatever this machine has kept."""
    monkeypatch.setattr(forecasts, "kept", lambda info: 1.0)


@pytest.fixture
def driven(qapp):
    driven = Driven()
    driven.session.on_device.pictures.playback.pause()
    driven.session.use_device(LLVMPIPE)
    driven.session.open_text("a", "a.frag", None)
    yield driven
    driven.close()
