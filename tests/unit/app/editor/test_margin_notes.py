import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.margin_notes import (
    COUNT_CHARACTERS,
    HEAT_FROM,
    SHARE_CHARACTERS,
    SHARE_HEAT_FROM,
    MarginNote,
    MarginNotes,
    compact,
    compact_share,
    heat_of,
    margin_text,
    share_heat_of,
    shares_by_target,
)
from shaderlab.app.widgets.theme import DARK, LIGHT
from shaderlab.prediction.line_shares import LineShares


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"), (7, "7"), (999, "999"), (1000, "1.0k"), (1249, "1.2k"), (9950, "10k"),
        (786_432, "786k"), (999_499, "999k"), (999_500, "1.0M"), (35_389_440, "35M"),
        (2**63, "9223372T"),
    ],
)  # fmt: skip
def test_compact_numbers(count, text):
    assert compact(count) == text


@given(st.integers(0, 10**14))
def test_compact_numbers_fit_the_margin_and_are_near(count):
    text = compact(count)
    assert len(text) <= 5
    factor = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(text[-1], 1)
    assert float(text.rstrip("kMGT")) * factor == pytest.approx(count, rel=0.055)


def test_heat_starts_where_a_line_runs_more_than_once_per_pixel():
    assert heat_of(0) == heat_of(1.0) == 0
    assert heat_of(1.01) == 1
    assert heat_of(1e9) == len(HEAT_FROM)
    assert len(LIGHT.heat) == len(DARK.heat) == len(HEAT_FROM) + 1


def test_notes_speak_of_runs_per_pixel():
    notes = MarginNotes({3: 0, 4: 768, 5: 768 * 45}, 768)
    assert notes[3].tip == "never ran"
    assert notes[4].tip == "ran 768 times: once per pixel"
    assert notes[5].tip == "ran 34.6 k times: 45 times per pixel"
    assert (notes[4].heat, notes[5].heat) == (0, 3)
    assert MarginNotes({6: 7_680_000}, 768)[6].tip == "ran 7.68 M times: 10.0 k times per pixel"


def test_notes_tell_the_share_of_the_chosen_target():
    notes = MarginNotes({2: 0, 3: 768, 4: 768}, 768, {4: 0.31, 99: 0.5}, "RTX 3060")
    assert notes[2].tip == "never ran"
    assert notes[3].tip.endswith("\nunder 0.1 % of the time predicted for RTX 3060")
    assert notes[4].tip.endswith("\n31 % of the time predicted for RTX 3060")
    assert [(n.share, n.share_heat) for n in notes.values()] == [("", 0), ("", 0), ("31%", 4)]
    assert set(notes) == {2, 3, 4}
    assert MarginNotes({3: 768}, 768)[3].share is None, "no forecast, no share"


def test_notes_tell_why_a_line_that_never_ran_takes_time():
    note = MarginNotes({2: 0, 3: 768}, 768, {2: 0.42}, "llvmpipe")[2]
    assert note.tip == (
        "never ran\n42 % of the time predicted for llvmpipe, which includes branches that no "
        "pixel takes"
    )
    assert note.share == "42%"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, ""), (0.0004, ""), (0.0006, "0.1%"), (0.0724, "7.2%"), (0.0994, "9.9%"),
        (0.0995, "10%"), (0.31, "31%"), (1.0, "100%"),
    ],
)  # fmt: skip
def test_compact_shares(share, text):
    assert compact_share(share) == text


@given(st.floats(0, 1))
def test_compact_shares_fit_the_margin_and_are_near(share):
    text = compact_share(share)
    assert len(text) <= 4
    assert float(text.rstrip("%") or 0) / 100 == pytest.approx(share, abs=0.0051)


def test_shares_have_as_many_steps_of_heat_as_counts():
    assert share_heat_of(0.0) == 0
    assert share_heat_of(1.0) == len(SHARE_HEAT_FROM) == len(HEAT_FROM)


NOTE = MarginNote("72M", 3, "tip", "31%", 4)


@pytest.mark.parametrize(
    ("note", "counts", "shares", "pieces"),
    [
        (NOTE, True, True, (("  72M ", None), ("  31% ", 4))),
        (NOTE, True, False, (("  72M ", 3),)),
        (NOTE, False, True, (("  31% ", 4),)),
        (NOTE, False, False, ()),
        (MarginNote("72M", 3, "tip", ""), True, True, (("  72M ", None), ("      ", None))),
        (MarginNote("72M", 3, "tip"), True, True, (("  72M ", 3), ("      ", None))),
    ],
)
def test_one_column_of_the_margin_is_hot(note, counts, shares, pieces):
    assert margin_text(note, counts, shares) == pieces


@given(st.integers(0, 10**14), st.floats(0, 1), st.booleans())
def test_columns_of_the_margin_stand_under_each_other(count, share, known):
    (note,) = MarginNotes({1: count}, 1, {1: share} if known else None).values()
    widths = [len(text) for text, _ in margin_text(note, counts=True, shares=True)]
    assert widths == [COUNT_CHARACTERS, SHARE_CHARACTERS]


def test_a_lines_share_is_listed_by_target_the_largest_first():
    parts = {
        "RTX 3060": LineShares([("", 4, 0.2), ("noise.glsl", 5, 0.6)]),
        "RX 6600 XT": LineShares([("", 4, 0.31)]),
        "Renoir": LineShares([("", 9, 0.5)]),
    }
    said = shares_by_target(4, parts).split("\n")
    assert said == [
        "Share of the time:",
        "31 %  RX 6600 XT",
        "20 %  RTX 3060",
        "under 0.1 %:  Renoir",
    ]
    assert shares_by_target(5, parts) == "", "an included file's line is another one"
