"""The budgets file: what shaders may cost, by pattern and target."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field

from shaderlab import files, toml_text
from shaderlab.checks import durations, globs
from shaderlab.errors import WrongUse

FORMAT = 1
_MAX_BYTES = 1 << 20
_Text = Annotated[str, Meta(min_length=1, max_length=256)]
_Patterns = Annotated[list[_Text], Meta(max_length=256)]
_ByTarget = Annotated[dict[_Text, _Text], Meta(max_length=256)]


class _BudgetTable(Struct, forbid_unknown_fields=True):
    files: _Patterns | None = None
    """None: every file."""
    targets: _ByTarget = field(default_factory=dict)
    max_increase: _Text | _ByTarget | None = None


class _BudgetsTable(Struct, forbid_unknown_fields=True):
    format: int
    files: _Patterns = field(default_factory=list)
    exclude: _Patterns = field(default_factory=list)
    budget: Annotated[list[_BudgetTable], Meta(max_length=4096)] = field(default_factory=list)


@dataclass(frozen=True)
class Limit:
    """What holds for one file on one target."""

    seconds: float | None = None
    """None: any time is accepted."""
    increase: float | None = None
    """Most that the time may grow since the base, as a fraction; None: by any amount."""


@dataclass(frozen=True)
class Rule:
    """One `[[budget]]`, or what the command line says."""

    patterns: tuple[str, ...] | None
    """None: every file."""
    seconds: tuple[tuple[str, float], ...] = ()
    """By target."""
    increase: float | tuple[tuple[str, float], ...] | None = None
    """For all of the file's targets, or by target."""
    key: str = ""
    """Where it is written, for messages."""

    def holds_for(self, path: str) -> bool:
        return self.patterns is None or any(globs.matches(each, path) for each in self.patterns)


@dataclass(frozen=True)
class Budgets:
    """All rules; a later one overrides an earlier one, target by target."""

    rules: tuple[Rule, ...] = ()
    files: tuple[str, ...] = ()
    """Patterns of what is checked where the command line names nothing."""
    exclude: tuple[str, ...] = ()
    folder: Path | None = None
    """What patterns are relative to; None without a file."""

    def limits(self, path: Path, also: Sequence[str] = ()) -> dict[str, Limit]:
        """By target, in the order they are first named.  `also`: targets without a budget."""
        relative = self._relative(path)
        holding = [rule for rule in self.rules if rule.holds_for(relative)]
        seconds = {target: s for rule in holding for target, s in rule.seconds}
        named = {t: s for r in holding if isinstance(r.increase, tuple) for t, s in r.increase}
        targets = dict.fromkeys([*seconds, *named, *also])
        found = {}
        for target in targets:
            increase = None
            for rule in holding:
                if isinstance(rule.increase, tuple):
                    increase = dict(rule.increase).get(target, increase)
                elif rule.increase is not None:
                    increase = rule.increase
            found[target] = Limit(seconds.get(target), increase)
        return found

    def excludes(self, path: Path) -> bool:
        relative = self._relative(path)
        return any(globs.matches(each, relative) for each in self.exclude)

    def require_targets(self, known: Collection[str]) -> None:
        """Raise WrongUse, with the place, for a target that is not installed."""
        for rule in self.rules:
            increases = rule.increase if isinstance(rule.increase, tuple) else ()
            for target, _ in (*rule.seconds, *increases):
                if target not in known:
                    place = f"{rule.key}: " if rule.key else ""
                    raise WrongUse(
                        f'{place}no target is called "{target[:40]}"; there are '
                        f"{', '.join(sorted(known))}"
                    )

    def _relative(self, path: Path) -> str:
        """Unresolved, so that a link is matched by the name it has."""
        folder = self.folder or Path.cwd()
        try:
            found = os.path.relpath(path.absolute(), folder.absolute())
        except ValueError:  # another drive
            return path.as_posix()
        return Path(found).as_posix()


def read(path: Path) -> Budgets:
    """A budgets file.  Raises WrongUse with the key that is wrong."""
    try:
        text = files.read_bytes(path, _MAX_BYTES).decode()
    except UnicodeDecodeError:
        raise WrongUse(f"{path.name} is not a budgets file: it is not UTF-8 text") from None
    table = toml_text.table(text, _BudgetsTable, path.name)
    if table.format != FORMAT:
        raise WrongUse(f"{path.name}: format: {table.format} is not {FORMAT}: update shaderlab")
    for name, patterns in (("files", table.files), ("exclude", table.exclude)):
        _check_patterns(patterns, f"{path.name}: {name}")
    rules = tuple(
        _rule(each, f"{path.name}: budget[{number}]") for number, each in enumerate(table.budget)
    )
    return Budgets(rules, tuple(table.files), tuple(table.exclude), path.absolute().parent)


def _check_patterns(patterns: Sequence[str], key: str) -> None:
    for number, pattern in enumerate(patterns):
        try:
            globs.compiled(pattern)
        except WrongUse as error:
            raise WrongUse(f"{key}[{number}]: {error}") from None


def _rule(table: _BudgetTable, key: str) -> Rule:
    if not table.targets and table.max_increase is None:
        raise WrongUse(f"{key}: give targets, max_increase or both")
    if table.files is not None:
        _check_patterns(table.files, f"{key}.files")
    seconds = []
    for target, text in table.targets.items():
        try:
            seconds.append((target, durations.seconds(text)))
        except WrongUse as error:
            raise WrongUse(f"{key}.targets.{target[:40]}: {error}") from None
    try:
        given = table.max_increase
        increase = durations.increase(given) if isinstance(given, str) else None
        if isinstance(given, dict):
            increase = tuple((target, durations.increase(text)) for target, text in given.items())
    except WrongUse as error:
        raise WrongUse(f"{key}.max_increase: {error}") from None
    patterns = None if table.files is None else tuple(table.files)
    return Rule(patterns, tuple(seconds), increase, key)
