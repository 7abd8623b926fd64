"""`calibrate --share`, `dataset publish`, `dataset pull`: give samples away, take others' in."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shaderlab import files, locations, units
from shaderlab.cli.command import Answer
from shaderlab.cli.terminal import asked, is_answered, note, one_line, table
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.samples.choice import FIGURES_LICENCE
from shaderlab.workers.compiler import CompilerWorker

if TYPE_CHECKING:
    from shaderlab.campaigns.calibrating import Calibration
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.samples.sample import Sample
    from shaderlab.samples.trust import Judged

_SHOWN = 20
REFIT = (
    "calibrate your own targets again with the samples of their devices, and make targets of GPUs "
    "that nobody measured before"
)
"""What `--refit` does."""


def add_share_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--share",
        type=Path,
        metavar="F.parquet",
        help="also write the built-in shaders' times to a file to give away, after showing every "
        "field of it",
    )
    parser.add_argument(
        "--leave-out",
        action="append",
        default=[],
        metavar="FIELD",
        help="of that file, such as device.clocks",
    )
    parser.add_argument(
        "--yes", action="store_true", help="write that file without waiting for an answer"
    )


def check_share(arguments: argparse.Namespace) -> None:
    """Before anything is timed.  Raises WrongUse, NotWritten."""
    from shaderlab.samples import exchange

    if arguments.share is None:
        if arguments.leave_out or arguments.yes:
            raise WrongUse("--leave-out and --yes are about the file of --share, which is missing")
        return
    files.check_target(arguments.share)
    exchange.check_parquet(arguments.share)
    if arguments.share.suffix == ".md":
        raise WrongUse(f"{arguments.share.name} is the name of its own card; choose x.parquet")
    if not arguments.yes and not is_answered():
        raise WrongUse(
            f"what {arguments.share.name} will hold is shown before it is written: add --yes where "
            "nobody can answer"
        )


def share(samples: Sequence[Sample], arguments: argparse.Namespace) -> dict[str, Any]:
    """What `calibrate --share` wrote: nothing where the owner says no."""
    from shaderlab.samples import contribution, exchange, review
    from shaderlab.system.scratch import TemporaryFolder

    target: Path = arguments.share
    shared = list(samples)
    for field in arguments.leave_out:
        shared = review.without(shared, field)
    while True:
        found = review.review(shared)
        note(
            table(("field", f"what {target.name} holds"), [(f.path, f.holds) for f in found.fields])
        )
        if arguments.yes:
            break
        answer = asked(f"Write it, under {FIGURES_LICENCE}?  y, n, or a field to leave out:")
        if answer in ("y", "yes"):
            break
        if answer in (None, "n", "no"):
            return {"file": None, "rows": 0}
        try:
            shared = review.without(shared, answer)
        except WrongUse as error:
            note(one_line(error))
    with TemporaryFolder() as scratch:
        made = Path(scratch) / "share.parquet"
        exchange.write(shared, made)
        done = contribution.export(made, target)
    return {"file": str(done.data), "rows": done.rows, "bytes": done.size_bytes}


def add_options(act: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Those of both actions."""
    publishing = act("publish", "Write the folder that a pull request to a data repository adds.")
    publishing.add_argument("path", type=Path, metavar="STORE")
    publishing.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    publishing.add_argument("--device", metavar="SLUG", help="only samples of this device")
    publishing.add_argument(
        "--without-sources", action="store_true", help="leave out sources recorded to share"
    )
    publishing.add_argument(
        "--licence",
        metavar="SPDX",
        default=FIGURES_LICENCE,
        help=f"of the figures (default {FIGURES_LICENCE})",
    )
    pulling = act(
        "pull", "Add other people's samples; exit code 1 if some were refused or held back."
    )
    pulling.add_argument(
        "source", metavar="SOURCE", help="a folder, a git checkout, or an address fsspec knows"
    )
    pulling.add_argument(
        "--to",
        type=Path,
        metavar="STORE",
        help="where to add them (default: the store the window records to)",
    )
    pulling.add_argument(
        "--take-outliers",
        action="store_true",
        help="also take times that do not fit the rest of their device",
    )
    pulling.add_argument("--look", action="store_true", help="only say what would be taken")
    pulling.add_argument(
        "--refit",
        action="store_true",
        help=REFIT,
    )


