"""Hooks of mpv as frames: their sizes, who reads whose picture, and what is refused."""

from __future__ import annotations

import pytest

from shaderlab.errors import WrongUse
from shaderlab.projects.communities import project_in
from shaderlab.scene.draw import CANONICAL_SIZE, DrawState
from shaderlab.scene.textures import NoisePicture, PassPicture, Pattern

BODY = "vec4 hook() { return vec4(1.0); }\n"


@pytest.fixture
def opened(tmp_path):
    def of(*heads: str, name: str = "case.hook"):
        path = tmp_path / name
        path.write_text("".join(f"{_head(head)}{BODY}\n" for head in heads))
        return project_in(path)

    return of


def _head(lines: str) -> str:
    return "".join(f"//!{line.strip()}\n" for line in lines.split(";"))


def sizes(project) -> list[tuple[int, int]]:
    return [each.size for each in project.rule.states(project, project.state)]


def reads(state) -> dict:
    return {name: each.value.source for name, each in state.inputs.textures.items()}


SMALL = "HOOK MAIN; BIND HOOKED; SAVE A; WIDTH HOOKED.w 4 /; HEIGHT 3"
TWICE = "HOOK MAIN; BIND A; WIDTH HOOKED.w 2 *; HEIGHT HOOKED.h 2 *"


def test_the_film_has_the_size_at_which_the_last_stage_leaves_the_picture(opened):
    project = opened(SMALL, TWICE)
    assert sizes(project) == [(128, 3), CANONICAL_SIZE], "of a film of 512 x 384"
    assert [each.name for each in project.passes] == ["1"]
    assert reads(project.passes[0].state) == {"HOOKED_raw": Pattern.GRADIENT}
    assert reads(project.state)["A_raw"] == PassPicture("1")


def test_what_is_hooked_is_what_was_last_saved_there(opened):
    project = opened("HOOK MAIN; BIND HOOKED", "HOOK MAIN; BIND MAIN", "HOOK MAIN; BIND HOOKED")
    first, second = (reads(each.state) for each in project.passes)
    assert first["HOOKED_raw"] == Pattern.GRADIENT
    assert second["MAIN_raw"] == PassPicture("1")
    assert reads(project.state)["HOOKED_raw"] == PassPicture("2")


def test_stages_run_in_the_order_of_their_hooks_and_where_they_may(opened):
    project = opened(
        "HOOK OUTPUT; BIND HOOKED; WIDTH OUTPUT.w; HEIGHT OUTPUT.h; DESC last",
        "HOOK MAIN; BIND HOOKED; WHEN OUTPUT.w MAIN.w = !; DESC only larger",
        "HOOK LUMA; HOOK CHROMA; BIND HOOKED; DESC both",
        "HOOK MAIN; BIND HOOKED; WHEN OUTPUT.w MAIN.w <; DESC only smaller",
    )
    assert [each.name for each in project.passes] == [
        "3 both LUMA",
        "3 both CHROMA",
        "2 only larger",
    ]
    assert project.entry == "1"


def test_data_of_the_text_has_its_size_and_is_seen_as_a_stand_in(opened):
    project = opened(
        "HOOK LUMA; BIND HOOKED; BIND table", "TEXTURE table; SIZE 5 648; FORMAT rgba16f"
    )
    assert reads(project.state)["table"] == NoisePicture((5, 648))


def test_one_stage_that_needs_no_frame_is_no_project(opened):
    assert opened("HOOK LUMA; BIND HOOKED") is None
    assert opened("BIND HOOKED") is None
    assert opened(SMALL, TWICE, name="case.frag") is None


@pytest.mark.parametrize(
    ("heads", "says"),
    [
        (["HOOK MAIN"] * 100, "100 stages; at most 64"),
        (["HOOK EVERYTHING"] * 2, 'stage 1: HOOK "EVERYTHING" is not one of'),
        (["HOOK MAIN; BIND B", TWICE], "stage 1: it binds B, which nothing before it saves"),
        (["HOOK MAIN; WIDTH HOOKED.w 1e9 *"], "stage 1: WIDTH: .* a side has 1 to 16,384"),
        (["HOOK MAIN; HEIGHT HOOKED.h -1 *"], "stage 1: HEIGHT: .* a side has 1 to 16,384"),
        (["HOOK MAIN; WIDTH 1 0 /"], 'stage 1: WIDTH: cannot compute "1 0 /"'),
        (["HOOK MAIN; WIDTH +"], "cannot compute"),
        (["HOOK MAIN; WIDTH NONE.w"], "cannot compute"),
        (["HOOK MAIN; WIDTH 1 2"], "cannot compute"),
        (["HOOK MAIN; WHEN " + "1 1 * " * 5000, TWICE], "stage 1: WHEN: cannot compute"),
        (["HOOK MAIN; COMPUTE 8 8", TWICE], "compute shader"),
        (["HOOK MAIN; WIDTH 7; HEIGHT 9"], "no size of the film was found"),
        (["HOOK MAIN; BIND T", "TEXTURE T; SIZE 4 100000"], "TEXTURE T: SIZE must have"),
        (["HOOK MAIN; BIND T", "TEXTURE T; SIZE"], "TEXTURE T: SIZE must have"),
        (["HOOK MAIN; BIND HOOKED", "BUFFER B"], "data of its own"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(opened, heads, says):
    with pytest.raises(WrongUse, match=rf"^case\.hook: .*{says}"):
        opened(*heads)


def test_another_size_at_which_other_stages_run_is_refused(opened):
    project = opened(
        "HOOK MAIN; SAVE B; WHEN MAIN.w 300 >",
        "HOOK MAIN; BIND HOOKED; WIDTH 2 HOOKED.w *; HEIGHT 2 HOOKED.h *",
    )
    small = DrawState.of((64, 32))
    with pytest.raises(WrongUse, match="other stages run"):
        project.rule.states(project, small)
