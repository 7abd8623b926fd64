"""The way from a text to its forecasts, as questions: commands, servers and studies ask these."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.engine.crew import Crew
from shaderlab.engine.graph import Asking, question
from shaderlab.errors import (
    CounterOverflow,
    DeviceLost,
    DeviceStuck,
    InvalidModule,
    NoVulkan,
    OutOfDeviceMemory,
    OutOfMemory,
    Quarantined,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.discovery import Answers, CompiledTarget
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.prediction.forecast import Forecast, Measured
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forms import FORMS, Form, OtherForms
from shaderlab.scene.defaults import deciding_defaults, sentences, unsettled_stages
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.analysis.dispatch import Dispatch
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.spirv.trace import Trace
from shaderlab.workers import compiled
from shaderlab.workers.compiler import Loaded
from shaderlab.workers.discovery import discover

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.spirv.analysis.flow_counts import FunctionFlow
    from shaderlab.workers.external import ExternalReports
    from shaderlab.workers.frame_costs import CompiledFrame

_UNFINISHED = (ShaderTimeout, DeviceLost, OutOfMemory, Quarantined)
"""What ends a frame before its end: nothing is known of how long it takes."""
_CANNOT_RUN = (
    UnsupportedShader,
    CounterOverflow,
    NoVulkan,
    StartFailed,
    OutOfDeviceMemory,
)
"""Why a draw is not run, so that a forecast without a run is better than none."""

_Q = Asking[Crew]


@dataclass(frozen=True)
class Uncounted:
    """Why a pass has no counts."""

    reason: str
    """A sentence."""
    remedy: str
    """What the user can do about it; may be empty."""
    unfinished: bool
    """Whether its frame was begun and did not come to its end."""


@dataclass(frozen=True)
class Asked:
    """What forecasts are wanted."""

    targets: tuple[str, ...] | None = None
    """Slugs; None for all."""
    method: str | None = None
    """None for each target's default."""
    measured: Measured | None = None
    """What the frame took on the device."""


ALL = Asked()


_TEXTS = 256
"""A text is another at every keystroke."""


# -- from a file to a program ---------------------------------------------------------------------


@question()
async def program(q: _Q, path: Path, reading: Reading) -> Program:
    """The shader in a file.  Raises what `frontend.compiler.load_program` does."""
    versions = await q(toolchain)
    return await q(_loaded, path.absolute(), reading, versions)


@question()
async def toolchain(q: _Q) -> tuple[str, ...]:
    """Names and versions of what compiles and optimises."""
    return await q.crew.toolchain(q)


@question(kept=Program)
async def _loaded(q: _Q, path: Path, reading: Reading, _versions: tuple[str, ...]) -> Program:
    return _made(q, await q.on(q.crew.compiler, lambda its: its.load_noting(path, reading)))


def _made(q: _Q, loaded: Loaded) -> Program:
    q.follows_from(loaded.read)
    if loaded.program is None:
        raise loaded.error or ShaderlabError("it was not compiled")
    return loaded.program


def _may_end_its_child(*_given: object) -> bool:
    """A tool's child, and nothing else."""
    return False


@question(dangerous=_may_end_its_child, follows_from_crew=False, most=_TEXTS)
async def compiled_text(q: _Q, source: Source) -> Program:
    """The shader in a text that is being written."""
    return _made(q, await q.on(q.crew.compiler, lambda its: its.compile_noting(source)))


@question(dangerous=_may_end_its_child, follows_from_crew=False, most=_TEXTS)
async def vertex_stage(q: _Q, source: Source, fragment: Program) -> Program:
    """The vertex shader in a text, as a fragment stage needs it."""
    return _made(q, await q.on(q.crew.compiler, lambda its: its.vertex(source, fragment)))


# -- from a program to its forms ------------------------------------------------------------------


