"""Workers whose answers a test gives, and a clock that a test moves."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from math import nan
from types import MappingProxyType, SimpleNamespace

import numpy as np

from shaderlab.errors import Abandoned, ShaderlabError
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.reading import RECOGNISED
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.heat import HeatMap
from shaderlab.spirv.reflection import Descriptor, Interface, Resource, ResourceKind
from shaderlab.spirv.trace import Trace
from shaderlab.spirv.value_types import (
    Component,
    Dimension,
    Image,
    Member,
    Numeric,
    SampledImage,
    Struct,
)
from shaderlab.workers.answering import Answering
from shaderlab.workers.compiler import Loaded
from shaderlab.workers.device import RenderedFrame
from shaderlab.workers.supervisor.limits import Limits

LLVMPIPE = DeviceInfo(
    "llvmpipe", "llvmpipe", "software", "Mesa", "1.3", 0, 0, "00", "/icd.json", 0, timestamps=True
)
OTHER = DeviceInfo(
    "swiftshader", "SwiftShader", "software", "5", "1.3", 0, 0, "01", "/sw.json", 0, timestamps=True
)


def program(
    name: str,
    code: str = "",
    dialect: Dialect = Dialect.SHADERTOY_ES310,
    inputs: Mapping[str, Numeric] = MappingProxyType({}),
    textures: Iterable[str] = (),
    text: str = "",
) -> Program:
    """Its digest goes by the name, its fingerprint by the code; `inputs` are of one block."""
    made = Program(name, dialect, text, name.encode(), "main")
    vars(made)["interface"] = interface(inputs, textures)
    vars(made)["fingerprint"] = hashlib.sha256(f"code {code or name}".encode()).hexdigest()
    return made


FLOAT, INT = Numeric(Component.FLOAT), Numeric(Component.INT)


def interface(inputs: Mapping[str, Numeric], textures: Iterable[str] = ()) -> Interface:
    members = [Member(name, kind, 16 * n) for n, (name, kind) in enumerate(inputs.items())]
    resources = [
        Resource(
            "", Descriptor(0, 0), ResourceKind.UNIFORM_BLOCK, Struct("Block", tuple(members)),
            is_anonymous=True,
        )
    ]  # fmt: skip
    image = Image(
        Component.FLOAT, 32, Dimension.D2, depth=False, arrayed=False, multisampled=False,
        sampled=True,
    )  # fmt: skip
    for n, name in enumerate(textures):
        at = Descriptor(0, 1 + n)
        resources.append(Resource(name, at, ResourceKind.SAMPLED_TEXTURE, SampledImage(image)))
    return Interface(tuple(resources if members else resources[1:]), (), (), (), (), frozenset())


def frame(took_s: float = 0.01, view=None) -> RenderedFrame:
    pixels = np.zeros((1, 1, 4), np.uint8)
    heat = HeatMap(view, np.zeros((1, 1))) if view is not None else None
    return RenderedFrame(pixels, nan if view else took_s, 0.0, Draw.of(program("drawn")), heat=heat)


def trace(size: tuple[int, int] = (1024, 768)) -> Trace:
    return Trace("llvmpipe", size, 1.0, 1, (), nan)


def measurement(size: tuple[int, int] = (1024, 768)) -> Measurement:
    return Measurement("llvmpipe", "llvmpipe", "Mesa", size, 1, (0.1,), (), 0.0)


def forecast(method: str = "additive", form: Form = Form.WRITTEN, time_s: float = 1.0):
    key = ("rtx3060", method, form)
    return SimpleNamespace(
        target=key[0], method=method, form=form, time_s=time_s, comparable=key,
        lines=LineShares([("", 3, 0.5)]),
    )  # fmt: skip


def target(*forms: Form):
    """One whose models want traces of these other forms."""
    return SimpleNamespace(
        target="rtx3060", name="RTX 3060", forms_of=lambda _method=None: frozenset(forms)
    )


class Loop(asyncio.SelectorEventLoop):
    """Answers questions when it is told to, by the test's clock."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        clock.loop = self

    def time(self) -> float:
        return self._clock.time

    def settle(self) -> None:
        """All happens that can without an answer or the clock."""
        if self.is_running() or self.is_closed():
            return
        for _ in range(_TURNS):
            self.call_soon(self.stop)
            self.run_forever()

    def end(self) -> None:
        """Give up all work."""
        for each in asyncio.all_tasks(self):
            each.cancel()
        self.settle()
        self.close()


