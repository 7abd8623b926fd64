"""Looking for vendors' compilers, and what is asked of those that were found."""

from concurrent.futures import Future

import pytest

from shaderlab.errors import NoVulkan
from shaderlab.gpu.compilers.families import REFERENCE

from .fakes import FakeCompiled


@pytest.fixture
def rested(driven):
    """A panel that shows what compilers make, so that they are looked for."""
    driven.serve("a")
    driven.session.compiled.show(True)
    return driven


def test_one_looks_once_and_again_only_where_there_was_none(rested):
    compilers = rested.session.compilers
    looked = rested.workers.background.count
    compilers.look_again()
    assert looked("look") == 1, "it is under way"
    rested.workers.looking.set_exception(NoVulkan("no RADV"))
    compilers.look()
    assert looked("look") == 1
    rested.workers.looking = Future()
    compilers.look_again()
    assert compilers.error is None
    assert looked("look") == 2
    rested.has_vendors(REFERENCE)
    compilers.look_again()
    assert looked("look") == 2
    assert compilers.has(REFERENCE)


def test_compilers_found_anew_take_the_place_of_the_former(rested):
    rested.has_vendors("navi10")
    compilers, former = rested.session.compilers, rested.vendors
    former.replacements = 3
    compilers.error = NoVulkan("it went away")
    rested.workers.looking, rested.workers.vendors = Future(), FakeCompiled()
    compilers.look_again()
    rested.has_vendors("polaris10")
    assert former.closed
    assert compilers.workers is rested.workers.vendors
    assert rested.session.replacements["compiled"] == 0, "the former ones do not count"
