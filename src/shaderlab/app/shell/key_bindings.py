"""Which keys trigger which command: the defaults, presets, and what the user changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shaderlab.app.qt import QKeySequence
from shaderlab.app.shell.commands.table import COMMANDS, Command

Bindings = dict[str, tuple[str, ...]]
"""Portable key sequences by command id; the first one is shown in menus."""

PRESETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "shaderlab": {},
    "VS Code": {
        "run.compile": ("Ctrl+Shift+B",),
        "edit.fold_all": ("Ctrl+K, Ctrl+0",),
        "help.shortcuts": ("Ctrl+K, Ctrl+S",),
        "view.side": ("Ctrl+J", "Ctrl+B"),
        "view.other_view": ("Ctrl+K, Ctrl+Right",),
        "view.notifications": ("Ctrl+K, Ctrl+Shift+N",),
    },
}
"""What each preset changes of the defaults.  Most defaults are VS Code's already."""


def defaults(commands: Iterable[Command] = COMMANDS) -> Bindings:
    """As the table of commands has them."""
    return {each.id: _sequences(each.shortcut.split("; ")) for each in commands}


def preset(name: str, commands: Iterable[Command] = COMMANDS) -> Bindings:
    """All bindings of a preset.  Raises KeyError for one there is none of."""
    made = defaults(commands)
    return made | {key: keys for key, keys in PRESETS[name].items() if key in made}


def decoded(lines: Iterable[str], commands: Iterable[Command] = COMMANDS) -> Bindings:
    """The defaults, changed as `lines` of the settings say: `command=keys; keys`.

    Lines about no command, or with what is no key, are left out.
    """
    made = defaults(commands)
    for line in lines:
        command_id, equals, text = line.partition("=")
        keys = _sequences(text.split("; ")) if text else ()
        if equals and command_id in made and (keys or not text):
            made[command_id] = keys
    return made


def encoded(bindings: Bindings, commands: Iterable[Command] = COMMANDS) -> list[str]:
    """What of the bindings differs from the defaults, as lines for the settings."""
    usual = defaults(commands)
    changed = ((key, keys) for key, keys in bindings.items() if usual.get(key) != keys)
    return [f"{key}={'; '.join(keys)}" for key, keys in changed]


def users_of(sequence: str, bindings: Bindings, but: str = "") -> list[str]:
    """Ids of the commands, other than `but`, that conflict with this sequence: they have it,
    or one of the two begins with the other."""
    wanted = QKeySequence(sequence)
    if wanted.isEmpty():
        return []
    return [
        command_id
        for command_id, keys in bindings.items()
        if command_id != but and any(_clash(wanted, QKeySequence(key)) for key in keys)
    ]


def conflicts(bindings: Bindings) -> dict[str, list[str]]:
    """For each command whose keys another one has too: those others."""
    found = {
        key: sorted({user for text in keys for user in users_of(text, bindings, key)})
        for key, keys in bindings.items()
    }
    return {key: others for key, others in found.items() if others}


def assigned(bindings: Bindings, command_id: str, sequence: str) -> Bindings:
    """With this sequence as the command's first, taken from whichever command had it."""
    made = dict(bindings)
    for other in users_of(sequence, bindings, command_id):
        wanted = QKeySequence(sequence)
        made[other] = tuple(k for k in made[other] if not _clash(wanted, QKeySequence(k)))
    rest = (key for key in made[command_id] if key != sequence)
    made[command_id] = (sequence, *rest) if sequence else ()
    return made


def _clash(one: QKeySequence, other: QKeySequence) -> bool:
    none = QKeySequence.SequenceMatch.NoMatch
    return one.matches(other) != none or other.matches(one) != none


def _sequences(texts: Iterable[str]) -> tuple[str, ...]:
    """In Qt's own spelling; without what is none."""
    made = (QKeySequence(text) for text in texts)
    texts = (each.toString() for each in made if each.count())
    return tuple(dict.fromkeys(text for text in texts if text))
