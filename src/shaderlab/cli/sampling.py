"""The commands that record, keep and exchange samples."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from shaderlab import units
from shaderlab.cli.answer import Answer
from shaderlab.cli.frame import draw_state
from shaderlab.cli.other_forms import trace_other_forms
from shaderlab.cli.printing import table
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.gpu.discovery import choose
from shaderlab.prediction.forms import Form
from shaderlab.samples.choice import FIGURES_LICENCE
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.discovery import discover

_REPORT_EVERY_S = 10.0
_SHOWN = 20


class Shared(NamedTuple):
    """What the parsers of all commands have in common."""

    frame: argparse.ArgumentParser
    """The options of a frame: size, time, number."""
    device: argparse.ArgumentParser
    """The device and its deadline."""
    natural: Callable[[str], int]
    positive: Callable[[str], float]


def add_parsers(add: Callable[..., argparse.ArgumentParser], shared: Shared) -> None:
    """`add(name, text, *parents)` makes a command."""
    natural, positive = shared.natural, shared.positive
    recording = add("record", "Measure shaders and keep the samples.", shared.frame, shared.device)
    recording.add_argument("files", type=Path, nargs="+", metavar="F")
    recording.add_argument("--to", type=Path, required=True, metavar="STORE")
    recording.add_argument("--trials", type=natural, default=10, metavar="N")
    recording.add_argument("--draws", type=natural, default=30, metavar="N", help="per trial")
    recording.add_argument(
        "--share-source", metavar="LICENCE", help="keep the source too, under this SPDX licence"
    )

    dataset = add("dataset", "Look at, check and exchange samples.")
    actions = dataset.add_subparsers(dest="action", metavar="ACTION", required=True)
    output = argparse.ArgumentParser(add_help=False)
    # Left out after the action, it must not undo what stood before it.
    output.add_argument("--json", action="store_true", default=argparse.SUPPRESS)

    def act(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=text, description=text, parents=[output])

    for name, text in (
        ("stats", "Count rows, shaders and devices."),
        ("validate", "Check every row; exit code 1 where one is refused."),
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
    merging = act("merge", "Unite data sets; equal samples count once.")
    merging.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    merging.add_argument("-o", "--output", type=Path, required=True, metavar="F.parquet")

    act("schema", "The schema's documentation; with --json its JSON Schema.")

    campaign = add("campaign", "Measure a corpus unattended; run again to go on.", shared.frame)
    campaign.add_argument(
        "corpus", type=Path, nargs="?", help="folder, or JSON Lines with `id` and `code` (.zst too)"
    )
    campaign.add_argument("--programs", type=Path, metavar="F.parquet", help="a program bundle")
    campaign.add_argument("--to", type=Path, metavar="STORE", help="where the samples go")
    campaign.add_argument(
        "--bundle", type=Path, metavar="F.parquet", help="only compile the corpus, into a bundle"
    )
    campaign.add_argument(
        "--device", action="append", metavar="D", help="may be given again: devices side by side"
    )
    campaign.add_argument("--limit", type=natural, metavar="N", help="most shaders")
    campaign.add_argument("--seed", type=int, default=0, help="of the order they are drawn in")
    campaign.add_argument("--first", type=Path, metavar="IDS", help="ids to take before others")
    campaign.add_argument("--trials", type=natural, default=10, metavar="N")
    campaign.add_argument("--draws", type=natural, default=30, metavar="N", help="most per trial")
    campaign.add_argument("--trial", type=positive, default=0.5, metavar="S", help="of one trial")
    campaign.add_argument(
        "--shader", type=positive, default=20.0, metavar="S", help="of all trials of a shader"
    )
    campaign.add_argument(
        "--slowest", type=positive, default=5.0, metavar="S", help="leave slower draws out"
    )
    campaign.add_argument("--deadline", type=positive, default=120.0, metavar="S")
    campaign.add_argument(
        "--settled",
        type=positive,
        default=2.0,
        metavar="PERCENT",
        help="no more trials once the mean is known this well, with 95 %% confidence",
    )
    campaign.add_argument(
        "-j",
        "--jobs",
        type=natural,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="shaders compiled and counted in parallel; each is timed alone (default %(default)s)",
    )
    # What --jobs was called before.
    campaign.add_argument(
        "--lanes", dest="jobs", type=natural, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    campaign.add_argument(
        "--retry", action="store_true", help="try again what an earlier run rejected"
    )
    campaign.add_argument(
        "--counts",
        type=Path,
        metavar="F.parquet",
        help="take from these samples what they counted with the same inputs",
    )
    campaign.add_argument(
        "--plain", action="store_true", help="do not also trace what spirv-opt -O makes of it"
    )


def record(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import recording, validation
    from shaderlab.samples.contribution import check_licence
    from shaderlab.samples.store import Store
    from shaderlab.workers.device import DeviceWorker
    from shaderlab.workers.supervisor.limits import Limits

    if arguments.share_source:
        check_licence(arguments.share_source)
    state = draw_state(arguments)
    limit = arguments.deadline
    limits = Limits(trace=limit, profile=limit) if limit is not None else Limits()
    recorded, rejected = 0, []
    with Store(arguments.to) as store, closing(CompilerWorker(limits)) as compiler:
        info = choose(discover().result().devices, arguments.device)
        with closing(DeviceWorker(info, limits)) as device:
            for path in arguments.files:
                try:
                    program = compiler.load(path).result()
                    draw = state.draw(program)
                    measured = device.profile(draw, arguments.trials, arguments.draws).result()
                    traced = device.trace(draw).result()
                    siblings = trace_other_forms(draw, device, compiler, [Form.OPTIMIZED])
                    smaller = siblings.get(Form.OPTIMIZED)
                    shared = None
                    if arguments.share_source and program.text:
                        shared = recording.SharedText(program.text, arguments.share_source)
                    sample = recording.record(
                        draw,
                        measured,
                        info,
                        trace=traced,
                        optimized=(smaller[0].module, smaller[1]) if smaller else None,
                        shared=shared,
                    )
                    validation.check(sample)
                    store.keep(sample, program.name, time.time())
                except WrongUse:
                    raise
                except ShaderlabError as error:
                    rejected.append({"file": str(path), "reason": str(error)})
                else:
                    recorded += 1
    lines = [f"{recorded} recorded in {arguments.to}"]
    lines += [f"{r['file']}: {r['reason']}" for r in rejected]
    return Answer(
        {"recorded": recorded, "rejected": rejected}, "\n".join(lines), 1 if rejected else 0
    )


def dataset(arguments: argparse.Namespace) -> Answer:
    return _DATASET[arguments.action](arguments)


def _stats(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import exchange

    found = exchange.stats(arguments.path)
    data = {"rows": found.rows, "shaders": found.shaders, "devices": found.devices}
    rows = [(name, str(n)) for name, n in found.devices.items()]
    text = f"{found.rows} rows, {found.shaders} shaders\n{table(('device', 'rows'), rows)}"
    return Answer(data, text)


def _validate(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import exchange

    rows = accepted = 0
    refused = []
    for checked in exchange.read(arguments.path):
        rows += 1
        accepted += checked.sample is not None
        if checked.sample is None:
            refused.append({"row": checked.number, "reason": checked.reason})
    lines = [f"{rows} rows, {accepted} accepted", *_refused(refused)]
    data = {"rows": rows, "accepted": accepted, "rejected": refused}
    return Answer(data, "\n".join(lines), 1 if refused else 0)


def _export(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import contribution
    from shaderlab.samples.choice import Choice

    choice = Choice(arguments.device, sources=not arguments.without_sources)
    done = contribution.export(arguments.path, arguments.output, choice, arguments.licence)
    text = (
        f"{done.rows} rows in {done.data} ({done.size_bytes:,} bytes), described in {done.card}\n"
        f"sources that leave this machine with it: {done.sources}"
    )
    data = {"rows": done.rows, "bytes": done.size_bytes, "sources": done.sources}
    return Answer({**data, "card": str(done.card)}, text)


def _review(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import contribution, review
    from shaderlab.samples.choice import Choice

    choice = Choice(arguments.device, sources=not arguments.without_sources)
    found = review.review(contribution.chosen(arguments.path, choice))
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

    merged = exchange.merge(arguments.paths, arguments.output)
    refused = [{"file": f, "row": n, "reason": why} for f, n, why in merged.rejected]
    data = {"rows": merged.rows, "duplicates": merged.duplicates, "rejected": refused}
    lines = [
        f"{merged.rows} rows in {arguments.output}, {merged.duplicates} duplicates left out",
        *_refused(refused),
    ]
    return Answer(data, "\n".join(lines))


def _schema(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import schema

    return Answer(schema.json_schema(), schema.documentation())


_DATASET = {
    "schema": _schema,
    "stats": _stats,
    "validate": _validate,
    "export": _export,
    "review": _review,
    "merge": _merge,
}


def _refused(refused: list[dict[str, Any]]) -> list[str]:
    shown = [
        f"{r['file']} row {r['row']}: {r['reason']}"
        if "file" in r
        else f"row {r['row']}: {r['reason']}"
        for r in refused[:_SHOWN]
    ]
    return shown + ([f"and {len(refused) - _SHOWN} more"] if len(refused) > _SHOWN else [])


def campaign(arguments: argparse.Namespace) -> Answer:
    from shaderlab.campaigns import corpus

    if (arguments.corpus is None) == (arguments.programs is None):
        raise WrongUse("campaign needs either a corpus or --programs")
    if (arguments.to is None) == (arguments.bundle is None):
        raise WrongUse("campaign needs either --to STORE or --bundle F.parquet")
    if arguments.programs is not None:
        from shaderlab.campaigns import bundle

        shaders = bundle.read(arguments.programs)
    else:
        shaders = corpus.read(arguments.corpus)
    first = corpus.ids(arguments.first) if arguments.first else ()
    drawn = corpus.drawn(shaders, seed=arguments.seed, first=first, limit=arguments.limit)
    return _bundle(arguments, drawn) if arguments.bundle else _measure(arguments, drawn)


def _bundle(arguments: argparse.Namespace, shaders: list) -> Answer:
    from shaderlab.campaigns import bundle
    from shaderlab.campaigns.preparing import Preparation

    rejected = []

    def compiled():
        with Preparation(optimize=not arguments.plain, workers=arguments.jobs) as preparation:
            for shader, prepared in preparation.each(shaders):
                if isinstance(prepared, ShaderlabError):
                    rejected.append({"shader": shader.name, "reason": str(prepared)})
                else:
                    yield shader, prepared

    written = bundle.write(compiled(), arguments.bundle)
    text = f"{written} programs in {arguments.bundle}, {len(rejected)} do not compile"
    return Answer({"programs": written, "rejected": rejected}, text)


def _measure(arguments: argparse.Namespace, shaders: list) -> Answer:
    from shaderlab.campaigns.campaign import Campaign, Progress
    from shaderlab.campaigns.measuring import Effort
    from shaderlab.campaigns.station import Options
    from shaderlab.campaigns.turns import Turns
    from shaderlab.samples import recording
    from shaderlab.samples.known_counts import KnownCounts
    from shaderlab.samples.store import Store

    state = draw_state(arguments)
    counts = None
    if arguments.counts is not None:
        counts = KnownCounts(arguments.counts, recording.inputs_record(state))
    options = Options(
        state=state,
        effort=Effort(
            trials=arguments.trials,
            trial_s=arguments.trial,
            draws=arguments.draws,
            shader_s=arguments.shader,
            settled=arguments.settled / 100,
            slowest_s=arguments.slowest,
            deadline_s=arguments.deadline,
        ),
        optimize=not arguments.plain,
        counts=counts,
    )
    found = discover().result().devices
    devices = [choose(found, wanted) for wanted in arguments.device or [None]]
    if len({info.slug for info in devices}) < len(devices):
        raise WrongUse("--device names the same device twice")
    outcomes: dict[str, Progress | BaseException] = {}
    cores = Turns()  # software devices draw with the same ones

    def work(info) -> None:
        report = _Reporter(info.slug)
        turns = cores if info.kind == "software" else Turns()
        try:
            with Store(arguments.to) as store:
                measuring = Campaign(
                    shaders, info, store, options, stations=arguments.jobs, turns=turns
                )
                outcomes[info.slug] = measuring.run(report, retry=arguments.retry)
        except BaseException as error:
            outcomes[info.slug] = error

    threads = [threading.Thread(target=work, args=(info,), daemon=True) for info in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)  # so that Ctrl+C is heard
    data = []
    for slug, outcome in outcomes.items():
        if isinstance(outcome, BaseException):
            raise outcome
        data.append(
            {
                "device": slug,
                "shaders": outcome.total,
                "earlier": outcome.earlier,
                "recorded": outcome.recorded,
                "rejected": outcome.rejected,
                "seconds": outcome.elapsed_s,
            }
        )
    lines = [
        f"{d['device']}: {d['recorded']} recorded, {d['rejected']} rejected, {d['earlier']} were "
        f"done before, in {units.seconds(d['seconds'])}"
        for d in data
    ]
    return Answer({"devices": data}, "\n".join(lines))


class _Reporter:
    """Tells on stderr, every few seconds, how far a campaign is."""

    def __init__(self, device: str):
        self._device = device
        self._due = time.monotonic()

    def __call__(self, progress) -> None:
        now = time.monotonic()
        if now < self._due and progress.done < progress.total:
            return
        self._due = now + _REPORT_EVERY_S
        left = progress.left_s
        print(
            f"{self._device}: {progress.done}/{progress.total}, {progress.rejected} rejected, "
            f"{progress.rate_per_s:.2f} shaders/s"
            + (f", {_duration(left)} left" if left is not None else "")
            + f"  ({progress.last})",
            file=sys.stderr,
            flush=True,
        )


def _duration(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"


COMMANDS: dict[str, Callable[[argparse.Namespace], Answer]] = {
    "record": record,
    "dataset": dataset,
    "campaign": campaign,
}
