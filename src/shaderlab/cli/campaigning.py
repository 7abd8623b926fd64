"""`campaign`: measure a corpus unattended."""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import files, units
from shaderlab.campaigns import lease
from shaderlab.cli import options
from shaderlab.cli.balancing import balanced
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.frame import frame_state
from shaderlab.cli.terminal import note, one_line
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.workers.discovery import discover

if TYPE_CHECKING:
    from shaderlab.campaigns.campaign import Campaign, Measures
    from shaderlab.campaigns.corpus import Shader
    from shaderlab.campaigns.station import Options
    from shaderlab.campaigns.streaming import Stream
    from shaderlab.campaigns.turns import Turns
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.samples.sample import Sample
    from shaderlab.samples.store import Store

_REPORT_EVERY_S = 10.0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpus", type=Path, nargs="?", help="folder, or JSON Lines with `id` and `code` (.zst too)"
    )
    parser.add_argument("--programs", type=Path, metavar="F.parquet", help="a program bundle")
    parser.add_argument("--to", type=Path, metavar="STORE", help="where the samples go")
    parser.add_argument(
        "--bundle", type=Path, metavar="F.parquet", help="only compile the corpus, into a bundle"
    )
    parser.add_argument(
        "--device",
        action="append",
        metavar="D",
        help="repeat it to measure on several devices in parallel",
    )
    parser.add_argument("--limit", type=options.natural, metavar="N", help="most shaders")
    parser.add_argument("--seed", type=int, default=0, help="of the order they are drawn in")
    parser.add_argument("--first", type=Path, metavar="IDS", help="ids to measure first")
    parser.add_argument("--trials", type=options.natural, default=10, metavar="N")
    parser.add_argument(
        "--balance",
        action="store_true",
        help="choose shaders by forecast, to fill the octaves of time that have few samples; "
        "--limit then counts the shaders chosen",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="F.parquet",
        help="with --balance: samples you already have; their shaders are skipped",
    )
    parser.add_argument(
        "--draws", type=options.natural, default=30, metavar="N", help="most per trial"
    )
    parser.add_argument(
        "--trial",
        type=options.positive,
        metavar="S",
        help="of one trial (default: 0.01 on a GPU, 0.5 on a software device)",
    )
    parser.add_argument(
        "--shader",
        type=options.positive,
        default=20.0,
        metavar="S",
        help="seconds for all trials of a shader",
    )
    parser.add_argument(
        "--slowest",
        type=options.positive,
        default=5.0,
        metavar="S",
        help="skip shaders with slower draws, seconds",
    )
    parser.add_argument(
        "--deadline",
        type=options.positive,
        default=120.0,
        metavar="S",
        help="stop each step of a shader after so many seconds, not counting those in which other "
        "programs kept the processors busy",
    )
    parser.add_argument(
        "--settled",
        type=options.positive,
        metavar="PERCENT",
        help="no more trials once the mean is known this well, with 95 %% confidence (default: "
        "0.5 on a GPU, 2 on a software device)",
    )
    parser.add_argument(
        "-j",
        "--jobs",
        type=options.natural,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="shaders compiled and counted in parallel; each is timed alone (default %(default)s)",
    )
    # What --jobs was called before.
    parser.add_argument(
        "--lanes",
        dest="jobs",
        type=options.natural,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )
    cluster = parser.add_argument_group("on a cluster")
    cluster.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="measure on the devices of a Ray cluster: HOST:PORT, auto, or ray://HOST:PORT",
    )
    cluster.add_argument(
        "--stream",
        metavar="FOLDER",
        help="also write samples as Parquet while they come, to a folder or an fsspec address",
    )
    cluster.add_argument(
        "--resources",
        action="store_true",
        help="print what this machine offers, for `ray start --resources`, and exit",
    )
    parser.add_argument("--retry", action="store_true", help="retry what an earlier run rejected")
    parser.add_argument(
        "--counts",
        type=Path,
        metavar="F.parquet",
        help="reuse counts that these samples have for the same inputs",
    )
    parser.add_argument(
        "--plain", action="store_true", help="do not also trace the program after spirv-opt -O"
    )


def campaign(arguments: argparse.Namespace) -> Answer:
    from shaderlab.campaigns import corpus

    if arguments.resources:
        from shaderlab.campaigns.cluster_host import resources

        offered = resources(list(discover().result().devices))
        return Answer(offered, json.dumps(offered))
    if (arguments.corpus is None) == (arguments.programs is None):
        raise WrongUse("campaign needs either a corpus or --programs")
    if (arguments.to is None) == (arguments.bundle is None):
        raise WrongUse("campaign needs either --to STORE or --bundle F.parquet")
    if arguments.beside and not arguments.balance:
        raise WrongUse("--beside needs --balance")
    if arguments.bundle is not None:
        if arguments.balance:
            raise WrongUse("--balance chooses what is measured; it has no use with --bundle")
        files.check_target(arguments.bundle)
    if arguments.programs is not None:
        from shaderlab.campaigns import bundle

        shaders = bundle.read(arguments.programs)
    else:
        shaders = corpus.read(arguments.corpus)
    first = corpus.ids(arguments.first) if arguments.first else ()
    limit = None if arguments.balance else arguments.limit
    drawn = corpus.drawn(shaders, seed=arguments.seed, first=first, limit=limit)
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
    text = f"{written} programs in {one_line(arguments.bundle)}, {len(rejected)} do not compile"
    return Answer({"programs": written, "rejected": rejected}, text)


