import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.qt import QKeySequence
from shaderlab.app.shell.commands.table import COMMANDS
from shaderlab.app.shell.key_bindings import (
    PRESETS,
    assigned,
    conflicts,
    decoded,
    defaults,
    encoded,
    preset,
    users_of,
)

IDS = [command.id for command in COMMANDS]
KEYS = ["Ctrl+D", "F2", "Ctrl+K, Ctrl+S", "Ctrl+K", "Alt+Q", "Ctrl+Shift+["]


@pytest.mark.parametrize("name", list(PRESETS))
def test_no_preset_has_a_conflict_or_a_stranger(name):
    assert conflicts(preset(name)) == {}
    assert set(PRESETS[name]) <= set(IDS)
    for keys in PRESETS[name].values():
        assert [QKeySequence(key).toString() for key in keys] == list(keys)


def test_only_what_differs_is_written():
    assert encoded(defaults()) == []
    assert encoded(assigned(defaults(), "edit.fold", "Alt+Q")) == ["edit.fold=Alt+Q; Ctrl+Shift+["]


@given(st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(KEYS)), max_size=5))
def test_what_is_assigned_survives_writing_and_conflicts_with_nothing(steps):
    bindings = defaults()
    for command_id, key in steps:
        bindings = assigned(bindings, command_id, key)
        assert bindings[command_id][0] == QKeySequence(key).toString()
    assert conflicts(bindings) == {}
    assert decoded(encoded(bindings)) == bindings


def test_a_chord_clashes_with_its_first_key():
    bindings = defaults() | {"edit.fold": ("Ctrl+K, Ctrl+S",), "edit.undo": ("Ctrl+K",)}
    assert users_of("Ctrl+K", bindings, "edit.undo") == ["edit.fold"]
    assert conflicts(bindings) == {"edit.fold": ["edit.undo"], "edit.undo": ["edit.fold"]}


def test_lines_that_make_no_sense_are_left_out():
    lines = ["nonsense", "edit.none=F2", "edit.undo=Hyper+Blub", "edit.fold=", "=", "edit.redo=F2"]
    made = decoded(lines)
    assert made == defaults() | {"edit.fold": (), "edit.redo": ("F2",)}
    assert conflicts(made)["edit.redo"] == ["edit.rename"]
