import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.shell.arrangements import ARRANGEMENTS, Room, columns, room
from shaderlab.app.shell.commands.table import COMMANDS
from shaderlab.app.shell.panels import PANELS


@pytest.mark.parametrize(
    ("width", "kind"),
    [
        (320, Room.NARROW),
        (640, Room.NARROW),
        (799, Room.NARROW),
        (800, Room.HALF),
        (960, Room.HALF),
        (1280, Room.WIDE),
        (1920, Room.WIDE),
        (3840, Room.LARGE),
    ],
)
def test_the_kind_of_a_window(width, kind):
    assert room(width) is kind


@given(st.sampled_from(Room), st.lists(st.sampled_from([p.name for p in PANELS]), unique=True))
def test_every_panel_has_one_place(kind, names):
    groups = [group for column in columns(ARRANGEMENTS[kind], names) for group in column]
    assert sorted(name for group in groups for name in group) == sorted(names)
    assert all(groups)


def test_a_panel_that_no_arrangement_names_is_among_the_others():
    assert columns(ARRANGEMENTS[Room.HALF], ["preview", "later"]) == [[["preview"]], [["later"]]]


def test_only_known_panels_are_arranged():
    known = {panel.name for panel in PANELS} | {"*"}
    for arrangement in ARRANGEMENTS.values():
        for column in arrangement.columns:
            assert {name for group in column for name in group} <= known


def test_digits_follow_the_order_of_the_tabs():
    shortcuts = [panel.shortcut for panel in PANELS if panel.shortcut.startswith("Alt+")]
    digits = [int(text.removeprefix("Alt+")) or 10 for text in shortcuts]
    assert digits == sorted(digits)


def test_each_panel_has_its_command():
    ids = {command.id for command in COMMANDS}
    assert {f"view.{panel.name}" for panel in PANELS} <= ids
