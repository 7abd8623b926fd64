"""Nothing can be exported but what is on show."""

import pytest

from shaderlab.app.panels.samples.review_dialog import ReviewDialog
from shaderlab.samples.choice import Choice
from shaderlab.samples.review import review
from shaderlab.workers.samples import Listing, Recorded
from tests.unit.samples.builders import sample

ID = "ab" * 32
LISTING = Listing(
    2,
    2,
    {"llvmpipe": 2},
    (Recorded(ID, "a", 1.0, "llvmpipe", "llvmpipe", 0.1, "cpu", (64, 48), 3, True, None),),
)
REVIEW = review([sample("a"), sample("b")])


@pytest.fixture
def dialog(qtbot):
    made = ReviewDialog(LISTING, [ID], None)
    made.wanted = []
    made.review_wanted.connect(made.wanted.append)
    made.ask()
    yield made
    made.close()


def test_the_chosen_samples_come_first_and_without_sources(dialog):
    assert dialog.wanted == [Choice(ids=frozenset([ID]), sources=False)]
    assert not dialog.export_button.isEnabled()


def test_a_review_allows_the_export(dialog):
    dialog.show_review(dialog.choice, REVIEW)
    assert dialog.export_button.isEnabled()
    assert dialog.fields.topLevelItemCount() == len(REVIEW.fields)
    assert "2 samples of 2 programs" in dialog.summary
    assert "no source text" in dialog.summary


def test_a_review_of_something_else_does_not(dialog):
    before = dialog.choice
    dialog.include_sources(True)
    dialog.show_review(before, REVIEW)
    assert not dialog.export_button.isEnabled()
    assert dialog.fields.topLevelItemCount() == 0
    dialog.show_review(dialog.choice, REVIEW)
    assert dialog.export_button.isEnabled()
    dialog.include_sources(False)
    assert not dialog.export_button.isEnabled()


def test_what_is_agreed_to_is_what_was_reviewed(dialog):
    agreed = []
    dialog.export_wanted.connect(lambda choice, licence: agreed.append((choice, licence)))
    dialog.show_review(dialog.choice, REVIEW)
    dialog.export_button.click()
    assert agreed == [(dialog.wanted[-1], "CC0-1.0")]


def test_an_export_that_failed_leaves_the_review(dialog):
    dialog.show_review(dialog.choice, REVIEW)
    dialog.show_error("no space left")
    assert dialog.summary == "no space left"
    assert dialog.fields.topLevelItemCount() == len(REVIEW.fields)
    dialog.ask()
    dialog.show_error("the store is gone")
    assert not dialog.export_button.isEnabled()
    assert dialog.fields.topLevelItemCount() == 0


def test_meanings_are_plain_text(dialog):
    dialog.show_review(dialog.choice, REVIEW)
    rows = (dialog.fields.topLevelItem(n) for n in range(dialog.fields.topLevelItemCount()))
    assert not [row.text(2) for row in rows if "`" in row.text(2)]
    assert "(1)" not in dialog.summary
