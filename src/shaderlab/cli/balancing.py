"""`campaign --balance`: shaders chosen by forecast, round after round."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from shaderlab.cli.terminal import note

if TYPE_CHECKING:
    from shaderlab.campaigns.campaign import Campaign, Progress
    from shaderlab.campaigns.corpus import Shader
    from shaderlab.campaigns.station import Options
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.samples.sample import Sample


_Name = tuple[str | None, str | None]
"""Of a shader: its collection and its id there."""


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
    own: set[_Name] = set()
    known: set[_Name] = set()
    for path in sets:
        for sample in exchange.accepted(path):
            if sample.device.slug == info.slug and sample.inputs == inputs:
                times.append(sample.timing.time_s)
                names = own if path == arguments.to else known
                names.add((sample.program.collection, sample.program.id))
    known.discard((None, None))
    software = info.kind == "software"
    if software and known:
        _say_what_joins(info, len(own & known))
    left = measuring(shaders).left(retry=arguments.retry)
    fresh = [each for each in left if (each.origin.collection, each.origin.id) not in known]
    size = options.state.size
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


def _say_what_joins(info: DeviceInfo, shared: int) -> None:
    """Before hours are spent: what the times need to be of use beside the earlier ones."""
    from shaderlab.campaigns.balance import FEWEST_SHARED

    if shared < FEWEST_SHARED:
        note(
            f"{info.slug} is as fast as the machine under it: models are fitted to these times and "
            f"the earlier ones together only if both have {FEWEST_SHARED} of the same shaders. The "
            f"store has {shared} of them; add the rest with: "
            f"campaign CORPUS --first IDS --limit {FEWEST_SHARED}"
        )
