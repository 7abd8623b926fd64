"""How long a shader is timed, which is too slow, and that each step ends what the last one made."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest

from shaderlab.campaigns.measuring import Effort, MeasuringServer, TooSlow, picture_kind


class Made:
    """What a step makes on the device: the draws to time, or the tracer."""

    def __init__(self, gpu_s: float = 0.01, again: tuple[float, float] = (0.0, 0.0)):
        self.single = SimpleNamespace(gpu_s=gpu_s)
        self._again = SimpleNamespace(gpu_s=again[0], cpu_s=again[1])
        self.trials: list[int] = []
        self.warm = self.closed = False

    def __enter__(self) -> Made:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True

    def warm_up(self) -> None:
        self.warm = True

    def trial(self, draws: int) -> SimpleNamespace:
        self.trials.append(draws)
        return self._again


class Server(MeasuringServer):
    """On a device whose draws take as long as a test says."""

    def __init__(self, kind: str, *made: Made):
        self._device = SimpleNamespace(info=SimpleNamespace(kind=kind))
        left = iter(made)
        self._profiling = SimpleNamespace(
            TimedDraws=lambda *_: next(left), measure=lambda *given, **how: (given, how)
        )
        self._tracing = SimpleNamespace(prepare=lambda *_: None, require_end=lambda *_: None)
        self._made = ExitStack()


@pytest.mark.parametrize(("kind", "warm"), [("software", True), ("discrete", False)])
def test_only_software_devices_are_warmed_up(kind, warm):
    made = Made()
    Server(kind, made).make_timed("draw")
    assert made.warm is warm


def test_a_step_that_was_not_gone_on_with_is_ended_by_the_next():
    timed, last = Made(), Made()
    server = Server("discrete", timed, last)
    server.make_timed("draw")
    assert not timed.closed
    server.make_traced("draw")
    assert timed.closed
    server.make_timed("draw")
    server.time(Effort())
    assert last.closed


@pytest.mark.parametrize(("kind", "settled"), [("software", 0.02), ("discrete", None)])
def test_a_gpu_says_itself_when_the_mean_is_known(kind, settled):
    server = Server(kind, Made(gpu_s=0.1))
    server.make_timed("draw")
    _, how = server.time(Effort())
    assert how["settled"] == settled


def test_what_is_timed_follows_from_the_first_draw():
    made, effort = Made(gpu_s=0.1), Effort(settled=0.07)
    server = Server("discrete", made)
    server.make_timed("draw")
    (timed, chosen), how = server.time(effort)
    assert timed is made
    assert chosen == effort.plan(0.1, "discrete")
    assert how == {"checked": False, "settled": 0.07}
    assert made.trials == [], "quick enough at once"


@pytest.mark.parametrize(
    ("kind", "again", "slow"),
    [
        ("discrete", (1.0, 9.0), False),
        ("discrete", (9.0, 1.0), True),
        ("software", (9.0, 1.0), False),
        ("software", (1.0, 9.0), True),
    ],
)
def test_a_slow_first_draw_has_a_second_chance_by_the_devices_own_clock(kind, again, slow):
    made = Made(6.0, again)
    server = Server(kind, made)
    server.make_timed("draw")
    if slow:
        with pytest.raises(TooSlow, match="takes 9 s per draw, longer than 5 s"):
            server.time(Effort(slowest_s=5.0))
    else:
        (_, chosen), _ = server.time(Effort(slowest_s=5.0))
        assert chosen == Effort(slowest_s=5.0).plan(1.0, kind)
    assert made.trials == [1]
    assert made.closed


def test_exactly_the_slowest_is_still_timed():
    made = Made(5.0)
    server = Server("discrete", made)
    server.make_timed("draw")
    server.time(Effort(slowest_s=5.0))
    assert made.trials == []


@pytest.mark.parametrize(
    ("colours", "kind"),
    [
        ([(0, 0, 0), (0, 0, 0)], "black"),
        ([(255, 255, 255), (255, 255, 255)], "white"),
        ([(255, 255, 0), (255, 255, 0)], "constant"),
        ([(0, 0, 0), (0, 1, 0)], "varied"),
    ],
)
def test_what_a_picture_shows_goes_by_its_colours_alone(colours, kind):
    pixels = np.array([[(*colour, alpha) for alpha, colour in enumerate(colours)]], np.uint8)
    assert picture_kind(pixels) == kind
