from collections import Counter

import pytest

from shaderlab import locations
from shaderlab.app.qt import QKeySequence
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell.commands import table
from shaderlab.app.shell.commands.actions import Actions
from shaderlab.app.shell.commands.table import (
    COMMANDS,
    HEAT_COMMANDS,
    MENUS,
    PANEL_COMMANDS,
    SEPARATOR,
    THEME_COMMANDS,
    TOOLBAR,
)
from shaderlab.app.shell.main_window import MainWindow

IDS = {command.id for command in COMMANDS}


def test_every_command_has_a_shortcut_of_its_own():
    keys = Counter(
        QKeySequence(text).toString()
        for command in COMMANDS
        for text in command.shortcut.split("; ")
    )
    assert "" not in keys
    assert [key for key, times in keys.items() if times > 1] == []


def test_every_command_is_bound_once_and_nothing_else_is(qtbot, tmp_path):
    """The window binds them, which fails for what is no command, or is bound already."""
    window = MainWindow(Session(), SettingsStore(tmp_path / "settings.ini"), Settings())
    qtbot.addWidget(window)
    assert window.actions_.unbound == frozenset()
    assert {command.id for command in window.actions_.commands} == IDS


def test_a_command_is_bound_once_to_what_it_does(qapp):
    calls = []
    actions = Actions(qapp)
    actions.bind({"file.new": lambda: calls.append("new"), "view.wrap": calls.append})
    assert actions.unbound == IDS - {"file.new", "view.wrap"}
    with pytest.raises(ValueError, match="bound twice"):
        actions.bind({"file.new": lambda: None})
    with pytest.raises(KeyError):
        actions.bind({"file.nonsense": lambda: None})
    actions["file.new"].trigger()
    actions["view.wrap"].trigger()
    actions["view.wrap"].trigger()
    assert calls == ["new", True, False]


def test_every_command_is_in_exactly_one_menu():
    sub_menus = {"recent", "panels", "theme", "heat", "devices", "geometry", "reading", "vertex"}
    listed = [e for _, entries in MENUS for e in entries if e != SEPARATOR and e not in sub_menus]
    panels = [entry for entry in PANEL_COMMANDS if entry != SEPARATOR]
    assert Counter([*listed, *THEME_COMMANDS, *HEAT_COMMANDS, *panels]) == Counter(IDS)


def test_toolbar_commands_exist_and_have_icons():
    icons = {command.id: command.icon for command in COMMANDS}
    assert all(icons[entry] for entry in TOOLBAR if entry != SEPARATOR)
    assert set(table.TEXT_BESIDE_ICON) <= set(TOOLBAR)


def test_every_icon_is_drawn_and_takes_the_themes_colour():
    folder = locations.resources() / "icons"
    for command in COMMANDS:
        if command.icon:
            assert "currentColor" in (folder / f"{command.icon}.svg").read_text()


def test_names_in_the_palette_are_told_apart():
    names = [table.palette_text(command) for command in COMMANDS]
    assert len(set(names)) == len(names)
    assert not any("&" in name for name in names)
