"""Draws of a captured frame replayed, counted and predicted, by the workers of each."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from shaderlab.captures.frame import CapturedDraw, CapturedShader
from shaderlab.errors import (
    DeviceLost,
    DeviceStuck,
    ShaderlabError,
    StartFailed,
    UnsupportedShader,
    WrongUse,
)
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.replayed import Replayed
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.target_pictures import thumbnail
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.frame_heat import FrameHeat, difference
from shaderlab.workers.kept_draws import Counted, KeptDraws

if TYPE_CHECKING:
    import numpy as np

    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.scene.contents import Contents
    from shaderlab.spirv.heat import HeatView
    from shaderlab.workers.compiler import CompilerWorker
    from shaderlab.workers.device import DeviceWorker
    from shaderlab.workers.predictor import PredictorWorker
    from shaderlab.workers.second_device import SecondDevice

_NOT_REPLAYED = Replayed(nan, nan, None, 0.0)


class FrameAnalyser:
    """Takes the draws one by one, from any thread; modules are compiled once for all of them."""

    def __init__(
        self,
        compiler: CompilerWorker,
        device: DeviceWorker,
        predictor: PredictorWorker | None = None,
        targets: Sequence[str] | None = None,
        method: str | None = None,
        kept: KeptDraws | None = None,
        optimizer: CompilerWorker | None = None,
        second: SecondDevice | None = None,
    ):
        """Without a predictor draws are replayed and counted only.  `kept`: of the same device.
        `optimizer`: for `refined`.  `second`: for draws that crash the device."""
        self._second = second
        self._compiler, self._device, self._predictor = compiler, device, predictor
        self._targets, self._method, self._kept = targets, method, kept
        self._optimizer = optimizer
        self._optimized: dict[str, Future[Program]] = {}
        self._programs: dict[tuple[str, str, Stage], Future[Program]] = {}
        self._texts: dict[str, str] = {}
        """Whether GLSL compiles, as the end of a sentence, by digest of its text."""
        self._lock = threading.Lock()

    def analyse(
        self, draw: CapturedDraw, instead: Program | None = None, *, outputs: bool = False
    ) -> AnalysedDraw:
        """Waits for all three.  What fails is the reason; raises StartFailed alone.

        `instead`: drawn in place of the draw's own shader.  `outputs`: what it wrote is in
        `replayed`, so it is drawn again even where its counts are kept.
        """
        found = AnalysedDraw(draw, reason=draw.reason)
        if draw.text is not None:
            return replace(found, reason=f"{draw.reason}, which {self._compiles(draw.text)}")
        if draw.state is None or draw.shader is None:
            return found
        try:
            program = instead or self.program(draw.shader, stage_of(draw)).result()
            found = replace(found, program=program)
            found = self._counted(found, Draw(program, draw.state), outputs)
            if found.trace is None:
                return found
            found = self._with_vertices(found)
            found = replace(found, forecasts=self._forecasts(found))
        except (StartFailed, DeviceStuck):
            raise
        except ShaderlabError as error:
            found = replace(found, reason=str(error))
        return found

    def _compiles(self, text: Contents) -> str:
        """Whether GLSL from a capture compiles, as the end of a sentence.  Raises StartFailed."""
        if text.digest not in self._texts:
            try:
                glsl = text.read().decode("utf-8", "replace")
                self._compiler.compile(glsl, f"shader {text.digest[:8]}", None).result()
                self._texts[text.digest] = "compiles here"
            except StartFailed:
                raise
            except ShaderlabError as error:
                why = str(error).splitlines()[0][:200] if str(error) else "the compiler rejects it"
                self._texts[text.digest] = f"does not compile here: {why}"
        return self._texts[text.digest]

    def _counted(self, found: AnalysedDraw, drawn: Draw, outputs: bool) -> AnalysedDraw:
        """Replayed and counted, as far as it goes: what fails after the replay is the reason."""
        known = self._kept.find(drawn) if self._kept is not None else None
        if known is not None:
            _ = drawn.program.entry(), known.trace.opcode_totals
            replayed = known.replayed
            if outputs:
                again = self._device.replay(drawn, trials=0, with_picture=True, outputs=True)
                replayed = replace(again.result(), time_s=known.replayed.time_s)
            return replace(found, replayed=replayed, trace=known.trace)
        found, error = _drawn(found, drawn, self._device, outputs)
        if isinstance(error, (DeviceLost, UnsupportedShader)) and self._second is not None:
            second = self._second.worker()
            if second is not None:
                try:
                    there, their_error = _drawn(found, drawn, second, outputs)
                except (StartFailed, DeviceStuck) as failed:  # the chosen device goes on without it
                    there, their_error = found, failed
                if their_error is None:
                    why = f"drawn on {second.info.name}, since {self._device.info.name} failed: "
                    return replace(there, elsewhere=why + str(error))
        if error is not None:
            return replace(found, reason=str(error))
        if self._kept is not None and found.replayed is not None and found.trace is not None:
            self._kept.keep(drawn, Counted(found.replayed, found.trace))
        return found

    def _with_vertices(self, found: AnalysedDraw) -> AnalysedDraw:
        """With the counts of its vertex stage, or the reason why there are none."""
        draw = found.draw
        if draw.vertex is None or draw.vertex_state is None:
            return replace(found, vertex_reason=draw.vertex_reason)
        try:
            program = self.program(draw.vertex, Stage.VERTEX).result()
            drawn = Draw(program, draw.vertex_state)
            known = self._kept.find(drawn) if self._kept is not None else None
            counted = known.trace if known is not None else self._device.trace(drawn).result()
            if known is None and self._kept is not None:
                self._kept.keep(drawn, Counted(_NOT_REPLAYED, counted))
        except (StartFailed, DeviceStuck):
            raise
        except ShaderlabError as error:
            return replace(found, vertex_reason=str(error))
        return replace(found, vertex_program=program, vertex=counted)

    def _forecasts(
        self, found: AnalysedDraw, forms: OtherForms | None = None
    ) -> tuple[Forecast, ...]:
        program, trace, state = found.program, found.trace, found.draw.state
        if self._predictor is None or program is None or trace is None or state is None:
            return ()
        drawn = Draw(program, state, found.vertex_program)
        ask = self._predictor.predict
        targets, method = self._targets, self._method
        return ask(drawn, trace, targets, method, forms, vertex=found.vertex).result()

    @property
    def can_refine(self) -> bool:
        return self._optimizer is not None and self._predictor is not None

    def refined(self, found: AnalysedDraw) -> AnalysedDraw:
        """With forecasts that rest on the optimised program as well, which is counted for them.

        Waits; where it fails, what was given.  Raises DeviceStuck.
        """
        state, program = found.draw.state, found.program
        if self._predictor is None or state is None or program is None or found.trace is None:
            return found
        try:
            optimized = self._optimize(program).result()
            drawn = Draw(optimized, state)
            known = self._kept.find(drawn) if self._kept is not None else None
            counted = known.trace if known is not None else self._device.trace(drawn).result()
            if known is None and self._kept is not None:
                self._kept.keep(drawn, Counted(_NOT_REPLAYED, counted))
            forms = {Form.OPTIMIZED: (optimized, counted)}
            return replace(found, forecasts=self._forecasts(found, forms))
        except DeviceStuck:
            raise
        except ShaderlabError:
            return found

    def _optimize(self, program: Program) -> Future[Program]:
        assert self._optimizer is not None
        with self._lock:
            if program.digest not in self._optimized:
                self._optimized[program.digest] = self._optimizer.optimize(program)
            return self._optimized[program.digest]

    def heat(self, draw: AnalysedDraw, view: HeatView) -> np.ndarray:
        """What its pixels cost in it, (height, width), row 0 at the top.  Waits; raises as
        `DeviceWorker.render_heat`, and WrongUse for a draw that was not counted."""
        if draw.program is None or draw.draw.state is None:
            raise WrongUse(f"draw {draw.draw.event} was not counted")
        frame = Frame.of(Draw(draw.program, draw.draw.state))
        found = self._device.render_heat(frame, view).result().heat
        assert found is not None
        return found.values.copy()  # the worker's memory is written again

    def difference(self, draw: AnalysedDraw) -> FrameHeat:
        """Where its picture differs from the captured one, in its first colour attachment.

        Waits; raises as `DeviceWorker.replay`, and WrongUse where there is nothing to compare.
        """
        target = next((each for each in draw.draw.targets if each is not None), None)
        if draw.program is None or draw.draw.state is None or target is None:
            raise WrongUse(f"draw {draw.draw.event} has no picture to compare")
        drawn = Draw(draw.program, draw.draw.state)
        ours = self._device.replay(drawn, trials=0, with_picture=True).result().pixels
        theirs = thumbnail(target, draw.draw.size, draw.draw.size, grey=False)
        if ours is None or theirs is None:
            raise WrongUse(f"the attachment of draw {draw.draw.event} is of the format "
                           f"{target.format}, which is not shown")  # fmt: skip
        return difference(ours, theirs)

    def program(self, shader: CapturedShader, stage: Stage) -> Future[Program]:
        """A stage, validated; its future fails as `CompilerWorker.load_module` does."""
        key = (shader.module.digest, shader.entry_point, stage)
        with self._lock:
            if key not in self._programs:
                name = f"{shader.entry_point} {shader.module.digest[:8]}"
                try:
                    self._programs[key] = self._compiler.load_module(
                        shader.module.read(), name, stage, shader.entry_point
                    )
                except ShaderlabError as error:
                    self._programs[key] = Future()
                    self._programs[key].set_exception(error)
            return self._programs[key]


def stage_of(draw: CapturedDraw) -> Stage:
    """Of the shader that a draw or dispatch is counted by."""
    return Stage.COMPUTE if draw.is_dispatch else Stage.FRAGMENT


def _drawn(
    found: AnalysedDraw, drawn: Draw, device: DeviceWorker, outputs: bool
) -> tuple[AnalysedDraw, ShaderlabError | None]:
    """Replayed and counted as far as it went, and why no further.  Raises StartFailed and
    DeviceStuck."""
    try:
        replayed = device.replay(drawn, with_picture=outputs, outputs=outputs).result()
        found = replace(found, replayed=replayed)
        counted = device.trace(drawn).result()
    except (StartFailed, DeviceStuck):
        raise
    except ShaderlabError as error:
        return found, error
    _ = drawn.program.entry(), counted.opcode_totals  # kept: not made in the interface's thread
    return replace(found, trace=counted), None
