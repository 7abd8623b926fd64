"""`capture`: the frame of another program, draw by draw."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from shaderlab import files
from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedDraw, Counters, Listed
from shaderlab.captures.running import Launch, Run
from shaderlab.cli import options, terminal
from shaderlab.cli.command import Answer, Command, code_of
from shaderlab.cli.devices import device_limits, open_device
from shaderlab.cli.texts import captures as texts
from shaderlab.cli.texts import exploring
from shaderlab.errors import WrongUse
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.projects import captured
from shaderlab.studies.explore import on_products, verdict
from shaderlab.system.scratch import TemporaryFolder
from shaderlab.workers.analysed_draws import AnalysedDraw, forecasts_of, in_frame
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.kept_draws import KeptDraws
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.second_device import SecondDevice

SUFFIX = ".rdc"
_AT_ONCE = 2
"""Draws: one is counted while another is predicted."""
_NOTE_S = 2.0
"""Between notes of progress."""


@dataclass
class _Found:
    """What has been read and computed of a frame."""

    name: str
    draws: list[AnalysedDraw] = field(default_factory=list)
    counters: Mapping[int, Counters] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        """Of the last draw that can be replayed."""
        return next((each.draw.size for each in reversed(self.draws) if each.draw.state), (0, 0))

    @property
    def forecasts(self) -> tuple[FrameForecast, ...]:
        """Of all draws that were predicted: a lower bound where others were not."""
        return forecasts_of(self.draws)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="F.rdc", help="a RenderDoc capture of Vulkan"
    )
    parser.add_argument("--draw", type=options.natural, metavar="EVENT", help="this draw alone")
    parser.add_argument(
        "--save", type=Path, metavar="FOLDER",
        help="with --draw: write the draw as a project that opens without RenderDoc",
    )  # fmt: skip
    parser.add_argument(
        "--budget", type=options.duration, metavar="TIME",
        help="name the weakest of the targets that are products whose frame takes no longer, "
        "such as 16.6ms; with --target all of every product",
    )  # fmt: skip
    group = parser.add_argument_group("capturing a program")
    group.add_argument(
        "--run", nargs=argparse.REMAINDER, metavar="CMD",
        help="start a program under RenderDoc, capture a frame and open it; the last option",
    )  # fmt: skip
    group.add_argument(
        "--delay", type=options.positive, default=2.0, metavar="S",
        help="seconds after its start; 2",
    )  # fmt: skip
    group.add_argument(
        "--frames", type=options.natural, metavar="N", help="after so many frames instead"
    )
    group.add_argument(
        "-o", "--output", type=Path, metavar="F.rdc", help="where the capture is kept"
    )


def capture(arguments: argparse.Namespace) -> Answer:
    if (arguments.file is None) == (arguments.run is None):
        raise WrongUse("name a capture, or a program to capture with --run")
    if arguments.save is not None and arguments.draw is None:
        raise WrongUse("--save writes one draw: name it with --draw")
    if arguments.output is not None:
        if arguments.run is None:
            raise WrongUse("--output keeps the capture that --run makes")
        files.check_target(arguments.output)
    with _capture_file(arguments) as path:
        found = analysed(arguments, path, arguments.draw)
        saved = None
        if arguments.save is not None:
            (only,) = found.draws
            saved = captured.save(arguments.save, opening.cache_folder(path), only.draw)
    data = texts.data(found.draws, found.counters, found.forecasts, found.size)
    text = texts.text(found.draws, found.forecasts, found.size)
    if arguments.budget is not None:
        more, said = _held(found.forecasts, arguments.target, arguments.budget)
        data, text = data | more, f"{text}\n\n{said}"
    if saved is not None:
        data["saved"] = str(saved)
        text += f"\n\n{terminal.one_line(saved)}: written"
    is_answered = saved is not None or not found.draws
    return Answer(data, text, 0 if is_answered else code_of(found.forecasts))


def _held(
    forecasts: Sequence[FrameForecast], targets: Sequence[str] | None, budget_s: float
) -> tuple[dict[str, Any], str]:
    """The weakest products that hold a budget, as data and in a sentence."""
    with closing(PredictorWorker()) as predictor:
        infos = predictor.targets(targets).result()
    products = on_products(infos, forecasts).products
    return exploring.held_data(products, budget_s), verdict(products, budget_s)


def frame_on(arguments: argparse.Namespace, targets: list[str]) -> tuple[FrameForecast, ...]:
    """Times of the captured frame that is named.

    Raises WrongUse where draws of it have none, since their sum would fall short.
    """
    arguments.target = targets
    found = analysed(arguments, arguments.file)
    missing = [each for each in found.draws if each.draw.shader is not None and not each.forecasts]
    if missing or not found.forecasts:
        named = next(iter(missing or found.draws), None)
        why = f"draw {named.draw.event}: {named.reason}" if named is not None else "it has no draws"
        raise WrongUse(f"the frame has no time: {why}")
    return found.forecasts


@contextmanager
def analyser(
    arguments: argparse.Namespace,
) -> Iterator[tuple[FrameAnalyser, CompilerWorker, str]]:
    """What takes draws to the device and the predictor, its compiler, and the device's slug."""
    with (
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
        open_device(arguments) as device,
        ExitStack() as stack,
    ):
        predictor.start()
        targets = getattr(arguments, "target", None)
        kept = KeptDraws(device.info)
        limits = device_limits(arguments)
        second = stack.enter_context(
            closing(SecondDevice(device.info, lambda info: DeviceWorker(info, limits)))
        )
        yield (
            FrameAnalyser(compiler, device, predictor, targets, kept=kept, second=second),
            compiler,
            device.info.slug,
        )