def _measure(arguments: argparse.Namespace, shaders: list) -> Answer:
    from shaderlab.campaigns.campaign import Progress
    from shaderlab.campaigns.measuring import Effort
    from shaderlab.campaigns.station import Options
    from shaderlab.samples import recording
    from shaderlab.samples.known_counts import KnownCounts
    from shaderlab.samples.store import Store

    state = frame_state(arguments)
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
            settled=None if arguments.settled is None else arguments.settled / 100,
            slowest_s=arguments.slowest,
            deadline_s=arguments.deadline,
        ),
        optimize=not arguments.plain,
        counts=counts,
    )
    outcomes: dict[str, Progress] = {}
    faults: list[BaseException] = []

    def work(place: _Place) -> None:
        slug = place.info.slug
        report = _Reporter(slug)
        try:
            with Store(arguments.to) as store:
                measuring = partial(_campaign, place, store, options, stream)
                if arguments.balance:
                    outcomes[slug] = balanced(
                        arguments, measuring, shaders, (place.info, place.stations), options, report
                    )
                else:
                    outcomes[slug] = measuring(shaders).run(report, retry=arguments.retry)
        except BaseException as error:  # noqa: BLE001, raised again below
            faults.append(error)

    with ExitStack() as stack:
        stack.enter_context(lease.hold(arguments.to, "shaderlab campaign"))
        stream = _stream(arguments, stack)
        places = _places(arguments, options, stack)
        if len({each.info.slug for each in places}) < len(places):
            raise WrongUse("--device names the same device twice")
        threads = [threading.Thread(target=work, args=(each,), daemon=True) for each in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.5)  # so that Ctrl+C is heard
        for fault in faults:
            raise fault
    data = [
        {
            "device": slug,
            "shaders": outcome.total,
            "earlier": outcome.earlier,
            "recorded": outcome.recorded,
            "rejected": outcome.rejected,
            "seconds": outcome.elapsed_s,
        }
        for slug, outcome in outcomes.items()
    ]
    lines = [
        f"{d['device']}: {d['recorded']} recorded, {d['rejected']} rejected, {d['earlier']} were "
        f"done before, in {units.seconds(d['seconds'])}"
        for d in data
    ]
    return Answer({"devices": data}, "\n".join(lines))


def _campaign(
    place: _Place,
    store: Store,
    options: Options,
    stream: Stream | None,
    shaders: Sequence[Shader],
    heard: Callable[[Sample], None] | None = None,
) -> Campaign:
    from shaderlab.campaigns.campaign import Campaign

    def recorded(sample: Sample) -> None:
        if heard:
            heard(sample)
        if stream:
            stream.add(sample)

    return Campaign(
        shaders,
        place.info,
        store,
        options,
        stations=place.stations,
        turns=place.turns,
        made=place.made,
        recorded=recorded,
    )


@dataclass(frozen=True)
class _Place:
    """Where a device's shaders are measured."""

    info: DeviceInfo
    stations: int
    turns: Turns
    made: Callable[[int], Sequence[Measures]] | None = None
    """Makes stations of a cluster; None for this machine."""


def _places(arguments: argparse.Namespace, options: Options, stack: ExitStack) -> list[_Place]:
    from shaderlab.campaigns.turns import Turns

    jobs = arguments.jobs
    if arguments.ray is None:
        found = discover().result()
        devices = [found.choose(wanted) for wanted in arguments.device or [None]]
        cores = Turns()  # software devices draw with the same ones
        return [
            _Place(each, jobs, cores if each.kind == "software" else Turns()) for each in devices
        ]
    from shaderlab.campaigns.cluster import Cluster

    cluster = stack.enter_context(Cluster(arguments.ray))
    offered = cluster.devices()
    listed = ", ".join(f"{count} {slug}" for slug, count in offered.items()) or "no device"
    note(one_line(f"the cluster offers {listed}; its dashboard: {cluster.dashboard or 'none'}"))
    if arguments.device is None and len(offered) != 1:
        raise WrongUse("name with --device which of the cluster's devices to measure on")
    places = []
    for slug in arguments.device or offered:
        info, made = cluster.stations(slug, options, jobs)
        places.append(_Place(info, jobs * offered[slug], Turns(), made))
    return places


def _stream(arguments: argparse.Namespace, stack: ExitStack) -> Stream | None:
    """Where samples are streamed to; those that the store has and the folder lacks first."""
    if arguments.stream is None:
        return None
    from shaderlab.campaigns.streaming import Stream
    from shaderlab.samples import exchange

    stream = Stream(arguments.stream)
    stack.callback(stream.close)
    if arguments.to.exists():
        stream.begin(exchange.accepted(arguments.to))
    return stream


class _Reporter:
    """Reports the progress of a campaign on stderr every few seconds."""

    def __init__(self, device: str):
        self._device = device
        self._due = time.monotonic()

    def __call__(self, progress) -> None:
        now = time.monotonic()
        if now < self._due and progress.done < progress.total:
            return
        self._due = now + _REPORT_EVERY_S
        left = progress.left_s
        note(
            f"{self._device}: {progress.done}/{progress.total}, {progress.rejected} rejected, "
            f"{progress.rate_per_s:.2f} shaders/s"
            + (f", {_duration(left)} left" if left is not None else "")
            + f"  ({one_line(progress.last)})"
        )


def _duration(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"


COMMANDS = (
    Command(
        "campaign",
        "Measure a corpus unattended; run again to continue.",
        campaign,
        (options.FRAME,),
        _options,
    ),
)