@question()
async def form(q: _Q, written: Program, wanted: Form) -> Program:
    """The program as `spirv-opt -O`, or RADV's compiler, leaves it.

    Raises what those do, NoVulkan without RADV, CompileFailed where there is no loop to unroll.
    """
    if wanted is Form.WRITTEN:
        return written
    if wanted is Form.OPTIMIZED:
        return await q(_optimized, written, await q(toolchain))
    target, versions = await q(_reference), await q(toolchain)
    whole = written if wanted is Form.COMPILED else await q(_unrolled, written, versions)
    made = await q(_left_by_radv, whole, target, versions)
    return made.bound_as(written)


@question(kept=Program, dangerous=_may_end_its_child)
async def _optimized(q: _Q, written: Program, _versions: tuple[str, ...]) -> Program:
    return await q.on(q.crew.optimizer, lambda its: its.optimize(written))


@question(kept=Program, dangerous=_may_end_its_child)
async def _unrolled(q: _Q, written: Program, _versions: tuple[str, ...]) -> Program:
    return await q.on(q.crew.optimizer, lambda its: its.unroll(written))


@question()
async def _reference(q: _Q) -> CompiledTarget:
    """Of the family whose compiler's form forecasts were fitted to."""
    (target,) = compiled.choose(await q.apart(lambda: compiled.amd().result()), [REFERENCE])
    return target


@question(
    kept=Program,
    dangerous=_may_end_its_child,
    follows_from=lambda written, target, versions: (written, target.driver, versions),
)
async def _left_by_radv(
    q: _Q, written: Program, target: CompiledTarget, _versions: tuple[str, ...]
) -> Program:
    workers = q.crew.radv(target)

    def abandon(request: Future[Program]) -> None:
        workers.abandon({REFERENCE: request})

    return await q.on(workers, lambda its: its.program(written, REFERENCE), abandon)


# -- from a frame to its counts -------------------------------------------------------------------


@question()
async def device(q: _Q) -> DeviceInfo:
    """The device that frames run on.  Raises NoVulkan, UnknownDevice."""
    wanted = q.crew.wanted
    if isinstance(wanted, DeviceInfo):
        return wanted
    return (await q.apart(lambda: discover().result())).choose(wanted)


def _pass(info: DeviceInfo, frame: Frame, name: str) -> tuple[object, ...]:
    """What the counts of a pass follow from: of the other passes those it reads."""
    return info, frame.reads(name), name


def _is_hardware(info: DeviceInfo, _frame: Frame, _name: str) -> bool:
    return info.kind != "software"


_DEVICE_PATIENCE_S = 0.6
"""A device is needed for the next picture sooner than another child for the next answer."""


@question(patience_s=_DEVICE_PATIENCE_S, kept=Trace, dangerous=_is_hardware, follows_from=_pass)
async def trace(q: _Q, info: DeviceInfo, frame: Frame, name: str) -> Trace:
    """Execution counts of one pass, as its program is."""
    worker, read = q.crew.device(info), frame.reads(name)
    if len(read.passes) > 1:  # the others would be compiled, and not looked at
        return await q.on(worker, lambda its: its.trace_pass(read, name))
    return await q.on(worker, lambda its: its.trace(frame.named(name)))


@question(remembered=False)
async def timed_trace(q: _Q, info: DeviceInfo, frame: Frame, name: str) -> Trace:
    """The same of a frame's only pass, with the time that counting took beside the plain draw's."""
    shown = frame.named(name)
    return await q.on(q.crew.device(info), lambda its: its.trace(shown, slowdown=True))


@question(
    patience_s=_DEVICE_PATIENCE_S, kept=Trace | None, dangerous=_is_hardware, follows_from=_pass
)
async def vertices(q: _Q, info: DeviceInfo, frame: Frame, name: str) -> Trace | None:
    """Execution counts of a pass's own vertex stage; None where it has none, or the device cannot
    count it."""
    if frame.named(name).vertex is None:
        return None
    try:
        return await q.on(q.crew.device(info), lambda its: its.trace_vertex(frame, name))
    except UnsupportedShader:
        return None


