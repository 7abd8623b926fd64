"""`calibrate`: a device of this machine as a target of predictions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from shaderlab import units
from shaderlab.cli.answer import Answer
from shaderlab.errors import WrongUse
from shaderlab.gpu.discovery import choose
from shaderlab.workers.discovery import discover

_SHOWN = 10
SHADERS = 40
"""As many as `campaigns.calibrating` times, which takes longer to import than to parse a call."""


def add_parsers(
    add: Callable[..., argparse.ArgumentParser],
    device: argparse.ArgumentParser,
    natural: Callable[[str], int],
) -> None:
    """`add(name, text, *parents)` makes a command."""
    calibrating = add("calibrate", "Make a device of this machine a target of its own.", device)
    calibrating.add_argument(
        "files", type=Path, nargs="*", metavar="F", help="shaders of your own, timed as well"
    )
    calibrating.add_argument(
        "--shaders", type=natural, default=SHADERS, metavar="N", help="of ours (default 40)"
    )
    calibrating.add_argument(
        "--samples", type=Path, metavar="STORE", help="recorded samples of the device take part"
    )
    calibrating.add_argument("--name", metavar="T", help="of the target (default my-DEVICE)")
    calibrating.add_argument("--trials", type=natural, default=10, metavar="N")
    calibrating.add_argument("--draws", type=natural, default=30, metavar="N", help="per trial")
    calibrating.add_argument("--remove", metavar="T", help="delete a calibrated target, no more")


def calibrate(arguments: argparse.Namespace) -> Answer:
    from shaderlab.prediction.catalogue import user_targets

    if arguments.remove:
        user_targets.remove(arguments.remove)
        return Answer({"removed": arguments.remove}, f"{arguments.remove} removed")
    # Reads Parquet, which takes longer to import than most commands take to answer.
    from shaderlab.campaigns.calibrating import Calibration, Options, Progress
    from shaderlab.prediction.catalogue import targets

    def report(progress: Progress) -> None:
        print(f"{progress.done}/{progress.total} {progress.last}", file=sys.stderr, flush=True)

    for path in arguments.files:
        if not path.is_file():
            raise WrongUse(f"no such file: {path}")
    options = Options(
        shaders=arguments.shaders,
        files=tuple(arguments.files),
        samples=arguments.samples,
        slug=arguments.name,
    )
    effort = replace(options.effort, trials=arguments.trials, draws=arguments.draws)
    if arguments.deadline is not None:
        effort = replace(effort, deadline_s=arguments.deadline)
    info = choose(discover().result().devices, arguments.device)
    run = Calibration(info, replace(options, effort=effort))
    if any(each.target == run.slug and not each.user for each in targets.installed()):
        raise WrongUse(f"{run.slug} is a target that ships: choose another name")
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
            f"held {units.percent(band.coverage)} of shaders left out of it (asked for: "
            f"{units.percent(band.level)})",
        ]
    lines += [f"left out: {name}: {reason}" for name, reason in outcome.skipped[:_SHOWN]]
    if len(outcome.skipped) > _SHOWN:
        lines.append(f"and {len(outcome.skipped) - _SHOWN} more")
    return Answer(data, "\n".join(lines))


COMMANDS = {"calibrate": calibrate}
