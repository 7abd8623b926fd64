"""What tests of the whole session begin with."""

import pytest

from .driven import Driven
from .fakes import LLVMPIPE


@pytest.fixture
def driven(qapp):
    driven = Driven()
    driven.session.on_device.pictures.playback.pause()
    driven.session.use_device(LLVMPIPE)
    driven.session.open_text("a", "a.frag", None)
    yield driven
    driven.session.close()