_TURNS = 60


@dataclass
class FakeAlarm:
    clock: FakeClock
    ring: Callable[[], object]
    due: float | None = None

    def isActive(self) -> bool:
        return self.due is not None

    def set(self, seconds: float) -> None:
        self.due = self.clock.time + max(seconds, 0.0)

    def stop(self) -> None:
        self.due = None


class FakeClock:
    """Stands still until it is moved; alarms ring on the way, in their order."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._alarms: list[FakeAlarm] = []
        self.loop: Loop | None = None

    def settle(self) -> None:
        if self.loop is not None:
            self.loop.settle()

    def now(self) -> float:
        return self.time

    def alarm(self, ring, owner) -> FakeAlarm:
        self._alarms.append(FakeAlarm(self, ring))
        return self._alarms[-1]

    def move(self, seconds: float = 0.0) -> None:
        self.settle()
        end = self.time + seconds
        while due := [a for a in self._alarms if a.due is not None and a.due <= end]:
            first = min(due, key=lambda alarm: alarm.due)
            self.time, first.due = max(self.time, first.due), None
            first.ring()
            self.settle()
        self.time = end
        self.settle()


@dataclass(eq=False)
class Request:
    task: str
    arguments: tuple
    future: Future
    settle: Callable[[], object]

    @property
    def of(self):
        """The program or text."""
        asked = self.arguments[0]
        return asked.program if isinstance(asked, Draw) else asked

    def answer(self, value: object) -> None:
        self.future.set_result(value)
        self.settle()

    def fail(self, error: ShaderlabError) -> None:
        self.future.set_exception(error)
        self.settle()


class FakeWorker:
    """Notes what it is asked; `answer` and `fail` settle the oldest request that is open."""

    def __init__(
        self, info: DeviceInfo = LLVMPIPE, settle: Callable[[], object] = lambda: None
    ) -> None:
        """`settle`: has questions asked of it before it is looked at."""
        self.info, self.limits, self._settle = info, Limits(), settle
        self.answering = Answering(info)
        self._requests: list[Request] = []
        self.given_up: list[Request] = []
        self.replacements = 0
        self.started = self.closed = self.waited_for = False

    def start(self) -> None:
        self.started = True

    def close(self, *, wait: bool = True) -> None:
        self.closed, self.waited_for = True, wait

    def set_limits(self, limits: Limits) -> None:
        self.limits = limits

    def _ask(self, task: str, *arguments) -> Future:
        future: Future = Future()
        future.set_running_or_notify_cancel()
        self._requests.append(Request(task, arguments, future, self._settle))
        return future

    @property
    def requests(self) -> list[Request]:
        self._settle()
        return self._requests

    @property
    def open(self) -> list[Request]:
        return [request for request in self.requests if not request.future.done()]

    @property
    def tasks(self) -> list[str]:
        """All it was ever asked."""
        return [request.task for request in self.requests]

    @property
    def on(self) -> str:
        """The task under way, of which there must be no more than one."""
        assert len(self.open) <= 1
        return self.open[0].task if self.open else ""

    def answer(self, value: object) -> None:
        self.open[0].answer(value)

    def fail(self, error: ShaderlabError) -> None:
        self.open[0].fail(error)

    def abandon(self, future: Future) -> bool:
        (request,) = (r for r in self._requests if r.future is future)
        self.given_up.append(request)
        future.set_exception(Abandoned("given up"))
        return True


REST_MORE_S = 0.5
"""What is drawn has then come to rest, and is counted."""


class FakeDevice(FakeWorker):
    def __init__(
        self, info: DeviceInfo = LLVMPIPE, settle: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(info, settle)
        self.frames: list[Frame] = []
        """All that were to be rendered."""

    def trace_vertex(self, frame, name):
        return self._ask("trace vertex", frame.named(name), name)

    def trace_pass(self, frame, name):
        return self._ask("trace pass", frame.named(name), name)

    def profile_pass(self, frame, name, trials, draws):
        return self._ask("profile pass", frame.named(name), name, trials, draws)

    def profile_frame(self, frame, trials, draws):
        return self._ask("profile frame", frame.shown, trials, draws)

    def render(self, frame, deadline_s=None, shown=""):
        self.frames.append(frame)
        return self._ask("render", frame.named(shown), deadline_s)

    def render_heat(self, frame, view, shown=""):
        return self._ask("heat", frame.named(shown), view)

    def prepare_trace(self, draw):
        return self._ask("prepare trace", draw)

    def trace(self, draw, slowdown=False):
        return self._ask("trace", draw)

    def pixel(self, frame, name, line, pixel):
        return self._ask("pixel", frame.named(name), line, pixel)

    def profile(self, draw, trials, draws):
        return self._ask("profile", draw, trials, draws)


class FakeCompiler(FakeWorker):
    def __init__(self, settle: Callable[[], object] = lambda: None) -> None:
        super().__init__(settle=settle)
        self._made: dict[Future, Future] = {}

    def compile_noting(self, source):
        given = () if source.reading == RECOGNISED else (source.reading,)
        text, *place, _ = source.as_read
        return self._loaded("load" if source.path else "compile", text, *place, *given)

    def vertex(self, source, fragment):
        return self._loaded("vertex", *source.as_read, fragment)

    def _loaded(self, task: str, *arguments) -> Future:
        """Answered with a Program, or an error."""
        asked = self._ask(task, *arguments)
        made: Future = Future()
        made.set_running_or_notify_cancel()

        def answer(asked: Future) -> None:
            if (error := asked.exception()) is not None:
                made.set_exception(error)
            else:
                made.set_result(Loaded(asked.result(), None, {}))

        asked.add_done_callback(answer)
        self._made[made] = asked
        return made

    def abandon(self, future: Future) -> bool:
        return super().abandon(self._made.get(future, future))

    def load_noting(self, path, reading):
        return self._ask("load", path)

    def versions(self):
        future: Future = Future()
        future.set_result(("glslang 1",))
        return future

    def optimize(self, program):
        return self._ask("optimize", program)

    def influence(self, program):
        return self._ask("influence", program)

    def flows(self, program):
        return self._ask("flows", program)

    def entry_points(self, *source):
        return self._ask("entry points", *source)

    def disassemble(self, program):
        return self._ask("disassemble", program)

    def function_texts(self, program):
        return self._ask("function texts", program)


class FakePredictor(FakeWorker):
    def predict(
        self, draw, trace, targets, method, other_forms=None, assumed=(), measured=None, vertex=None
    ):
        self.measured, self.vertex = measured, vertex
        return self._ask("predict", draw.program, trace, dict(other_forms or {}), tuple(assumed))

    def predict_static(self, program, targets, method, unfinished="", size=None, dispatch=None):
        self.dispatch = dispatch
        return self._ask("predict static", program, *([unfinished] if unfinished else []))

    def targets(self, wanted=None):
        return self._ask("targets", None)

    def problems(self):
        return self._ask("problems", None)


class FakeCompiled(FakeWorker):
    """Of the families it is asked for."""

    def compile(self, program, slugs):
        return {slug: self._ask("compile", program, slug) for slug in slugs}

    def program(self, program, slug):
        return self._ask("program", program, slug)

    def abandon(self, requests) -> None:
        for future in requests.values():
            super().abandon(future)


class FakeWorkers:
    """The `Workers` of a session, made once each, devices one by one."""

    def __init__(self, settle: Callable[[], object] = lambda: None) -> None:
        self._settle = settle
        self.text, self.optimizer = FakeCompiler(settle=settle), FakeCompiler(settle=settle)
        self.forecaster = FakePredictor(settle=settle)
        self.devices: list[FakeDevice] = []
        self.vendors = FakeCompiled(settle=settle)
        self.looking: Future = Future()
        self.background: list[str] = []
        """What was made that yields to the rest."""
        self.background_devices: list[FakeDevice] = []
        self.quick: FakeDevice | None = None
        """Draws first pictures, where there is one."""

    def compiler(self):
        return self.text

    def predictor(self):
        return self.forecaster

    def device(self, info):
        self.devices.append(FakeDevice(info, self._settle))
        return self.devices[-1]

    def background_compiler(self):
        self.background.append("compiler")
        return self.optimizer

    def quick_device(self, info):
        return self.quick

    def background_device(self, info):
        self.background.append("device")
        self.background_devices.append(FakeDevice(info))
        return self.background_devices[-1]

    def compiled_targets(self):
        self.background.append("look")
        return self.looking

    def compiled(self, targets):
        self.background.append("compiled")
        return self.vendors