@question()
async def counts(q: _Q, frame: Frame, name: str) -> Trace | Uncounted:
    """Execution counts of one pass, or the reason why it is not run: what cannot run is estimated
    from its source, by everyone.

    Raises what makes an estimate wrong too: input that is not valid, a device that is stuck.
    """
    try:
        return await q(trace, await q(device), frame, name)
    except (*_CANNOT_RUN, *_UNFINISHED) as error:
        return uncounted(error)


def uncounted(error: ShaderlabError) -> Uncounted:
    """What an error says of a pass that has no counts."""
    unfinished = isinstance(error, (*_UNFINISHED, StuckDuring))
    is_begun = unfinished and not isinstance(error, StartFailed)
    return Uncounted(str(error), error.remedy, is_begun)


@question()
async def other_forms(
    q: _Q, frame: Frame, name: str, wanted: frozenset[Form], needed: Form | None
) -> OtherForms:
    """Of these forms of a pass's program those available here, each with its trace.

    Raises the error that makes the `needed` one unavailable, and DeviceStuck.  A compute shader has
    none: its prices are those of the program as written.
    """
    written = frame.named(name).program
    if written.stage is Stage.COMPUTE:
        return {}
    info = await q(device)

    async def counted(wanted: Form) -> tuple[Program, Trace] | None:
        try:
            made = await q(form, written, wanted)
            return made, await q(trace, info, frame.of_program(name, made), name)
        except DeviceStuck:
            raise
        except ShaderlabError:
            if wanted is needed:
                raise
            return None

    asked = [each for each in Form if each in wanted]
    found = await q.each(*map(counted, asked))
    return {each: of for each, of in zip(asked, found, strict=True) if of is not None}


# -- from counts to forecasts ---------------------------------------------------------------------


@question()
async def targets(q: _Q, wanted: tuple[str, ...] | None = None) -> tuple[TargetInfo, ...]:
    """Those wanted, as `Catalogue.choose` has them, else all installed.  Raises NoTargets,
    UnknownTarget."""
    return await q.on(q.crew.predictor, lambda its: its.targets(wanted))


@question()
async def refused(q: _Q) -> tuple[str, ...]:
    """Why models that lie in the models folder are not used."""
    return await q.on(q.crew.predictor, lambda its: its.problems())


@question()
async def forms(q: _Q, asked: Asked) -> frozenset[Form]:
    """The other forms of a program that the method uses on these targets.  Raises NoTargets,
    UnknownTarget."""
    return frozenset(await q(_forms, asked.targets, asked.method, q.crew.models))


@question(kept=tuple[Form, ...])
async def _forms(
    q: _Q, wanted: tuple[str, ...] | None, method: str | None, _models: str
) -> tuple[Form, ...]:
    chosen = await q(targets, wanted)
    return tuple({form for each in chosen for form in each.forms_of(method)})


@question()
async def forecasts(q: _Q, frame: Frame, name: str, asked: Asked = ALL) -> tuple[Forecast, ...]:
    """Of one pass, by the best forms of its program there are; an estimate where it cannot run.

    Raises UnknownTarget, WrongUse for a method that needs a form that is not available, and what
    `counts` does.
    """
    counted, wanted = await q.each(q(counts, frame, name), q(forms, asked))
    if isinstance(counted, Uncounted):
        return await q(estimates, frame.named(name), counted, asked)
    needed = FORMS.get(asked.method) if asked.method else None
    others = await q(other_forms, frame, name, wanted, needed)
    return await q(priced, frame, name, counted, others, asked)


@dataclass(frozen=True)
class Costs:
    """Of one pass."""

    counted: Trace | Uncounted
    forecasts: tuple[Forecast, ...]


@question()
async def costs(q: _Q, frame: Frame, name: str, wanted: frozenset[Form]) -> Costs:
    """Counts and forecasts of one pass, as `first_forecasts` has them."""
    counted = await q(counts, frame, name)
    return Costs(counted, await q(first_forecasts, frame, name, ALL, wanted))


