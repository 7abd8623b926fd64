"""This machine's device as a target: time chosen shaders, fit, save.

Each shader is compiled, timed and traced as in a campaign, where a failure costs one shader, and
traced in its other forms as well (`prediction.forms`), where available.  Samples recorded before
join the fit if their program is available, so that recording more refines the target.  A device of
somebody else is fitted to samples alone: those of the built-in shaders, whose text everybody has.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import monotonic

from shaderlab import units
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.preparing import Prepared
from shaderlab.campaigns.station import Options as Steps
from shaderlab.campaigns.station import Station
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import (
    Abandoned,
    CalibrationFailed,
    DeviceLost,
    DeviceStuck,
    InvalidSample,
    NoTimestamps,
    NoVulkan,
    ShaderlabError,
)
from shaderlab.frontend import calibration_shaders
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import FEWEST
from shaderlab.prediction.catalogue import user_targets
from shaderlab.prediction.catalogue.user_targets import CalibratedDevice
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.samples import exchange, recording
from shaderlab.samples.recording import Origin
from shaderlab.samples.sample import ProgramRecord, Sample
from shaderlab.samples.traces import counted, trace_of
from shaderlab.scene.draw import CANONICAL, Draw
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Texture, Wrap
from shaderlab.spirv.trace import Trace
from shaderlab.workers import compiled
from shaderlab.workers.calibrator import CalibratorWorker, Work
from shaderlab.workers.compiled import CompiledWorkers

log = logging.getLogger(__name__)

SHADERS = 40
"""How many are timed by default."""
BUILT_IN = "shaderlab"
"""The collection of samples of built-in shaders; their ids are the shaders' names."""

_LOOKED_AT = (FEWEST, 10, 20)
"""After so many timed shaders it is said how far the calibration is off by now."""
_MOST_LOSSES = 3
"""So many devices lost in a row are not the shaders' doing."""
_VENDORS = {0x10DE: "NVIDIA", 0x1002: "AMD", 0x8086: "Intel", 0x10005: "Mesa", 0x1AE0: "Google"}
"""By Vulkan's vendorID."""


@dataclass(frozen=True)
class Options:
    """What a calibration does."""

    shaders: int = SHADERS
    """Of our calibration shaders, the most informative first."""
    textures: bool = True
    """Whether to time the shaders that read textures too."""
    files: tuple[Path, ...] = ()
    """Shaders of the user's own, taken as well."""
    samples: Path | None = None
    """A store or data set with samples of this device, which join the fit."""
    seconds: float | None = None
    """After which no other shader is timed, once there are enough; None for all shaders."""
    slug: str | None = None
    """Name of the target; None for `user_targets.default_slug`."""
    share: bool = False
    """Whether the built-in shaders' times are to be given away."""
    effort: Effort = field(
        default_factory=lambda: Effort(
            trials=10, trial_s=0.2, draws=30, shader_s=4.0, slowest_s=2.0, deadline_s=60.0
        )
    )


@dataclass(frozen=True)
class Progress:
    """How far a calibration is."""

    done: int
    total: int
    """Shaders; all done means that the fit is under way."""
    last: str
    """What was done last."""
    left_s: float | None = field(default=None, compare=False)
    """How long the rest takes at the pace so far."""
    error: float | None = None
    """How far a calibration was off when that was last looked at, in the median over shaders left
    out; None before."""

    @property
    def said(self) -> str:
        """`last` and what is known of the rest, for the user."""
        words = self.last
        if self.left_s:
            words += f", {units.seconds(self.left_s)} left"
        if self.error is not None:
            words += f", forecasts {units.percent(self.error)} off by now"
        return words


@dataclass(frozen=True)
class Outcome:
    """A finished calibration."""

    cards: tuple[Card, ...]
    """Of the target's models: that of the program as written, then those of other forms, each of
    which has a smaller error than the one before it."""
    timed: int
    """Shaders timed now."""
    recorded: int
    """Samples recorded before that took part."""
    reading: int
    """Shaders that read textures, timed now."""
    traced: Mapping[Form, int]
    """How many of both were traced in each form."""
    skipped: tuple[tuple[str, str], ...]
    """Shaders and samples that took no part, each with the reason."""
    samples: tuple[Sample, ...] = ()
    """To be given away: of the built-in shaders timed now that read no textures."""


