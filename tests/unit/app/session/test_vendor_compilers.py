"""Looking for vendors' compilers, and what is asked of those that were found."""

from concurrent.futures import Future

import pytest

from shaderlab.app.session.form_jobs import REST_S
from shaderlab.errors import NoVulkan
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.forms import Form

from .fakes import FakeCompiled


@pytest.fixture
def rested(driven):
    """A text whose targets want the compiled form, rested until RADV is looked for."""
    driven.has_targets(Form.COMPILED)
    driven.serve("a")
    driven.clock.move(REST_S)
    return driven


def test_the_reference_is_found_among_other_families(rested):
    rested.has_vendors("navi10", REFERENCE, "polaris10")
    rested.clock.move()
    assert [request.arguments[1] for request in rested.vendors.open] == [REFERENCE]


def test_without_the_reference_the_compiled_form_is_done_without(rested):
    rested.has_vendors("navi10", "polaris10")
    rested.clock.move(10 * REST_S)
    assert rested.vendors.requests == []
    assert not rested.session.forms.pending


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