@question()
async def total(q: _Q, frame: Frame, asked: Asked = ALL) -> tuple[FrameForecast, ...]:
    """Of all passes of a frame together.  Raises as `forecasts` does."""
    names = [each.name for each in frame.passes]
    found = await q.each(*(q(forecasts, frame, name, asked) for name in names))
    return frame_forecasts(dict(zip(names, found, strict=True)), frame.draws_per_frame)


@question()
async def whole(
    q: _Q, frame: Frame, asked: Asked = ALL
) -> tuple[Forecast, ...] | tuple[FrameForecast, ...]:
    """`total`, or of a frame of a single pass that pass's."""
    names = [each.name for each in frame.passes]
    if len(names) > 1:
        return await q(total, frame, asked)
    return await q(forecasts, frame, names[0], asked)


@question()
async def first_forecasts(
    q: _Q,
    frame: Frame,
    name: str,
    asked: Asked = ALL,
    wanted: frozenset[Form] = frozenset(),
) -> tuple[Forecast, ...]:
    """The same by the program as written and these of its forms alone, which takes less time."""
    counted = await q(counts, frame, name)
    if isinstance(counted, Uncounted):
        return await q(estimates, frame.named(name), counted, asked)
    return await q(traced_forecasts, frame, name, asked, wanted)


@question()
async def traced_forecasts(
    q: _Q,
    frame: Frame,
    name: str,
    asked: Asked = ALL,
    wanted: frozenset[Form] = frozenset(),
) -> tuple[Forecast, ...]:
    """The same of a pass that can run.  Raises what `trace` does."""
    counted = await q(trace, await q(device), frame, name)
    others = await q(other_forms, frame, name, wanted, None) if wanted else {}
    return await q(priced, frame, name, counted, others, asked)


@question()
async def priced(
    q: _Q, frame: Frame, name: str, counted: Trace, others: OtherForms, asked: Asked
) -> tuple[Forecast, ...]:
    """Forecasts of a counted pass, by these forms of its program."""
    draw = frame.named(name)
    vertex = await q(vertices, await q(device), frame, name) if draw.vertex else None
    return await q(_priced, draw, counted, others, vertex, asked, q.crew.models)


@question(kept=tuple[Forecast, ...], dangerous=_may_end_its_child)
async def _priced(
    q: _Q,
    draw: Draw,
    counted: Trace,
    others: OtherForms,
    vertex: Trace | None,
    asked: Asked,
    _models: str,
) -> tuple[Forecast, ...]:
    assumed = await _assumed(q, draw)
    return await q.on(
        q.crew.predictor,
        lambda its: its.predict(
            draw,
            counted,
            asked.targets,
            asked.method,
            others,
            assumed,
            asked.measured,
            vertex,
        ),
    )


async def _assumed(q: _Q, draw: Draw) -> tuple[str, ...]:
    """A sentence for each default that decides."""
    try:
        stages = unsettled_stages(draw)
    except ShaderlabError:  # the device said what is wrong with it
        return ()
    found = await q.each(*(q(influence, each) for each in stages))
    by_digest = {each.digest: its for each, its in zip(stages, found, strict=True)}
    return sentences(deciding_defaults(draw, lambda each: by_digest[each.digest]))


# -- what vendors' compilers make of it ------------------------------------------------------------


@question(follows_from_crew=False)
async def compilers(q: _Q) -> Answers:
    """What this machine compiles for.  Raises NoVulkan where that is nothing."""
    return await asyncio.wrap_future(q.crew.find_compilers())


@question(dangerous=_may_end_its_child, patience_s=_DEVICE_PATIENCE_S, follows_from_crew=False)
async def compiled_for(q: _Q, program: Program, slug: str) -> CompiledStats:
    """What the compiler of a family makes of a program.  Raises UnsupportedShader."""
    its = q.crew.families((await q(compilers)).targets)

    def abandon(request: Future[CompiledStats]) -> None:
        its.abandon({slug: request})

    place = q.crew.place(slug)
    return await q.on(place, lambda _: its.compile(program, (slug,))[slug], abandon)


