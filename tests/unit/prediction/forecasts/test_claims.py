from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import (
    Forecast,
    Side,
    Status,
    TexturePrice,
    TextureShare,
    Validation,
    VertexPart,
)
from shaderlab.prediction.forecasts.claims import CopiedArray, Evidence, claim, evidence_of
from shaderlab.prediction.forecasts.vertex_work import sentence
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares
from shaderlab.spirv.trace import CutLoop, SourceLine, Trace

ANSWER = Forecast(
    "rtx3060",
    2e-3,
    1e-3,
    4e-3,
    "additive",
    "basis",
    Validation(0.2, 0.9, 100, "here"),
    LineShares([("", 3, 0.5)]),
    ("Reads textures.",),
)
CUT = "llvmpipe ends a pixel's loops after 65,535 iterations in all"


def frame(rounds: int | None) -> Trace:
    return Trace(
        "llvmpipe",
        (8, 4),
        1.0,
        1,
        (),
        math.nan,
        cut=() if rounds is None else (CutLoop(SourceLine("", 4), 1, rounds),),
    )


def test_a_whole_frame_inside_the_domain_is_claimed_as_it_is():
    found = claim(ANSWER, Evidence())
    assert found == ANSWER
    assert (found.status, found.domain) == (Status.OK, Side.INSIDE)


def test_a_frame_cut_short_gives_only_what_it_takes_at_least():
    found = claim(ANSWER, Evidence(cut=(CUT,), estimated=True, assumed=("steps",)))
    assert found.status is Status.LOWER_BOUND
    assert (found.time_s, found.low_s, found.high_s) == (None, 1e-3, None)
    assert found.least_s == 1e-3
    assert CUT in found.warnings[0]
    assert "Reads textures." in found.warnings


def test_one_form_cut_short_suffices():
    whole, cut = frame(None), frame(65_535)
    other = TracedProgram(None, cut)  # type: ignore[arg-type]
    traced = TracedProgram(None, whole, {Form.COMPILED: other})  # type: ignore[arg-type]
    assert evidence_of(traced).cut == cut.notes
    assert "65,535" in cut.notes[0]
    assert evidence_of(TracedProgram(None, whole)).cut == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("time_s", [0.0, -1.0, math.nan, math.inf])
def test_what_no_frame_takes_is_no_time(time_s):
    found = claim(replace(ANSWER, time_s=time_s), Evidence())
    assert found.status is Status.NONE
    assert (found.time_s, found.low_s, found.high_s) == (None, None, None)
    assert found.least_s is None
    assert not found.lines


def test_a_frame_that_did_not_finish_has_no_time_and_says_why():
    found = claim(ANSWER, Evidence(estimated=True, unfinished="It took longer than 10 s."))
    assert found.status is Status.NONE
    assert found.time_s is None
    assert found.warnings[0] == "It took longer than 10 s."


def test_assumed_counts_make_an_estimate():
    assert claim(ANSWER, Evidence(estimated=True)).status is Status.ESTIMATE
    found = claim(ANSWER, Evidence(assumed=("steps = 0.", "detail = 1.")))
    assert found.status is Status.ESTIMATE
    assert "Set them" in found.warnings[0]
    assert found.warnings[1:3] == ("steps = 0.", "detail = 1.")
    bound = claim(ANSWER, Evidence(cut=(CUT,), assumed=("steps = 0.",)))
    assert "steps = 0." in bound.warnings
    assert found.interval_s == ANSWER.interval_s


def test_outside_is_said_whatever_is_claimed():
    for evidence in (Evidence(outside="Far off."), Evidence(outside="Far off.", cut=(CUT,))):
        found = claim(ANSWER, evidence)
        assert found.domain is Side.OUTSIDE
        assert found.warnings[-1] == "Far off."


def test_texture_reads_nobody_measured_make_an_estimate_outside():
    for price in (TexturePrice.PUBLISHED, TexturePrice.NONE):
        found = claim(replace(ANSWER, textures=TextureShare(price)), Evidence())
        assert (found.status, found.domain) == (Status.ESTIMATE, Side.OUTSIDE)
        assert found.warnings == ANSWER.warnings, "the texture term warns of them itself"


def test_texture_reads_that_were_measured_are_work_like_all_other():
    found = claim(replace(ANSWER, textures=TextureShare(TexturePrice.FITTED)), Evidence())
    assert (found.status, found.domain) == (Status.OK, Side.INSIDE)


@given(
    cut=st.booleans(),
    estimated=st.booleans(),
    unfinished=st.booleans(),
    assumed=st.booleans(),
    time_s=st.floats(),
)
def test_a_time_and_an_upper_end_come_together_and_only_where_all_ran(
    cut, estimated, unfinished, assumed, time_s
):
    evidence = Evidence(
        (CUT,) if cut else (), estimated, "Ended." * unfinished, ("steps",) if assumed else ()
    )
    found = claim(replace(ANSWER, time_s=time_s), evidence)
    assert (found.time_s is None) == (found.high_s is None)
    assert (found.time_s is None) == (found.status in (Status.LOWER_BOUND, Status.NONE))
    assert not (found.time_s is not None and (cut or unfinished))


@pytest.mark.parametrize(
    ("part", "status"),
    [
        (VertexPart(), Status.ESTIMATE),  # not counted
        (VertexPart(30_000, 900_000, 1e-3, 5e-4, 2e-3, "additive"), Status.ESTIMATE),
        (VertexPart(30_000, 900_000), Status.LOWER_BOUND),  # left out
    ],
)
def test_a_vertex_stage_makes_an_estimate_at_most(part, status):
    found = claim(replace(ANSWER, vertex=part), Evidence())
    assert (found.status, found.domain) == (status, Side.OUTSIDE)
    assert sentence(part) in found.warnings
    assert (found.time_s is None) == (status is Status.LOWER_BOUND)


def test_a_vertex_stage_that_was_cut_short_suffices():
    traced = TracedProgram(None, frame(None))  # type: ignore[arg-type]
    assert evidence_of(traced, vertex=frame(65_535)).cut == frame(65_535).notes


def test_work_that_no_validation_shader_had_has_no_error_stated():
    found = claim(replace(ANSWER, textures=TextureShare(TexturePrice.NONE)), Evidence())
    assert found.validated.median_ape is found.validated.mape is None
    assert claim(ANSWER, Evidence(outside="unlike any")).validated == ANSWER.validated, (
        "widening has put the error of shaders left out there"
    )


COPIED = CopiedArray(900, "line 4")


def test_a_large_array_copied_is_a_lower_bound_where_drivers_copy_it_in_memory():
    for device in ("llvmpipe (LLVM 15.0.6, 256 bits)", "SwiftShader Device (Subzero)"):
        found = claim(ANSWER, Evidence(copied=CopiedArray(200)), device)
        assert found.status is Status.LOWER_BOUND
        assert found.least_s == ANSWER.low_s
        assert "the array of 200 values is copied as a whole" in found.warnings[0]


def test_elsewhere_it_is_an_estimate_that_nothing_validated():
    for outside in ("", "Far off."):
        evidence = Evidence(copied=COPIED, outside=outside)
        found = claim(ANSWER, evidence, "GeForce RTX 3060")
        assert (found.status, found.domain) == (Status.ESTIMATE, Side.OUTSIDE)
        assert found.validated.median_ape is None
        assert any(
            each.startswith("The array of 900 values that line 4 reads") for each in found.warnings
        )


def test_arrays_that_gpus_took_no_longer_for_are_no_matter_there():
    evidence = Evidence(copied=CopiedArray(511))
    assert claim(ANSWER, evidence, "GeForce RTX 3060") == ANSWER
