"""What would leave the machine, field by field, before it does.

Every field of the schema has its line, those that hold nothing included, so that what is not
there can be seen as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shaderlab.errors import InvalidSample, WrongUse
from shaderlab.samples import recording, schema, validation
from shaderlab.samples.sample import Rule, Sample
from shaderlab.samples.schema import Column, Kind

_MOST_NAMED = 3
_LONGEST = 120
NOTHING = "nothing"


@dataclass(frozen=True)
class FieldReview:
    """One field over all samples."""

    path: str
    """`device.driver`, `trace.blocks[].count`."""
    holds: str
    """What its values are: all of them where they are few, else how many and between which."""
    meaning: str
    """As the schema documents it."""


@dataclass(frozen=True)
class SourceReview:
    """One shader's text that would go along."""

    program: str
    """Its digest."""
    license: str
    text: str


@dataclass(frozen=True)
class Review:
    """A set of samples as it would be exported."""

    samples: int
    programs: int
    devices: Mapping[str, int]
    """Samples by device name."""
    sources: tuple[SourceReview, ...]
    fields: tuple[FieldReview, ...]
    """In the order of the schema."""


def without_sources(sample: Sample) -> Sample:
    """The sample with no text; its id stays, as it does not depend on the text."""
    return replace(sample, program=replace(sample.program, text=None, license=None))


def without(samples: Sequence[Sample], path: str) -> list[Sample]:
    """The samples with nothing in one field, such as `device.clocks`, and the ids that gives them.

    Raises WrongUse where a sample needs it, or there is no such field.
    """
    try:
        emptied = [_emptied(sample, path.split(".")) for sample in samples]
        made = [
            recording.identified(
                replace(s, schema=recording.version_of(s.textures, s.launch, s.timing))
            )
            for s in emptied
        ]
        for sample in made:
            validation.check(sample)
    except InvalidSample as error:
        raise WrongUse(f"{path} cannot be left out: {error}") from None
    return made


def _emptied(record: Any, path: Sequence[str]) -> Any:
    name, *inside = path
    column = next((each for each in schema.columns(type(record)) if each.name == name), None)
    if column is None:
        raise InvalidSample("there is no such field")
    value = getattr(record, name)
    if inside:
        if column.kind is not Kind.RECORD or value is None:
            raise InvalidSample("it is no field of every sample")
        return replace(record, **{name: _emptied(value, inside)})
    if not column.nullable:
        raise InvalidSample("a sample needs it")
    return replace(record, **{name: None})


def review(samples: Sequence[Sample]) -> Review:
    """Describe exactly the rows an export of these samples writes."""
    rows = [schema.to_row(sample) for sample in samples]
    sources = {
        (s.program.digest, s.program.license or "", s.program.text)
        for s in samples
        if s.program.text is not None
    }
    return Review(
        samples=len(samples),
        programs=len({s.program.digest for s in samples}),
        devices=dict(sorted(Counter(s.device.name for s in samples).items())),
        sources=tuple(SourceReview(*source) for source in sorted(sources)),
        fields=tuple(_fields(Sample, "", rows)),
    )


def _fields(record: type, place: str, rows: Sequence[Mapping]) -> Iterator[FieldReview]:
    for column in schema.columns(record):
        path = f"{place}.{column.name}" if place else column.name
        values = [value for row in rows if (value := row.get(column.name)) is not None]
        inside, into = values, path
        if column.kind is Kind.LIST and column.record:
            inside, into = [entry for value in values for entry in value], f"{path}[]"
        holds = _holds(column, values)
        missing = len(rows) - len(values)
        if missing and values:
            holds += f"; {NOTHING} in {missing:,}"
        yield FieldReview(path, holds, column.rule.text)
        if column.record is not None:
            yield from _fields(column.record, into, inside)


def _holds(column: Column, values: Sequence[Any]) -> str:
    if not values:
        return NOTHING
    match column.kind:
        case Kind.RECORD:
            return _times(len(values), "record")
        case Kind.MAP:
            names = sorted({name for value in values for name in value})
            return f"{_times(len(names), 'name')} with a number each: {_named(names)}"
        case Kind.LIST if column.record:
            return _times(sum(map(len, values)), "record")
        case Kind.LIST:
            lengths = _span(map(len, values))
            entries = [entry for value in values for entry in value]
            if not entries:
                return "empty"
            return f"{lengths} numbers each, {_span(entries)}"
        case Kind.STRING:
            return _texts(column.rule, values)
        case _:
            return _span(values)


def _texts(rule: Rule, values: Sequence[str]) -> str:
    if rule.longest is not None and rule.longest > 10_000:  # a source: shown apart, in full
        characters = sum(map(len, values))
        return f"{_times(len(values), 'text')}, {characters:,} characters"
    distinct = sorted(set(values))
    if len(distinct) <= _MOST_NAMED:
        return _named(distinct)
    return f"{len(distinct):,} different, such as {_shortened(distinct[0])}"


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return _shortened(shown) + (", …" if len(names) > _MOST_NAMED else "")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _span(numbers: Iterable[float]) -> str:
    found = list(numbers)
    low, high = min(found), max(found)
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def _times(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("s" if n != 1 else "")