def analysed(arguments: argparse.Namespace, path: Path, event: int | None = None) -> _Found:
    """All draws of a capture, or one; replayed and counted on the device, and predicted.

    Raises as `opening.events` does, and WrongUse where there is no such draw.
    """
    found = _Found(path.name)
    with (
        _read_ahead(path) as events,
        analyser(arguments) as (taking, _, _),
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):
        progress = _Progress()
        asked: list[Future[AnalysedDraw]] = []
        try:
            for each in events:
                if isinstance(each, CapturedDraw):
                    if event in (None, each.event):
                        asked.append(pool.submit(taking.analyse, each))
                        asked[-1].add_done_callback(progress.count)
                elif isinstance(each, Listed):
                    progress.begin(each, event)
                else:
                    found.counters = each
            found.draws = in_frame([future.result() for future in asked])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if event is not None and not found.draws:
        raise WrongUse(f"{path.name} has no draw {event}; `shaderlab capture` lists them")
    return found


@contextmanager
def _read_ahead(path: Path) -> Iterator[Iterator[opening.Event]]:
    """What opening reports: RenderDoc reads while devices and models are still being opened."""
    stop = threading.Event()
    found: SimpleQueue[opening.Event | BaseException | None] = SimpleQueue()

    def read() -> None:
        try:
            for each in opening.events(path, stop=stop):
                found.put(each)
            found.put(None)
        except BaseException as error:  # noqa: BLE001, raised in the thread that waits for it
            found.put(error)

    def events() -> Iterator[opening.Event]:
        while (each := found.get()) is not None:
            if isinstance(each, BaseException):
                raise each
            yield each

    thread = threading.Thread(target=read, name="capture")
    thread.start()
    try:
        yield events()
    finally:
        stop.set()
        thread.join()


class _Progress:
    """Notes on stderr how far a frame is."""

    def __init__(self) -> None:
        self._total = self._done = 0
        self._noted = time.monotonic()

    def begin(self, listed: Listed, event: int | None) -> None:
        self._total = len(listed.draws) if event is None else 1
        terminal.note(f"{len(listed.draws)} draws, read by RenderDoc {listed.renderdoc}")

    def count(self, _: Future[AnalysedDraw]) -> None:
        self._done += 1
        now = time.monotonic()
        if self._done == self._total or now - self._noted > _NOTE_S:
            self._noted = now
            terminal.note(f"{self._done} of {self._total} draws")


@contextmanager
def _capture_file(arguments: argparse.Namespace) -> Iterator[Path]:
    """The capture that is named, or one that is made now."""
    if arguments.run is None:
        yield arguments.file
        return
    if not arguments.run:
        raise WrongUse("--run needs a program")
    launch = Launch(arguments.run, Path.cwd(), arguments.delay, arguments.frames)
    with TemporaryFolder() as folder:
        terminal.note(f"{terminal.one_line(arguments.run[0])} runs until its frame is captured")
        made = Run(launch, Path(folder)).capture()
        if arguments.output is not None:
            files.save(arguments.output, files.read_bytes(made, opening.LARGEST_CAPTURE))
        yield made


COMMANDS = (
    Command(
        "capture",
        "Open a frame of another program, captured with RenderDoc.",
        capture,
        (options.DEVICE, options.TARGET),
        _options,
    ),
)