def compile_with(compiler: CompilerWorker) -> Callable[[str], Program]:
    """How a sample's text is compiled to see whether it belongs to the sample's program."""
    return lambda text: compiler.compile(text, "a sample's source", None).result()


def publish(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import sharing
    from shaderlab.samples.choice import Choice

    choice = Choice(arguments.device, sources=not arguments.without_sources)
    with closing(CompilerWorker()) as compiler:
        done = sharing.publish(
            arguments.path, arguments.output, choice, arguments.licence, compile_with(compiler)
        )
    rows = [(each.data.name, str(each.rows), f"{each.size_bytes:,}") for each in done]
    text = table(("file", "samples", "bytes"), rows)
    text += (
        f"\n\nBeside each: its card, its checksum, and .review.md, which lists field by field what"
        f" leaves this machine.\nFigures are under {one_line(arguments.licence)}; sources that are"
        f" included: {sum(each.sources for each in done)}."
    )
    data = {
        "folder": str(arguments.output),
        "licence": arguments.licence,
        "files": [
            {
                "file": each.data.name,
                "rows": each.rows,
                "bytes": each.size_bytes,
                "sources": each.sources,
                "unverified": list(each.unverified),
                "left_out": each.left_out,
            }
            for each in done
        ],
    }
    return Answer(data, text)


def pull(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import exchange, sharing, trust

    store = arguments.to or locations.user_data() / "samples.db"
    if arguments.to is not None:
        files.check_target(arguments.to)
        exchange.check_store(arguments.to)
    with sharing.fetched(arguments.source) as fetched:
        found, new = sharing.read(fetched)
        paths = [each.path for each in found if each.path is not None]
        refused = [{"file": each.name, "reason": each.reason} for each in found if not each.path]
        known = list(exchange.accepted(store)) if store.exists() else []
        judged = trust.judge(list(new.values()), known)
        outliers = [each for device in judged for each in device.outliers]
        held = set() if arguments.take_outliers else {each.id for each in outliers}
        merged = None
        if paths and not arguments.look:
            with closing(CompilerWorker()) as compiler:
                merged = exchange.merge(paths, store, compile_with(compiler), held, into_store=True)
    names = {each.path.name: each.name for each in found if each.path is not None}
    rows = [
        {"file": names.get(name, name), "row": number, "reason": why}
        for name, number, why in (merged.rejected if merged else ())
    ]
    data: dict[str, Any] = {
        "store": str(store),
        "files": len(found),
        "refused_files": refused,
        "samples": len(new),
        "added": merged.added if merged else 0,
        "duplicates": merged.duplicates if merged else 0,
        "rejected": rows,
        "held_back": len(held),
        "outliers": [
            {
                "sample": each.id,
                "device": each.device,
                "time_s": each.time_s,
                "expected_s": each.expected_s,
                "reason": each.reason,
            }
            for each in outliers
        ],
        "devices": [_device(each) for each in judged],
        "refitted": [],
    }
    if arguments.refit and merged is not None and merged.added:
        data["refitted"] = refit(store, {each.device.slug for each in new.values()})
    failed = bool(refused or rows or held)
    return Answer(data, _text(data, judged, arguments), 1 if failed else 0)


def _device(judged: Judged) -> dict[str, Any]:
    return {
        "device": judged.device,
        "samples": judged.samples,
        "typical_error": judged.typical,
        "repeats": judged.repeats,
        "pace": judged.pace,
        "outliers": len(judged.outliers),
    }


def _text(data: dict[str, Any], judged: Sequence[Judged], arguments: argparse.Namespace) -> str:
    rows = [
        (
            each.device,
            str(each.samples),
            "too few samples" if each.typical is None else units.percent(each.typical),
            str(each.repeats),
            "" if each.pace is None else f"{each.pace:.2f}",
            str(len(each.outliers)),
        )
        for each in judged
    ]
    header = ("device", "samples", "typical error", "measured before", "pace", "outliers")
    lines = [table(header, rows)] if rows else []
    if data["outliers"]:
        fate = "taken" if arguments.take_outliers else "held back; --take-outliers takes them"
        lines.append(f"outliers, {fate}:")
        lines += [
            one_line(
                f"  {each['sample'][:12]} on {each['device']}: {units.seconds(each['time_s'])}, "
                f"expected {units.seconds(each['expected_s'])}: {each['reason']}"
            )
            for each in data["outliers"][:_SHOWN]
        ]
        lines += [f"  and {len(data['outliers']) - _SHOWN} more"] * (len(data["outliers"]) > _SHOWN)
    lines += [one_line(f"refused: {e['file']}: {e['reason']}") for e in data["refused_files"]]
    lines += [
        one_line(f"refused: {e['file']} row {e['row']}: {e['reason']}")
        for e in data["rejected"][:_SHOWN]
    ]
    lines.append(
        f"{data['samples']} samples in {data['files']} files; nothing taken (--look)"
        if arguments.look
        else f"{data['added']} added to {one_line(data['store'])}, "
        f"{data['duplicates']} were there already"
    )
    lines += [one_line(f"{each['target']}: {each['result']}") for each in data["refitted"]]
    return "\n".join(lines)


def refit(store: Path, slugs: Collection[str]) -> list[dict[str, Any]]:
    """Calibrate the user's targets of these devices again with a store's samples; and of those
    that are not here and that no model is of, make a target from the samples alone."""
    from shaderlab.campaigns.calibrating import Calibration, Options
    from shaderlab.prediction.catalogue import targets, user_targets
    from shaderlab.workers.discovery import discover

    models, _ = user_targets.load(user_targets.folder())
    own = {
        slug: str(each[0].card.configuration.get(user_targets.DEVICE, ""))
        for slug, each in models.items()
    }
    known = targets.catalogue()
    shipped = {
        each.card.target.slug
        for each in (*known.targets, *known.unasked)
        if not each.user and (not each.on_request or each.rests_on == "measured")
    }
    here = discover().result()
    at_hand = {each.slug for each in here.devices}
    again = {slug: device for slug, device in own.items() if device in slugs}
    others = set(slugs) - shipped - at_hand - set(again.values())
    found = []
    for slug, device in sorted((again | {each: each for each in others}).items()):
        note(one_line(f"calibrating {slug}"))
        try:
            if slug == device and device not in at_hand:
                run = _of_samples(store, device, here.choose(None))
            else:
                run = Calibration(here.choose(device), Options(samples=store, slug=slug))
            outcome = run.run()
        except ShaderlabError as error:
            found.append({"target": slug, "result": f"unchanged: {error}", "recorded": 0})
            continue
        reason = outcome.cards[0].default_reason
        result = f"{outcome.recorded} samples added. {reason}"
        found.append({"target": slug, "result": result, "recorded": outcome.recorded})
    return found


def _of_samples(store: Path, slug: str, counter: DeviceInfo) -> Calibration:
    """Of a device that is not here, by the driver that most of its samples were timed with."""
    from shaderlab.campaigns.calibrating import Calibration, Options
    from shaderlab.campaigns.measuring import Effort
    from shaderlab.samples import exchange

    samples = [each for each in exchange.accepted(store) if each.device.slug == slug]
    driver = Counter(each.device.driver for each in samples).most_common(1)[0][0]
    samples = [each for each in samples if each.device.driver == driver]
    device, timings = samples[0].device, [each.timing for each in samples]
    effort = Effort(
        trials=max(len(each.trials_s) for each in timings),
        draws=max(each.draws for each in timings),
    )
    info = replace(
        counter,
        slug=slug, name=device.name, kind=device.kind, driver=driver, timestamps=True,
        vendor_id=device.vendor_id, device_id=device.device_id,
    )  # fmt: skip
    options = Options(samples=store, slug=slug, effort=effort)
    return Calibration(info, options, counter)
