"""One shader after another through one worker process of the device: prepare, trace, time.

Stations run in parallel, each in its own thread, and take turns: timing has the device to itself
and, where the device draws with the machine's own cores, the machine as well.  Everything else
(compiling, which takes a driver longer than drawing does, and counting) overlaps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TypeVar

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort, MeasuringWorker, Traced
from shaderlab.campaigns.preparing import Prepared
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import Abandoned, DeviceStuck, ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.samples import recording, validation
from shaderlab.samples.known_counts import KnownCounts
from shaderlab.samples.sample import Sample
from shaderlab.scene.draw import CANONICAL, Draw, DrawState
from shaderlab.scene.inputs import Input, Source
from shaderlab.scene.textures import NoisePicture, PassPicture, Texture

_T = TypeVar("_T")

_WORKER_SHADERS = 500
"""A device's child is replaced after so many, as drivers leak."""


@dataclass(frozen=True)
class Options:
    """What is done with every shader."""

    state: DrawState = CANONICAL
    """What every program is drawn with."""
    effort: Effort = field(default_factory=Effort)
    optimize: bool = True
    """Also trace the module after `spirv-opt -O`."""
    counts: KnownCounts | None = None
    """What was counted before with the same inputs, here or on another device, is not again."""


class Station:
    """Measures one shader at a time; errors are those of `MeasuringWorker`.

    Nothing is started before it is needed.
    """

    def __init__(self, device: DeviceInfo, options: Options, turns: Turns):
        self._device = device
        self._options = options
        self._turns = turns
        self._worker: MeasuringWorker | None = None
        self._served = 0
        self._closed = False
        self._closing = threading.Lock()

    def sample(self, shader: Shader) -> Sample:
        """Everything there is to know of the shader.  Raises also InvalidSample."""
        options = self._options
        prepared = self.prepare(shader)
        program = prepared.program
        draw = self.draw(program, shader)
        known = None
        if options.counts and not draw.is_compute:  # whose counts follow from its launch
            known = options.counts.of(program.digest, recording.texture_records(draw))
        traced = optimized = picture = None
        if known is None:
            # Before it is timed: on a GPU what was counted, with bounded loops, comes to its end.
            traced = self._unless_failed(self.trace, draw)
            picture = traced.picture if traced else None
        measured = self.time(draw)
        if known is not None:
            with self._turns.working():
                picture = self._unless_failed(self._here().look, draw)
        elif prepared.optimized is not None:
            other = draw.of_program(prepared.optimized)
            optimized = self._unless_failed(self.trace, other)
        with self._without_the_device():
            sample = recording.record(
                draw,
                measured,
                self._device,
                trace=traced.trace if traced else None,
                optimized=(prepared.optimized.module, optimized.trace)
                if optimized and prepared.optimized
                else None,
                picture=picture,
                origin=shader.origin,
            )
            if known is not None:
                sample = recording.with_counts(sample, *known)
            validation.check(sample)
        return sample

    def prepare(self, shader: Shader) -> Prepared:
        """The first step of a shader: compile it."""
        self._served += 1
        if self._served > _WORKER_SHADERS:
            self._renew()
        with self._without_the_device():
            return self._here().prepare(shader, self._options.optimize)

    def time(self, draw: Draw) -> Measurement:
        with self._without_the_device():
            self._here().make_timed(draw)
        with self._turns.timing():
            return self._here().time(draw, self._options.effort)

    def trace(self, draw: Draw) -> Traced:
        with self._without_the_device():
            self._here().make_traced(draw)
        if self._device.kind == "software":  # where summing up counts disturbs others too
            with self._turns.working():
                return self._here().trace(draw, nullcontext)
        return self._here().trace(draw, self._turns.working)

    def close(self) -> None:
        """What is under way fails with Abandoned.  From any thread."""
        with self._closing:
            self._closed = True
        self._renew()

    def draw(self, program: Program, shader: Shader) -> Draw:
        """A program of the shader with the shader's textures, and else as the options say."""
        state = self._options.state
        given = {name: _given(each, state) for name, each in shader.textures.items()}
        inputs = replace(state.inputs, textures={**state.inputs.textures, **given})
        return replace(state, inputs=inputs).draw(program)

    def _without_the_device(self) -> AbstractContextManager[None]:
        """The turn of what needs the machine's own cores alone."""
        return self._turns.working() if self._device.kind == "software" else nullcontext()

    def _here(self) -> MeasuringWorker:
        with self._closing:
            self._check_open()
            if self._worker is None:
                counted = self._options.counts.digests if self._options.counts else frozenset()
                deadline_s = self._options.effort.deadline_s
                self._worker = MeasuringWorker(self._device, deadline_s, counted)
                self._served = 1
            return self._worker

    def _check_open(self) -> None:
        if self._closed:
            raise Abandoned("measuring was stopped")

    def _unless_failed(self, step: Callable[..., _T], *arguments: object) -> _T | None:
        """What the step gives, or None where it fails: the times are worth keeping without it."""
        try:
            return step(*arguments)
        except DeviceStuck:
            raise
        except ShaderlabError:
            self._check_open()  # else closing it would look like a fault of the shader
            return None

    def _renew(self) -> None:
        with self._closing:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


def _given(texture: Texture, state: DrawState) -> Input[Texture]:
    """The texture bound to a pass that is measured by itself."""
    if isinstance(texture.source, PassPicture):
        texture = replace(texture, source=NoisePicture(state.size))
    return Input(texture, Source.SET)
