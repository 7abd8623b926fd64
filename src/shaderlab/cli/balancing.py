"""`campaign --balance`: shaders chosen by forecast, round after round."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shaderlab.campaigns.campaign import Campaign, Progress
    from shaderlab.campaigns.corpus import Shader
    from shaderlab.campaigns.station import Options
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.samples.sample import Sample


class _Measuring(Protocol):
    """A campaign over some of the shaders, which reports its samples."""

    def __call__(
        self, some: Sequence[Shader], heard: Callable[[Sample], None] | None = ..., /
    ) -> Campaign: ...


def balanced(
    arguments: argparse.Namespace,
    measuring: _Measuring,
    shaders: Sequence[Shader],
    place: tuple[DeviceInfo, int],
    options: Options,
    report: Callable[[Progress], None],
) -> Progress:
    """`place`: the device, and how many of its shaders are in progress at once."""
    from shaderlab.campaigns import balance
    from shaderlab.samples import exchange, recording

    info, stations = place
    inputs = recording.inputs_record(options.state)
    sets = [*arguments.beside, *([arguments.to] if arguments.to.exists() else ())]
    times: list[float] = []
    known: set[tuple[str | None, str | None]] = set()
    for path in sets:
        for sample in exchange.accepted(path):
            if sample.device.slug == info.slug and sample.inputs == inputs:
                times.append(sample.timing.time_s)
                if path != arguments.to:
                    known.add((sample.program.collection, sample.program.id))
    known.discard((None, None))
    left = measuring(shaders).left(retry=arguments.retry)
    fresh = [each for each in left if (each.origin.collection, each.origin.id) not in known]
    size = options.state.size
    software = info.kind == "software"
    with closing(
        balance.candidates(fresh, info.slug, size, stations, by_pixels=software)
    ) as candidates:
        chooser = balance.Chooser(candidates, times, options.effort.slowest_s)
        return balance.run(
            chooser,
            lambda some: measuring(some, chooser.measured),
            report,
            limit=arguments.limit,
            retry=arguments.retry,
        )
