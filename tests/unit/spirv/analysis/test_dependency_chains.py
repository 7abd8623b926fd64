"""Chains over made-up steps, against a search of all ways."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.analysis.dependency_chains import Link, Step, longest

INPUTS = 4
"""Values that are there before the first step: ids 1 to 4."""


@st.composite
def straight_code(draw: st.DrawFn) -> list[Step]:
    """Steps that read what is there or was made before, and memory at two places."""
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 12))):
        own = INPUTS + 1 + number
        needs = draw(st.lists(st.sampled_from([*range(1, own), -1, -2]), max_size=3))
        result = draw(st.sampled_from([own, -1, -2]))
        cycles = draw(st.integers(0, 9))
        steps.append(Step(result, tuple(needs), number, f"op{number}", cycles))
    return steps


def ways(steps: list[Step]) -> dict[int, set[int]]:
    """By step: the steps whose result it reads."""
    found: dict[int, set[int]] = {}
    maker: dict[int, int] = {}
    for number, step in enumerate(steps):
        found[number] = {maker[id] for id in step.needs if id in maker}
        maker[step.result] = number
    return found


def cycles(links: tuple[Link, ...]) -> int:
    return sum(link.cycles for link in links)


@given(straight_code())
def test_through_is_the_longest_way_there_is(steps):
    before = ways(steps)

    def up_to(number: int) -> int:
        return steps[number].cycles + max(map(up_to, before[number]), default=0)

    links, none = longest(steps, None)
    assert none == ()
    assert cycles(links) == max(map(up_to, before))
    order = [link.instruction for link in links]
    assert order == sorted(set(order))


@given(straight_code(), st.lists(st.tuples(st.integers(1, INPUTS), st.integers(5, 16)), max_size=4))
def test_carried_is_the_longest_way_from_a_value_to_itself(steps, taken_over):
    before = ways(steps)
    maker = {step.result: number for number, step in enumerate(steps)}

    def since(number: int, start: int) -> int | None:
        """The cycles of the longest way to the step from a value; None where there is none."""
        read_first = start in steps[number].needs and not any(
            steps[other].result == start for other in range(number)
        )
        ahead = [each for other in before[number] if (each := since(other, start)) is not None]
        lengths = ahead + [0] * read_first
        return max(lengths) + steps[number].cycles if lengths else None

    memory = [(place, place) for place in (-1, -2)]
    found = [since(maker[end], start) or 0 for start, end in (*taken_over, *memory) if end in maker]
    assert cycles(longest(steps, taken_over)[1]) == max(found, default=0)


def test_rounds_that_take_nothing_over_have_no_chain():
    steps = [Step(5, (1,), 0, "Sin", 80), Step(6, (5,), 1, "Exp", 40)]

    def carried(*taken_over: tuple[int, int]) -> list[str]:
        return [link.operation for link in longest(steps, taken_over)[1]]

    assert carried() == []
    assert carried((2, 6)) == []
    assert carried((1, 6)) == ["Sin", "Exp"]
    assert carried((1, 5), (2, 6)) == ["Sin"]
