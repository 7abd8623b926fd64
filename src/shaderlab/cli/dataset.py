"""`dataset`: look at, check and exchange samples."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import Any

from shaderlab import files
from shaderlab.cli import sharing
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.sharing import compile_with
from shaderlab.cli.terminal import one_line, table
from shaderlab.samples.choice import FIGURES_LICENCE
from shaderlab.workers.compiler import CompilerWorker

_SHOWN = 20
_MOST_LISTED = 10_000
"""Rows that are refused, in JSON."""


def _options(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    output = argparse.ArgumentParser(add_help=False)
    # Left out after the action, it must not undo what stood before it.
    output.add_argument("--json", action="store_true", default=argparse.SUPPRESS)

    def act(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=text, description=text, parents=[output])

    for name, text in (
        (
            "stats",
            "Describe a data set by device: tests passed, instructions, times and their scatter.",
        ),
        ("validate", "Check every row; exit code 1 if one is refused."),
    ):
        act(name, text).add_argument("path", type=Path, metavar="PATH")
    exporting = act("export", "Write a store's samples as Parquet, with a data-set card.")
    exporting.add_argument("-o", "--output", type=Path, required=True, metavar="F.parquet")
    reviewing = act("review", "Show, field by field, what an export would hold.")
    for choosing in (exporting, reviewing):
        choosing.add_argument("path", type=Path, metavar="STORE")
        choosing.add_argument("--device", metavar="SLUG", help="only samples of this device")
        choosing.add_argument(
            "--without-sources", action="store_true", help="leave out sources recorded to share"
        )
    exporting.add_argument(
        "--licence",
        metavar="SPDX",
        default=FIGURES_LICENCE,
        help=f"of the figures (default {FIGURES_LICENCE})",
    )
    merging = act("merge", "Merge data sets; equal samples count once.")
    merging.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    merging.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="F",
        help="a Parquet file, which is replaced, or a store (NAME.db), which is added to",
    )
    merging.add_argument("--refit", action="store_true", help=sharing.REFIT)

    sharing.add_options(act)
    act("schema", "The schema's documentation; with --json its JSON Schema.")


def dataset(arguments: argparse.Namespace) -> Answer:
    return _DATASET[arguments.action](arguments)


def _stats(arguments: argparse.Namespace) -> Answer:
    from shaderlab.cli.texts import statistics as texts
    from shaderlab.samples import exchange
    from shaderlab.samples.statistics import reasons, statistics

    found = exchange.stats(arguments.path)
    devices = statistics(exchange.accepted(arguments.path))
    tried = reasons(arguments.path)
    data = {
        "rows": found.rows,
        "shaders": found.shaders,
        "devices": found.devices,
        "without_sample": tried,
    }
    rows = [(name, str(n)) for name, n in found.devices.items()]
    text = f"{found.rows} rows, {found.shaders} shaders\n{table(('device', 'rows'), rows)}"
    if tried:
        listed = ", ".join(f"{count} {one_line(reason)}" for reason, count in tried.items())
        text += f"\ntried without a sample: {sum(tried.values())} ({listed})"
    return Answer(data | texts.data(devices), "\n\n".join([text, *map(texts.text, devices)]))


def _validate(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import exchange
    from shaderlab.samples.sources import FOREIGN, Sources, Standing

    rows = accepted = 0
    refused: list[dict[str, Any]] = []
    with closing(CompilerWorker()) as compiler:
        sources = Sources(compile_with(compiler))
        for number, sample, reason in exchange.read(arguments.path):
            rows += 1
            if sample is not None and sources.is_foreign(sample.program):
                sample, reason = None, FOREIGN
            accepted += sample is not None
            if sample is None and len(refused) < _MOST_LISTED:
                refused.append({"row": number, "reason": reason})
    lines = [f"{rows} rows, {accepted} accepted"]
    data: dict[str, Any] = {"rows": rows, "accepted": accepted, "rejected": refused}
    if sources.counts:
        found = {each.value: sources.counts[each] for each in Standing}
        data["sources"] = found
        lines.append("sources: " + ", ".join(f"{n} {standing}" for standing, n in found.items()))
    lines += _refused(refused, rows - accepted)
    return Answer(data, "\n".join(lines), 1 if refused else 0)


def _export(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import contribution
    from shaderlab.samples.choice import Choice

    choice = Choice(arguments.device, sources=not arguments.without_sources)
    with closing(CompilerWorker()) as compiler:
        done = contribution.export(
            arguments.path, arguments.output, choice, arguments.licence, compile_with(compiler)
        )
    lines = [
        f"{done.rows} rows in {done.data} ({done.size_bytes:,} bytes), described in {done.card}",
        f"sources that leave this machine with it: {done.sources}",
    ]
    if done.unverified:
        lines.append(f"sources that could not be verified, listed in {done.card.name}:")
        lines += [f"  sample {id}" for id in done.unverified[:_SHOWN]]
        lines += [f"  and {len(done.unverified) - _SHOWN} more"] * (len(done.unverified) > _SHOWN)
    if done.left_out:
        lines.append(f"sources not included, as they are of other programs: {done.left_out}")
    data = {
        "rows": done.rows,
        "bytes": done.size_bytes,
        "sources": done.sources,
        "unverified": list(done.unverified),
        "left_out": done.left_out,
        "card": str(done.card),
    }
    return Answer(data, "\n".join(lines))


def _review(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import contribution, review
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.sources import Sources

    choice = Choice(arguments.device, sources=not arguments.without_sources)
    with closing(CompilerWorker()) as compiler:
        sources = Sources(compile_with(compiler))
        found = review.review(contribution.chosen(arguments.path, choice, sources))
    data = {
        "samples": found.samples,
        "programs": found.programs,
        "devices": dict(found.devices),
        "sources": [
            {"program": s.program, "license": s.license, "text": s.text} for s in found.sources
        ],
        "fields": [{"field": f.path, "holds": f.holds} for f in found.fields],
    }
    text = table(("field", "what an export holds"), [(f.path, f.holds) for f in found.fields])
    return Answer(data, text)


def _merge(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import exchange

    files.check_target(arguments.output)
    with closing(CompilerWorker()) as compiler:
        merged = exchange.merge(arguments.paths, arguments.output, compile_with(compiler))
    refused = [{"file": f, "row": n, "reason": why} for f, n, why in merged.rejected]
    data = {
        "rows": merged.rows,
        "added": merged.added,
        "duplicates": merged.duplicates,
        "rejected": refused,
        "unverified_sources": merged.unverified,
        "refitted": [],
    }
    if arguments.refit:
        slugs = {each.device.slug for path in arguments.paths for each in exchange.accepted(path)}
        data["refitted"] = sharing.refit(arguments.output, slugs)
    lines = [
        f"{merged.rows} rows in {one_line(arguments.output)}, {merged.duplicates} duplicates "
        "skipped",
        *(
            [f"{merged.unverified} sources kept that could not be verified"]
            * bool(merged.unverified)
        ),
        *_refused(refused, merged.refused),
        *(one_line(f"{each['target']}: {each['result']}") for each in data["refitted"]),
    ]
    return Answer(data, "\n".join(lines))


def _schema(_arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import schema

    return Answer(schema.json_schema(), schema.documentation())


_DATASET = {
    "schema": _schema,
    "stats": _stats,
    "validate": _validate,
    "export": _export,
    "review": _review,
    "merge": _merge,
    "publish": sharing.publish,
    "pull": sharing.pull,
}


def _refused(refused: list[dict[str, Any]], total: int) -> list[str]:
    """A line for each of the first rows refused, and how many more there are."""
    shown = [
        (f"{r['file']} " if "file" in r else "") + f"row {r['row']}: {r['reason']}"
        for r in refused[:_SHOWN]
    ]
    return [*map(one_line, shown), *([f"and {total - _SHOWN} more"] if total > _SHOWN else [])]


COMMANDS = (
    Command("dataset", "Inspect, check and exchange samples.", dataset, add_options=_options),
)
