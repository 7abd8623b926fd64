"""What one pixel of a picture is, costs, and computes on a line."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.spirv.passes.recording import Event, Site
from shaderlab.spirv.trace import SourceLine


@dataclass(frozen=True)
class PixelValues:
    """Of one invocation; where triangles overlap, of all that shaded the pixel, one after another
    or mixed."""

    pixel: tuple[int, int]
    """x and y; its gl_FragCoord is half a pixel more each way."""
    line: SourceLine
    colour: tuple[int, int, int, int]
    """RGBA, 0 to 255, as the picture shows it."""
    instructions: int
    """Executed by the pixel, as heat maps count them."""
    runs: int
    """Times the line ran for the pixel."""
    sites: tuple[Site, ...]
    """Where the line reads and writes variables, in the order of the program."""
    steps: tuple[tuple[Event, ...], ...]
    """The line's runs in order, each with its values."""
    complete: bool
    """Whether all runs are there: the first are kept where there are too many."""
