from collections import Counter

from shaderlab import locations
from shaderlab.app.qt import QKeySequence
from shaderlab.app.shell import commands
from shaderlab.app.shell.commands import (
    COMMANDS,
    HEAT_COMMANDS,
    MENUS,
    SEPARATOR,
    THEME_COMMANDS,
    TOOLBAR,
)
from shaderlab.app.shell.handlers import Handlers

IDS = {command.id for command in COMMANDS}


def test_every_command_has_a_shortcut_of_its_own():
    keys = Counter(
        QKeySequence(text).toString()
        for command in COMMANDS
        for text in command.shortcut.split("; ")
    )
    assert "" not in keys
    assert [key for key, times in keys.items() if times > 1] == []


def test_every_command_does_something():
    missing = [command.id for command in COMMANDS if not hasattr(Handlers, command.method)]
    assert missing == []


def test_every_command_is_in_exactly_one_menu():
    sub_menus = {"recent", "theme", "heat", "devices"}
    listed = [e for _, entries in MENUS for e in entries if e != SEPARATOR and e not in sub_menus]
    assert Counter([*listed, *THEME_COMMANDS, *HEAT_COMMANDS]) == Counter(IDS)


def test_toolbar_commands_exist_and_have_icons():
    icons = {command.id: command.icon for command in COMMANDS}
    assert all(icons[entry] for entry in TOOLBAR if entry != SEPARATOR)
    assert set(commands.TEXT_BESIDE_ICON) <= set(TOOLBAR)


def test_every_icon_is_drawn_and_takes_the_themes_colour():
    folder = locations.resources() / "icons"
    for command in COMMANDS:
        if command.icon:
            assert "currentColor" in (folder / f"{command.icon}.svg").read_text()


def test_names_in_the_palette_are_told_apart():
    names = [commands.palette_text(command) for command in COMMANDS]
    assert len(set(names)) == len(names)
    assert not any("&" in name for name in names)