@question(dangerous=_may_end_its_child, patience_s=_DEVICE_PATIENCE_S)
async def compiled_frame(q: _Q, frame: Frame, name: str, slugs: tuple[str, ...]) -> CompiledFrame:
    """What a frame costs on these families.  Raises what counting it here does."""
    if len(frame.passes) > 1:
        raise UnsupportedShader("frames with passes are not counted for these GPUs yet")
    info, draw = await q(device), frame.named(name)
    counted, *found = await q.each(
        q(trace, info, frame, name), *(q(compiled_for, draw.program, slug) for slug in slugs)
    )
    stats = dict(zip(slugs, found, strict=True))
    costs = q.crew.frame_costs(info, (await q(compilers)).targets)
    return await q.on(
        costs, lambda its: its.cost(draw, trace=counted, stats=stats), lambda _: costs.abandon()
    )


@question(follows_from_crew=False)
async def external(
    q: _Q,
    program: Program,
    slugs: tuple[str, ...],
    paths: tuple[tuple[str, str], ...],
    core: str,
) -> ExternalReports:
    """What vendors' own analysers say of it (`workers.external.Analysers.analyse`)."""
    return await q.on(
        q.crew.analysers, lambda its: its.analyse(program, slugs, dict(paths), core), _let_end
    )


def _let_end(_request: Future) -> None:
    """A tool is not stopped."""


# -- what a program is, beside its costs ----------------------------------------------------------


@question()
async def influence(q: _Q, program: Program) -> Influence:
    """What each input of a program decides; nothing where the module cannot be analysed."""
    try:
        return await q.on(q.crew.compiler, lambda its: its.influence(program))
    except (InvalidModule, *_UNFINISHED):
        return Influence({})


@question()
async def flows(q: _Q, program: Program) -> tuple[FunctionFlow, ...]:
    """Control flow of the functions that the program's entry point reaches."""
    return await q.on(q.crew.compiler, lambda its: its.flows(program))


@question()
async def function_texts(q: _Q, program: Program) -> dict[int, str]:
    """SPIR-V assembly of each function, by the label of its first block."""
    return await q.on(q.crew.compiler, lambda its: its.function_texts(program))


@question(dangerous=_may_end_its_child)
async def assembly(q: _Q, program: Program) -> str:
    """SPIR-V assembly of the whole module."""
    return await q.on(q.crew.compiler, lambda its: its.disassemble(program))


# -- where nothing is counted ---------------------------------------------------------------------


@question()
async def estimates(q: _Q, draw: Draw, why: Uncounted, asked: Asked = ALL) -> tuple[Forecast, ...]:
    """Forecasts of a draw that is not run, by counts that its source suggests; they say why."""
    if why.unfinished:
        return await q(static, draw.program, asked, why.reason, None, draw.dispatch)
    try:
        found = await q(static, draw.program, asked, "", draw.counted_size, draw.dispatch)
    except ShaderlabError:
        raise UnsupportedShader(why.reason).with_remedy(why.remedy) from None
    warning = f"It was not run: {why.reason}"
    if draw.is_compute:
        warning += " The estimate ignores what its buffers hold."
    elif draw != Draw.of(draw.program, draw.size):
        warning += " The estimate ignores what the shader was given."
    return tuple(replace(each, warnings=(warning, *each.warnings)) for each in found)


@question()
async def static(
    q: _Q,
    program: Program,
    asked: Asked,
    unfinished: str,
    size: tuple[int, int] | None,
    dispatch: Dispatch | None,
) -> tuple[Forecast, ...]:
    """Forecasts by the source alone (`workers.predictor.predict_static`)."""
    return await q(_static, program, asked, unfinished, size, dispatch, q.crew.models)


@question(kept=tuple[Forecast, ...], dangerous=_may_end_its_child)
async def _static(
    q: _Q,
    program: Program,
    asked: Asked,
    unfinished: str,
    size: tuple[int, int] | None,
    dispatch: Dispatch | None,
    _models: str,
) -> tuple[Forecast, ...]:
    return await q.on(
        q.crew.predictor,
        lambda its: its.predict_static(
            program, asked.targets, asked.method, unfinished, size, dispatch
        ),
    )
