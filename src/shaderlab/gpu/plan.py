"""How many trials and draws a measurement takes, and how long that is."""

from __future__ import annotations

from typing import NamedTuple

SUBMISSION_S = 0.5
"""A submission stays below this where a draw does: GPU watchdogs act after 2 s at the soonest."""

MEASUREMENT_S = 20.0
"""All trials together stay below this, but for the fewest there must be."""

FEWEST_TRIALS = 3

LINE_TRIALS = 3
"""Submissions per smaller number of draws, for the check of linearity."""


class Plan(NamedTuple):
    trials: int
    draws: int
    """Draws per trial."""

    def seconds(self, draw_s: float) -> float:
        """How long a checked measurement takes of a draw that takes `draw_s`."""
        checked = LINE_TRIALS * sum(fewer_draws(self.draws))
        # The plan rests on two draws; the second of them is a trial where trials are single draws.
        drawn = 2 + (self.trials + 1) * self.draws if self.draws > 1 else 1 + self.trials
        return draw_s * (drawn + checked)


def plan(
    draw_s: float,
    trials: int,
    draws: int,
    *,
    submission_s: float = SUBMISSION_S,
    measurement_s: float = MEASUREMENT_S,
    fewest: int = FEWEST_TRIALS,
) -> Plan:
    """Trials and draws for a shader that takes `draw_s` per draw: at most those wanted.

    A trial has as many draws as fit into `submission_s`, one at least; all trials together stay
    below `measurement_s`, but for the `fewest`.
    """
    draw_s = max(draw_s, 1e-9)
    draws = max(1, min(draws, int(submission_s / draw_s)))
    affordable = int(measurement_s / (draws * draw_s))
    return Plan(min(trials, max(fewest, affordable)), draws)


def fewer_draws(draws: int) -> tuple[int, ...]:
    """Numbers of draws to check the linearity of `draws` with; none where they are too few."""
    return (draws // 2, draws // 4) if draws >= 4 else ()
