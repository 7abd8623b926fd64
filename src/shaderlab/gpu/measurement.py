"""`Measurement`: what the profiler found, every trial kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from shaderlab.gpu.device_info import DeviceKind
from shaderlab.gpu.outputs import BufferNeed
from shaderlab.gpu.trials import outliers
from shaderlab.stats import TimeLine, mean_interval

CPU_CLOCK_S = 1e-7
"""Below this, differences between processor times are those of its clock."""
PROCESSOR_TIME, DEVICE_TIME = "processor time, all cores", "time on the device"
"""The clocks by name, as they are shown."""


class PipelineStatistics(NamedTuple):
    """Counts of one draw, all that Vulkan has (Vulkan spec, "Pipeline Statistics Queries").

    Drivers may count helper invocations, or leave out work that they see is not needed.  In the
    order of the queries' bits.
    """

    input_vertices: int
    input_primitives: int
    vertex_invocations: int
    geometry_invocations: int
    geometry_primitives: int
    clipping_invocations: int
    """Primitives that reached the clipper."""
    clipped_primitives: int
    """Primitives that left the clipper."""
    fragment_invocations: int
    tessellation_patches: int
    tessellation_invocations: int
    compute_invocations: int


@dataclass(frozen=True)
class VertexTime:
    """What the vertex stage of a draw takes, with fetching its vertices and setting up triangles.

    The difference between the draw behind a scissor that leaves one pixel, where every vertex is
    still processed, and its render pass in which nothing is drawn; by the clock that counts on the
    device.
    """

    pass_trials_s: tuple[float, ...]
    """Seconds per pass of each trial."""
    trials_s: tuple[float, ...]
    """The same with the vertices."""

    @property
    def time_s(self) -> float:
        """Seconds per draw, between medians; 0 where the vertices are lost in noise."""
        return max(float(np.median(self.trials_s) - np.median(self.pass_trials_s)), 0.0)


@dataclass(frozen=True)
class OutputTime:
    """What a draw's render pass takes empty, and what writing its pixels adds.

    The same triangles into the same attachments with the same blending, but a shader that writes a
    constant colour.  In processor time on software devices.  Includes triangle setup where the draw
    has no vertex stage of its own.
    """

    pass_trials_s: tuple[float, ...]
    """Seconds per pass of each trial, with nothing drawn."""
    trials_s: tuple[float, ...]
    """The same with the constant colour drawn."""

    @property
    def pass_s(self) -> float:
        return float(np.median(self.pass_trials_s))

    @property
    def time_s(self) -> float:
        """Seconds per draw, between medians; 0 if it is within the noise."""
        return max(float(np.median(self.trials_s)) - self.pass_s, 0.0)


@dataclass(frozen=True)
class Measurement:
    """Time of one shader on one device (paper Algorithm 1)."""

    device: str
    """Slug, e.g. `llvmpipe`."""
    device_name: str
    """The driver's own name of the device."""
    driver: str
    """Driver name and version."""
    size: tuple[int, int]
    """Width, height in pixels."""
    draws: int
    """Draws per trial, each in its own render pass."""
    trials_s: tuple[float, ...]
    """Seconds per draw of each trial, in the order measured."""
    rejected: tuple[int, ...]
    """Indices of trials further than 7 MAD from the median (HALWPE §VI-A).

    They are kept above and left out of `time_s`."""
    floor_s: float
    """Seconds of one render pass on this device that draws a constant colour at this size."""
    cpu_trials_s: tuple[float, ...] = ()
    """CPU seconds per draw of each trial, summed over all threads of the process.

    The clock to trust for software devices, which share their cores with everything else.  Empty
    where not recorded."""
    clocks: str | None = None
    """Clock and power state right after the trials; None where the system does not report it."""
    linearity: TimeLine | None = None
    """Seconds of a whole submission over its number of draws: the slope is the time per draw, the
    intercept what a submission costs besides its draws.  By CPU time on software devices, else by
    timestamps.  None where one draw fills a submission, or where not looked at."""
    statistics: PipelineStatistics | None = None
    """What the device counted during one draw; None where it cannot."""
    vertex: VertexTime | None = None
    """Of a vertex stage of the draw's own; None where there is none, or not looked at."""
    output: OutputTime | None = None
    """None if it cannot be separated from the rest, or was not measured."""
    output_reason: str = ""
    """Why it cannot, as a sentence without full stop."""
    buffers: tuple[BufferNeed, ...] = ()
    """Of a dispatch: how long the arrays of its storage buffers were."""
    waited: float | None = None
    """Share of their time in which the process's threads had no processor, for other work's sake,
    during the trials; None where the system does not say."""

    compile_s: float | None = None
    """Seconds in which the driver made the pipeline, before anything was timed; on software devices
    with the draw of one pixel, at which they compile.  Short where the driver had it in a cache of
    its own.  None of several draws, and where it was not seen apart."""

    @property
    def on_processor(self) -> Measurement:
        """The same by processor time, with that clock's own outliers.

        What software devices are forecast, sampled and calibrated by.  Raises ValueError where it
        was not recorded.
        """
        if not self.cpu_trials_s:
            raise ValueError("processor time was not recorded")
        rejected = outliers(np.asarray(self.cpu_trials_s), CPU_CLOCK_S)
        return replace(self, trials_s=self.cpu_trials_s, rejected=rejected)

    @property
    def kept_s(self) -> np.ndarray:
        return np.delete(np.asarray(self.trials_s), self.rejected)

    @property
    def time_s(self) -> float:
        """Mean seconds per draw over the trials kept."""
        return float(self.kept_s.mean())

    @property
    def median_s(self) -> float:
        return float(np.median(self.kept_s))

    @property
    def interval_s(self) -> tuple[float, float]:
        """Bounds of `time_s` at 95 % confidence; nan with fewer than two trials."""
        return mean_interval(self.kept_s)

    @property
    def cv(self) -> float:
        """Coefficient of variation of the trials kept (standard deviation / mean)."""
        return float(self.kept_s.std(ddof=1) / self.kept_s.mean()) if len(self.kept_s) > 1 else 0.0


def own_clock(measured: Measurement, kind: DeviceKind) -> tuple[Measurement, str]:
    """By the clock that forecasts, samples and calibrations of such a device use, and its name."""
    if kind == "software" and measured.cpu_trials_s:
        return measured.on_processor, PROCESSOR_TIME
    return measured, DEVICE_TIME