class Calibration:
    """One run: `run` blocks until the target is saved, and is called once."""

    def __init__(
        self,
        device: DeviceInfo,
        options: Options | None = None,
        counter: DeviceInfo | None = None,
    ):
        """`counter`: of this machine, where `device` is somebody else's: nothing is timed, and it
        counts what the samples' counts leave open.  Raises `WrongUse` for a name that is none."""
        self._device = device
        self._counter = counter
        self._options = options or Options()
        wanted = self._options.slug
        self.slug = user_targets.check_slug(wanted or user_targets.default_slug(device.slug))
        self._skipped: list[tuple[str, str]] = []
        self._works: dict[Form, list[TimedWork]] = {form: [] for form in FITTED}
        self._reading: dict[Form, list[TimedWork]] = {form: [] for form in FITTED}
        """Of shaders that read textures."""
        self._floors: list[float] = []
        self._clocks: set[str] = set()
        self._samples: list[Sample] = []
        self._losses = 0

    def run(
        self,
        report: Callable[[Progress], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Time, trace, fit, save; `stopped` is asked between shaders.

        Raises NoTimestamps, NoVulkan and DeviceStuck, which would meet every shader alike,
        DeviceLost when it happens again and again, CalibrationFailed where too few shaders are
        left, Abandoned once `stopped`.
        """
        if not self._device.timestamps:
            raise NoTimestamps(f"{self._device.name} has no timestamps: nothing can be timed on it")
        samples = self._recorded()
        shaders = [] if self._counter else list(_shaders(self._options))
        report(Progress(0, len(shaders), "starting"))
        known: dict[str, Prepared] = {}
        steps = Steps(CANONICAL, self._options.effort)
        counts_here = self._counter or self._device
        with ExitStack() as stack:
            tools = _Tools(
                stack.enter_context(closing(Station(counts_here, steps, Turns()))),
                stack.enter_context(closing(CalibratorWorker())),
                _left_by_radv(stack),
            )
            timed, began_s, error = 0, monotonic(), None
            for number, shader in enumerate(shaders, 1):
                if stopped():
                    raise Abandoned("the calibration was stopped")
                counts = self._take(shader, samples, known, tools) and not shader.textures
                timed += counts
                took_s = monotonic() - began_s
                left_s = took_s / number * (len(shaders) - number)
                if counts and timed in _LOOKED_AT:
                    error = self._error(tools)
                report(Progress(number, len(shaders), shader.name, left_s, error))
                if timed >= FEWEST and took_s > (self._options.seconds or math.inf):
                    break
            recorded = self._add_samples(samples, known, tools)
            if stopped():
                raise Abandoned("the calibration was stopped")
            found = len(self._works[Form.WRITTEN])
            if found < FEWEST:
                raise CalibrationFailed(
                    f"{found} of {len(shaders) or len(samples)} shaders could be "
                    f"{'used' if self._counter else 'timed'}, {FEWEST} are needed"
                    f"{self._first_reason()}"
                )
            report(Progress(len(shaders), len(shaders), "fitting"))
            fit = tools.calibrator.calibrate
            cards = fit(self.slug, self._works, self._reading, self._described()).result()
        traced = {form: len(works) for form, works in self._works.items()}
        reading = len(self._reading[Form.WRITTEN])
        skipped = tuple(self._skipped)
        return Outcome(cards, timed, recorded, reading, traced, skipped, tuple(self._samples))

    def _error(self, tools: _Tools) -> float | None:
        """None where so few shaders do not make a calibration yet."""
        try:
            return tools.calibrator.error(self._works, self._described()).result()
        except CalibrationFailed:
            return None

    # -- one shader -------------------------------------------------------------------------

    def _take(
        self,
        shader: Shader,
        samples: Mapping[str, Sample],
        known: dict[str, Prepared],
        tools: _Tools,
    ) -> bool:
        """Time and trace one shader; whether it counts."""
        try:
            prepared = tools.device.prepare(shader)
            program = prepared.program
            known[program.digest] = prepared
            if program.digest in samples:
                return False  # its sample counts in its stead
            draw = tools.device.draw(program, shader)
            measured = tools.device.time(draw)
            trace = tools.device.trace(draw).trace
            time_s = recording.timing_record(measured, self._device).time_s
            works = self._reading if shader.textures else self._works
            self._add(shader.name, tools.work(prepared, draw, trace), time_s, works)
            if self._options.share and shader.origin.collection and not shader.textures:
                self._samples.append(
                    recording.record(
                        draw, measured, self._device, trace=trace, origin=shader.origin
                    )
                )
            self._note(measured)
            self._losses = 0
            return True
        except (NoVulkan, NoTimestamps, DeviceStuck):
            raise
        except ShaderlabError as error:
            self._losses = self._losses + 1 if isinstance(error, DeviceLost) else 0
            if self._losses >= _MOST_LOSSES:
                raise
            self._skipped.append((shader.name, str(error)))
            return False

    def _add(
        self, name: str, work: Work, time_s: float, works: Mapping[Form, list[TimedWork]]
    ) -> None:
        if work.reads_uninitialised:
            raise ShaderlabError("reads uninitialised values, so its time says nothing")
        for form, example in work.examples.items():
            works[form].append(TimedWork(name, example, time_s))

    def _note(self, measured: Measurement) -> None:
        # A software device is timed by the CPU's clock, by which no empty pass was timed.
        if self._device.kind != "software" and measured.floor_s > 0:
            self._floors.append(measured.floor_s)
        self._clocks.add(measured.clocks or "not reported")

    # -- samples recorded before ------------------------------------------------------------

    def _recorded(self) -> dict[str, Sample]:
        """By digest of the program: samples of this device at the canonical run; of one built-in
        shader that of the median time, whoever compiled it."""
        if self._options.samples is None:
            return {}
        found: dict[str, list[Sample]] = {}
        for sample in exchange.accepted(self._options.samples):
            reason = _unfit(sample, self._device)
            if reason:
                self._skipped.append((f"sample {sample.id[:12]}", reason))
            else:
                program = sample.program
                found.setdefault(_built_in(program) or program.digest, []).append(sample)
        chosen = (
            sorted(each, key=lambda sample: (sample.timing.time_s, sample.id))[len(each) // 2]
            for each in found.values()
        )
        return {sample.program.digest: sample for sample in chosen}

    def _add_samples(
        self,
        samples: Mapping[str, Sample],
        known: Mapping[str, Prepared],
        tools: _Tools,
    ) -> int:
        """Add the samples whose programs are available; returns how many."""
        programs = dict(known)
        for digest, sample in samples.items():
            text = sample.program.text or _built_in(sample.program)
            if digest in programs or not text:
                continue
            with suppress(ShaderlabError):  # reported below: its program is not available
                shader = Shader(f"sample {sample.id[:12]}", digest, text=text)
                prepared = tools.device.prepare(shader)
                is_ours = sample.program.text is None  # whatever version compiled it
                programs[digest if is_ours else prepared.program.digest] = prepared
        added = 0
        for digest, sample in samples.items():
            name = f"sample {sample.id[:12]}"
            try:
                prepared = programs.get(digest)
                if prepared is None:
                    raise InvalidSample("its shader is not available: name its file as well")
                program = prepared.program
                work = tools.work(prepared, CANONICAL.draw(program), _counts(sample, program))
                self._add(name, work, sample.timing.time_s, self._works)
            except ShaderlabError as error:
                self._skipped.append((name, str(error)))
                continue
            self._clocks.add(sample.device.clocks or "not reported")
            if self._counter and sample.timing.floor_s:
                self._floors.append(sample.timing.floor_s)
            added += 1
        return added

    # -- the device -------------------------------------------------------------------------

    def _described(self) -> CalibratedDevice:
        info, effort = self._device, self._options.effort
        return CalibratedDevice(
            slug=info.slug,
            name=info.name,
            vendor=_VENDORS.get(info.vendor_id, f"vendor {info.vendor_id:#06x}"),
            driver=info.driver,
            clocks="; ".join(sorted(self._clocks)) or "not reported",
            floor_s=min(self._floors) if self._floors else None,
            size=CANONICAL.size,
            trials=effort.trials,
            draws=effort.draws,
            software=info.kind == "software",
            here=self._counter is None,
        )

    def _first_reason(self) -> str:
        if not self._skipped:
            return ""
        name, reason = self._skipped[0]
        return f"; {name}: {reason}"


@dataclass(frozen=True)
class _Tools:
    """What a shader goes through."""

    device: Station
    calibrator: CalibratorWorker
    compilers: CompiledWorkers | None
    """RADV's; None on a machine without."""

    def work(self, prepared: Prepared, draw: Draw, trace: Trace) -> Work:
        """Of a program whose trace of the draw this is, and of its other forms where available."""
        other_forms: dict[Form, tuple[Program, Trace]] = {}
        for form, make in ((Form.OPTIMIZED, self._optimized), (Form.COMPILED, self._compiled)):
            try:
                if (made := make(prepared)) is not None:
                    other_forms[form] = made, self.device.trace(draw.of_program(made)).trace
            except DeviceStuck:
                raise
            except ShaderlabError as error:
                log.info("%s: no trace of the %s program: %s", prepared.program.name, form, error)
        return self.calibrator.work(prepared.program, trace, other_forms).result()

    def _optimized(self, prepared: Prepared) -> Program | None:
        return prepared.optimized

    def _compiled(self, prepared: Prepared) -> Program | None:
        if self.compilers is None:
            return None
        return self.compilers.program(prepared.program, REFERENCE).result()


def _left_by_radv(stack: ExitStack) -> CompiledWorkers | None:
    """The compiler of the compiled form, closed with the stack."""
    try:
        return stack.enter_context(closing(compiled.of_family(REFERENCE)))
    except ShaderlabError as error:
        log.info("no compiled programs: %s", error)
        return None


def _shaders(options: Options) -> Iterator[Shader]:
    for each in calibration_shaders.in_order(options.shaders):
        origin = Origin(BUILT_IN, each.name)
        yield Shader(each.name, each.name, text=each.text, origin=origin)
    for path in options.files:
        yield Shader(path.name, str(path), path=path)
    for each in calibration_shaders.reading_textures() if options.textures else ():
        yield Shader(each.name, each.name, text=each.text, textures=_textures(each.text))


def _built_in(program: ProgramRecord) -> str:
    """The text of a sample of a built-in shader; empty for others."""
    return _texts().get(program.id or "", "") if program.collection == BUILT_IN else ""


@cache
def _texts() -> Mapping[str, str]:
    return {each.name: each.text for each in calibration_shaders.every()}


def _counts(sample: Sample, program: Program) -> Trace:
    """The sample's; of a built-in shader that another version of the compiler compiled, if that
    left the same blocks.  Raises InvalidSample."""
    if sample.program.digest != program.digest and _built_in(sample.program):
        return counted(sample.trace, sample.inputs, program)
    return trace_of(sample, program)


_GIVEN = re.compile(r"^// (iChannel\d): (noise|picture), (\w+), (\w+)$", re.M)


def _textures(text: str) -> dict[str, Texture]:
    """What a calibration shader says it is given; a picture is of the frame's size."""
    return {
        name: Texture(
            Pattern.NOISE if holds == "noise" else PassPicture(holds), Filter(filter), Wrap(wrap)
        )
        for name, holds, filter, wrap in _GIVEN.findall(text)
    }


def _unfit(sample: Sample, device: DeviceInfo) -> str:
    """Why a sample cannot join a calibration of the device; empty where it can."""
    inputs = sample.inputs
    if sample.textures:
        return "reads textures, which shaders made for it price"
    if sample.device.slug != device.slug:
        return f"is of {sample.device.slug}, not {device.slug}"
    if sample.device.driver != device.driver:
        return f"was measured with another driver ({sample.device.driver})"
    if (inputs.width, inputs.height, inputs.time_s, inputs.frame) != (
        *CANONICAL.size,
        CANONICAL.inputs.uniforms.time_s,
        CANONICAL.inputs.uniforms.frame,
    ):
        return f"is of another run ({inputs.width}x{inputs.height}, iTime {inputs.time_s:g})"
    return ""
