"""`calibrate`: a device of this machine as a target of predictions."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from shaderlab import files, units
from shaderlab.cli import options, sharing
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import note, one_line
from shaderlab.errors import WrongUse
from shaderlab.frontend import source_text
from shaderlab.workers.discovery import discover

_SHOWN = 10
SHADERS = 40
"""As many as `campaigns.calibrating` times, which takes longer to import than to parse a call."""


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", type=Path, nargs="*", metavar="F", help="your own shaders, timed too"
    )
    parser.add_argument(
        "--shaders",
        type=options.natural,
        default=SHADERS,
        metavar="N",
        help="number of built-in shaders (default 40)",
    )
    parser.add_argument(
        "--samples",
        type=Path,
        metavar="STORE",
        help="store whose samples of the device are used too",
    )
    parser.add_argument("--name", metavar="T", help="name of the target (default my-DEVICE)")
    parser.add_argument("--trials", type=options.natural, default=10, metavar="N")
    parser.add_argument("--draws", type=options.natural, default=30, metavar="N", help="per trial")
    parser.add_argument(
        "--seconds",
        type=options.positive,
        metavar="S",
        help="time no other shader after S seconds: 10 give a first answer",
    )
    parser.add_argument(
        "--no-textures", action="store_true", help="leave out the shaders that price texture reads"
    )
    sharing.add_share_options(parser)
    parser.add_argument("--remove", metavar="T", help="delete a calibrated target and exit")


def calibrate(arguments: argparse.Namespace) -> Answer:
    from shaderlab.prediction.catalogue import user_targets

    if arguments.remove:
        user_targets.remove(arguments.remove)
        return Answer({"removed": arguments.remove}, f"{arguments.remove} removed")
    sharing.check_share(arguments)
    # Reads Parquet, which takes longer to import than most commands take to answer.
    from shaderlab.campaigns.calibrating import Calibration, Options, Progress
    from shaderlab.prediction.catalogue import targets

    def report(progress: Progress) -> None:
        note(one_line(f"{progress.done}/{progress.total} {progress.said}"))

    for path in arguments.files:
        files.open_regular(path, source_text.MAX_BYTES).close()
    options = Options(
        shaders=arguments.shaders,
        files=tuple(arguments.files),
        samples=arguments.samples,
        seconds=arguments.seconds,
        slug=arguments.name,
        textures=not arguments.no_textures,
        share=arguments.share is not None,
    )
    effort = replace(options.effort, trials=arguments.trials, draws=arguments.draws)
    if arguments.deadline is not None:
        effort = replace(effort, deadline_s=arguments.deadline)
    info = discover().result().choose(arguments.device)
    run = Calibration(info, replace(options, effort=effort))
    if any(t.card.target.slug == run.slug and not t.user for t in targets.catalogue().targets):
        raise WrongUse(f"{run.slug} is the name of a built-in target: choose another")
    outcome = run.run(report)
    first = outcome.cards[0]
    methods = [card.methods[0] for card in outcome.cards]
    data = {
        "target": first.target.slug,
        "device": info.slug,
        "shaders": methods[0].training_samples,
        "timed": outcome.timed,
        "recorded": outcome.recorded,
        "traced": outcome.traced,
        "skipped": [{"shader": name, "reason": reason} for name, reason in outcome.skipped],
        "floor_s": first.target.floor_s,
        "methods": [
            {
                "method": method.name,
                "shaders": method.training_samples,
                "base": card.configuration[user_targets.BASE],
                "validated": asdict(method.validation),
                "band": asdict(method.bands[0]),
                "textures": asdict(method.textures) if method.textures else None,
            }
            for card, method in zip(outcome.cards, methods, strict=True)
        ],
        "folder": str(user_targets.folder() / first.target.slug),
    }
    traced = ", ".join(f"{n} {form}" for form, n in outcome.traced.items())
    lines = [f"{first.target.slug}: shaders traced: {traced}"]
    for card, method in zip(outcome.cards, methods, strict=True):
        band = method.bands[0]
        lines += [
            f"{method.name}: {card.default_reason}",
            method.validation.source,
            f"band: {units.percent(1 - band.low)} lower to {units.percent(band.high - 1)} higher "
            f"held {units.percent(band.coverage)} of held-out shaders (target: "
            f"{units.percent(band.level)})",
        ]
        if method.textures:
            lines.append(f"texture reads: {method.textures.validation.source}")
    lines += [one_line(f"skipped: {name}: {reason}") for name, reason in outcome.skipped[:_SHOWN]]
    if len(outcome.skipped) > _SHOWN:
        lines.append(f"and {len(outcome.skipped) - _SHOWN} more")
    if arguments.share is not None:
        data["shared"] = written = sharing.share(outcome.samples, arguments)
        lines.append(
            f"{written['rows']} samples in {one_line(written['file'])}"
            if written["file"]
            else "nothing was shared"
        )
    return Answer(data, "\n".join(lines))


COMMANDS = (
    Command(
        "calibrate",
        "Make a device of this machine a target.",
        calibrate,
        (options.DEVICE,),
        _options,
    ),
)
