"""Who times is alone; who works is not."""

from __future__ import annotations

import random
import threading
import time

from shaderlab.campaigns.turns import Turns


def test_nothing_goes_on_beside_what_is_timed() -> None:
    turns = Turns()
    inside: list[str] = []
    seen: list[tuple[str, ...]] = []
    at_once = 0

    def go(seed: int) -> None:
        nonlocal at_once
        chance = random.Random(seed)
        for _ in range(30):
            kind = chance.choice(("timing", "working"))
            with getattr(turns, kind)():
                inside.append(kind)
                time.sleep(chance.random() * 1e-3)
                seen.append(tuple(inside))
                at_once = max(at_once, len(inside))
                inside.remove(kind)

    threads = [threading.Thread(target=go, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(seen) == 4 * 30
    assert all(present == ("timing",) for present in seen if "timing" in present)
    assert at_once > 1


def test_work_waits_for_who_waits_to_time() -> None:
    turns = Turns()
    order: list[str] = []

    def time_it() -> None:
        with turns.timing():
            order.append("timed")

    def work() -> None:
        with turns.working():
            order.append("worked")

    with turns.working():
        first = threading.Thread(target=time_it)
        first.start()
        end = time.monotonic() + 30
        while not turns._wanted and time.monotonic() < end:
            time.sleep(0.001)
        second = threading.Thread(target=work)
        second.start()
        time.sleep(0.05)
        assert order == []
    first.join(10)
    second.join(10)
    assert order == ["timed", "worked"]


def test_a_fault_in_a_turn_ends_it() -> None:
    turns = Turns()
    for turn in (turns.timing, turns.working):
        try:
            with turn():
                raise ValueError
        except ValueError:
            pass
    with turns.timing():
        pass
