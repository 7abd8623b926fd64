"""Which parts of a session speak up at each step, and what is asked of its workers then.

Read it in golden/told.txt: after each step the signals that were emitted, each once and sorted, the
requests that were made, and what is known.  To accept a deliberate change, run the test with
SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counted_run import CANONICAL, CountedRun
from shaderlab.app.session.form_jobs import REST_S
from shaderlab.errors import CompileFailed, DeviceLost, InvalidModule, ShaderlabError, ShaderTimeout
from shaderlab.frontend.program import Program
from shaderlab.prediction.forms import Form
from shaderlab.scene.geometry import Body, Camera
from shaderlab.scene.textures import Pattern, Texture
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.workers.supervisor.limits import Limits

from .driven import Driven
from .fakes import (
    FLOAT,
    OTHER,
    REST_MORE_S,
    FakeWorker,
    forecast,
    frame,
    measurement,
    program,
    trace,
)

GOLDEN = Path(__file__).parent / "golden/told.txt"
HEAT = HeatView(HeatKind.INSTRUCTIONS)


class Listener:
    """Hears all that is said, and notes what is asked."""

    def __init__(self, driven: Driven):
        self.driven, self.lines = driven, list[str]()
        self._said: set[str] = set()
        self._heard = 0
        session = driven.session
        device = session.on_device
        parts: dict[str, QObject] = {"session": session, **_parts(session)}
        parts |= {f"device.{name}": each for name, each in _parts(device).items()}
        for name, part in parts.items():
            for kind in type(part).__mro__:
                for signal, each in vars(kind).items():
                    if isinstance(each, Signal) and kind.__module__.startswith("shaderlab"):
                        getattr(part, signal).connect(self._hearing(f"{name}.{signal}"))

    def _hearing(self, what: str):
        return lambda *_: self._said.add(what)

    @property
    def _requests(self) -> list[str]:
        workers = self.driven.workers
        named: dict[str, FakeWorker] = {
            "compiler": workers.text, "optimizer": workers.optimizer,
            "predictor": workers.forecaster,
            **{f"device {n}": each for n, each in enumerate(workers.devices)},
        }  # fmt: skip
        return [f"{name}: {each.task}" for name, it in named.items() for each in it.requests]

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        before = self._requests
        self._said.clear()
        yield
        asked = self._requests
        for each in before:
            asked.remove(each)
        self.lines += [
            f"{name}:",
            f"  said {' '.join(sorted(self._said))}",
            f"  asked {', '.join(asked)}",
            f"  known {self._known()}",
        ]

    def _known(self) -> str:
        session = self.driven.session
        device, compiling = session.on_device, session.compiling
        facts = {
            "compiles": compiling.compiles,
            "follows": compiling.follows,
            "drawn": device.pictures.current,
            "counted": device.counts.current,
            "complete": session.complete,
            "playing": device.pictures.playback.playing,
            "edited": session.edited,
            "waiting": session.drawing.waiting,
        }
        true = [name for name, each in facts.items() if each]
        times = [each.time_s for each in session.forecasts]
        versions = [
            f"{each.text}{each.name and f' as {each.name}'}" for each in session.versions.all
        ]
        messages = [each.message for each in session.diagnostics]
        error = device.pictures.error or device.counts.error or session.forecast_error
        return (
            f"{' '.join(true)}; on {device.task or 'nothing'}; forecasts {times}, estimates "
            f"{len(session.untraced.forecasts)}; versions {versions}; {messages}; error {error}"
        )


def _parts(of: QObject) -> dict[str, QObject]:
    return {
        name: each
        for name, each in vars(of).items()
        if isinstance(each, QObject) and not name.startswith("_") and name != "bridge"
    }


def settle(driven: Driven) -> None:
    """The compiler answers all that it was asked beside texts."""
    answers = {"influence": Influence({}), "flows": ("flow",), "disassemble": "OpNop"}
    while found := [each for each in driven.text.open if each.task in answers]:
        found[0].answer(answers[found[0].task])


def compiled(driven: Driven, made: Program) -> None:
    settle(driven)
    driven.text.answer(made)


def drawn(driven: Driven, view: HeatView | None = None) -> None:
    """What the device is on is drawn, where that is a picture."""
    if driven.device.on in ("render", "heat"):
        driven.device.answer(frame(view=view))


def _first_texts(told: Listener, driven: Driven) -> None:
    session, device = driven.session, lambda: driven.device
    with told.step("the text compiles"):
        compiled(driven, program("a", text="a"))
    with told.step("it is drawn"):
        device().answer(frame())
    with told.step("it is counted"):
        device().answer(trace())
    with told.step("it is predicted"):
        driven.predictor.answer((forecast(),))
    with told.step("it rests"):
        driven.clock.move(REST_S + 1)
    with told.step("it is edited"):
        session.edit("ab")
    with told.step("it compiles again"):
        compiled(driven, program("ab", text="ab"))
    with told.step("edited before it is counted"):
        device().answer(frame())
        session.edit("ab(")
    with told.step("it does not compile"):
        settle(driven)
        driven.text.fail(CompileFailed("no"))
    with told.step("which is shown after a pause"):
        driven.clock.move(1.0)
    with told.step("it is mended"):
        session.edit("ab ")
        compiled(driven, program("ab", text="ab "))
    with told.step("the counts go on"):
        while device().on:
            device().answer(trace() if device().on == "trace" else frame())
    with told.step("and are predicted"):
        driven.predictor.answer((forecast(time_s=2.0),))
    with told.step("a text is left for later"):
        session.edit_without_compiling("abc")


def _inputs(told: Listener, driven: Driven) -> None:
    session, device = driven.session, lambda: driven.device
    glowing = program("glow", inputs={"glow": FLOAT}, textures=["iChannel0"], text="glow")
    with told.step("a program with inputs"):
        session.edit("glow")
        compiled(driven, glowing)
    with told.step("is served"):
        device().answer(frame())
        driven.clock.move(REST_MORE_S)
        device().answer(trace())
        driven.predictor.answer((forecast(),))
    for name, change in (
        ("a value is given", lambda: session.drawing.set_value("glow", (0.5,))),
        ("the same again", lambda: session.drawing.set_value("glow", (0.5,))),
        ("a texture", lambda: session.drawing.set_texture("iChannel0", Texture(Pattern.NOISE))),
        ("nothing any more", lambda: session.drawing.reset_input("glow")),
        ("another geometry", lambda: session.drawing.set_shape(Body.TORUS)),
        ("seen from elsewhere", lambda: session.drawing.set_camera(Camera(distance=9.0))),
        ("as the project has it", session.drawing.settle),
        ("another run", lambda: session.drawing.count_at(CountedRun((64, 32)))),
    ):
        with told.step(name):
            change()
    with told.step("all of it rests"):
        while device().on == "render":
            device().answer(frame())
        driven.clock.move(REST_MORE_S)
    with told.step("and is counted"):
        device().answer(trace((64, 32)))
        driven.predictor.answer((forecast(time_s=0.5),))
    with told.step("the canonical run again"):
        session.drawing.count_at(CANONICAL)
        device().answer(frame())
        driven.clock.move(REST_MORE_S)
        device().answer(trace())
        driven.predictor.answer((forecast(),))


def _views(told: Listener, driven: Driven) -> None:
    session, device = driven.session, lambda: driven.device
    pictures = session.on_device.pictures
    with told.step("a profile is asked for"):
        session.on_device.profiles.ask(2, 3)
    with told.step("and comes"):
        device().answer(measurement())
    with told.step("a heat map is asked for"):
        pictures.show_heat(HEAT)
    with told.step("and comes in its turn"):
        drawn(driven, HEAT)
    with told.step("no heat map"):
        pictures.show_heat(None)
        drawn(driven)
    with told.step("one second on"):
        pictures.step(60)
        drawn(driven)
    with told.step("back to the start"):
        pictures.restart()
        drawn(driven)
    with told.step("to a time"):
        pictures.seek(3.0)
        drawn(driven)
    with told.step("a loop"):
        pictures.set_loop((4.0, 5.0))
        drawn(driven)
    with told.step("it plays"):
        session.on_device.toggle_play()
    with told.step("it pauses"):
        drawn(driven)
        session.on_device.toggle_play()
    with told.step("another size"):
        pictures.set_size((100, 80))
        drawn(driven)
    with told.step("unseen, and seen"):
        pictures.set_visible(False)
        pictures.set_visible(True)
    with told.step("a pixel is picked"):
        session.on_device.pixels.pick((0, 0))
        device().answer("values")
    with told.step("flow is looked at"):
        session.flow.want(True)
    with told.step("a version is pinned"):
        made = session.versions.pin("first")
    with told.step("renamed"):
        session.versions.rename(made.number, "second")
    with told.step("not compared with"):
        session.versions.compare_with(0)
    with told.step("let go"):
        session.versions.unpin(made.number)
    with told.step("a curve is asked for"):
        session.curve.ask(4.0, "rtx3060")
        driven.clock.move(0.2)
    with told.step("and stopped"):
        session.curve.stop()
    with told.step("its last count comes"):
        device().answer(trace())
    with told.step("the history is dropped"):
        session.versions.forget()


def _failures(told: Listener, driven: Driven) -> None:
    session, device = driven.session, lambda: driven.device
    with told.step("targets are read again, in vain"):
        session.read_targets()
        for request in driven.predictor.open[:2]:
            request.fail(ShaderlabError("no predictor"))
    with told.step("they come with the next forecasts"):
        driven.predictor.answer((forecast(),))
        session.forecasting.predict()
    with told.step("one model is refused"):
        for request in driven.predictor.open:
            answers = {"targets": (), "problems": ("bad: no card",), "predict": (forecast(),)}
            request.answer(answers[request.task])
    with told.step("a text that cannot be counted"):
        session.edit("hang")
        compiled(driven, program("hang", text="hang"))
        while device().on != "trace":
            device().answer("values" if device().on == "pixel" else frame())
        device().fail(ShaderTimeout("took too long"))
    with told.step("is estimated"):
        driven.clock.move(0.1)
        for request in driven.predictor.open:
            request.answer((forecast(),))
    with told.step("its pixel is read"):
        device().answer("values")
    with told.step("a text that ends the device"):
        session.edit("crash")
        compiled(driven, program("crash", text="crash"))
        device().fail(DeviceLost("ended by SIGSEGV"))
        driven.clock.move(0.1)
    with told.step("and the predictor"):
        for request in driven.predictor.open:
            request.fail(DeviceLost("the predictor ended"))
    with told.step("compiled once more"):
        session.compile_again()
    with told.step("another device"):
        session.use_device(OTHER)
    with told.step("other limits"):
        session.set_limits(Limits(frame=1.0))


def _documents(told: Listener, driven: Driven) -> None:
    session = driven.session
    with told.step("saved elsewhere"):
        session.rename("b.frag", Path("/elsewhere"))
    with told.step("another document"):
        session.open_text("b", "b.frag", None)
    with told.step("which is compiled"):
        settle(driven)
        while driven.text.open:
            compiled(driven, program("b", text="b"))
    with told.step("with a vertex stage"):
        session.vertex.open("v", "v.vert", None)
    with told.step("edited"):
        session.edit_vertex("vv")
    with told.step("which fails"):
        for request in [each for each in driven.text.open if each.task == "vertex"]:
            request.fail(CompileFailed("no vertex"))
        driven.clock.move(1.0)
    with told.step("and goes"):
        session.vertex.close()
    with told.step("a module"):
        session.open_module(Path("/x/m.spv"), "ab" * 32)
    with told.step("which cannot be loaded"):
        for request in driven.text.open:
            request.fail(InvalidModule("no module"))
        driven.clock.move(1.0)


def test_each_step_is_told_to_whom_it_concerns(driven):
    driven.has_targets(Form.OPTIMIZED)
    told = Listener(driven)
    for part in (_first_texts, _inputs, _views, _failures, _documents):
        part(told, driven)
    text = "\n".join(told.lines) + "\n"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")
