"""What is said against a forecast, whatever the method."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from shaderlab.prediction.models import distrust
from shaderlab.spirv.trace import SourceLine


def traced(**changes):
    """A trace at the card's run of 1024x768, iTime 1, with changes."""
    trace = SimpleNamespace(notes=(), size=(1024, 768), time_s=1.0)
    made = SimpleNamespace(
        program=SimpleNamespace(left_out="", is_part=False),
        trace=trace,
        largest_block_count=10**9,
        executed={"OpFAdd": 1},
        uninitialised_reads=False,
        undefined_results=frozenset(),
    )
    for name, value in changes.items():
        setattr(trace if hasattr(trace, name) else made, name, value)
    return made


def test_the_run_the_model_was_fitted_at_needs_no_warning(card):
    assert distrust.of_trace(card, traced()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"size": (512, 768)}, "Traced at 512x768: the time is for that size, but the model"),
        ({"size": (1024, 384)}, "the model and its floor were fitted at 1024x768."),
        ({"time_s": 2.5}, "Traced at iTime 2.5: the model was fitted at iTime 1."),
        ({"program": SimpleNamespace(left_out="Only sky() is", is_part=False)}, "Only sky() is."),
        ({"largest_block_count": 10**9 + 1}, "more than any in the training data"),
    ],
)
def test_each_difference_is_a_warning_of_its_own(card, changes, said):
    (warning,) = distrust.of_trace(card, traced(**changes))
    assert said in warning


def test_without_a_limit_no_block_runs_too_often(card):
    unlimited = replace(card, largest_block_count=None)
    assert distrust.of_trace(unlimited, traced(largest_block_count=10**18)) == []


def line(number: int, file: str = ""):
    return SourceLine(file, number)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), "The output colour is left uninitialised"),
        ((line(7),), "Line 7 reads an uninitialised value:"),
        ((line(7), line(9, "a.glsl")), "Lines 7, a.glsl:9 read an uninitialised value:"),
        (tuple(map(line, range(1, 5))), "Lines 1, 2, 3, 4 read"),
        (tuple(map(line, range(1, 6))), "Lines 1, 2, 3, 4, … read"),
    ],
)
def test_uninitialised_reads_are_named_by_line_the_first_four(lines, said):
    (warning,) = distrust.uninitialised_reads(
        traced(uninitialised_reads=True, uninitialised_lines=lines)
    )
    assert warning.startswith(said)
    assert warning.endswith("what runs then differs between GPUs.")


def test_where_nothing_uninitialised_is_read_nothing_is_said():
    assert distrust.uninitialised_reads(traced()) == []


@pytest.fixture
def on_llvmpipe(card):
    device = "llvmpipe (LLVM 15.0.6, 256 bits)"
    return replace(card, target=replace(card.target, device=device))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({None}, "The shader divides by zero"),
        ({line(7), None}, "Line 7 divides by zero"),
        ({line(7), line(9)}, "Lines 7, 9 divide by zero"),
    ],
)
def test_divisions_by_zero_are_named_where_the_driver_drops_work_for_them(
    card, on_llvmpipe, lines, said
):
    (warning,) = distrust.undefined_values(on_llvmpipe, traced(undefined_results=frozenset(lines)))
    assert warning.startswith(said)
    assert distrust.undefined_values(card, traced(undefined_results=frozenset(lines))) == []


def test_both_kinds_of_undefined_values_are_warned_of(on_llvmpipe):
    both = traced(
        uninitialised_reads=True, uninitialised_lines=(), undefined_results=frozenset({line(3)})
    )
    first, second = distrust.undefined_values(on_llvmpipe, both)
    assert "uninitialised" in first
    assert "divides by zero" in second
