"""What a compute shader needs of its buffers, and what it left in them, to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.spirv.reflection import Descriptor

BINS = 32
"""Of a histogram."""


@dataclass(frozen=True)
class BufferNeed:
    """The array of run-time length of one storage buffer."""

    name: str
    descriptor: Descriptor
    elements: int
    """In this launch."""
    stride: int
    """Bytes of one element."""
    why: str
    """Who chose them: the user, or what the launch reaches; and where a default decides."""
    access: str = ""
    """`in`, `out`, `in and out`, `unused`: of the buffer."""
    holds: str = ""
    """What the array is filled with, where that is not plain random numbers."""
    rule: str = ""
    """Elements as a function of g, the invocations along x: `2 g + 1`; empty where indices follow
    no line, or where it was not looked at."""


@dataclass(frozen=True)
class BufferOutput:
    """One array, or one value, of a storage buffer that the shader may write."""

    name: str
    """As its user writes it: `c`, `particles[].position`."""
    type: str
    """Of one element, as GLSL writes it."""
    elements: int
    changed: int
    """Elements with another value than before the run."""
    minimum: float
    maximum: float
    mean: float
    """Over all components of all elements; of finite ones only, nan where there are none."""
    not_finite: int
    """Components that are infinite or no number."""
    histogram: tuple[int, ...]
    """Finite components in `BINS` steps of equal width from minimum to maximum."""
    first: tuple[float, ...]
    """The first components, as far as there are."""
    digest: str
    """SHA-256, hex, of the array's bytes."""

    @property
    def text(self) -> str:
        """`c: 65,536 float, 0.01 to 1.98, mean 0.99; 65,536 changed`."""
        span = (
            "no finite number"
            if self.mean != self.mean
            else f"{self.minimum:.6g} to {self.maximum:.6g}, mean {self.mean:.6g}"
        )
        odd = f"; {self.not_finite:,} not finite" if self.not_finite else ""
        return f"{self.name}: {self.elements:,} {self.type}, {span}; {self.changed:,} changed{odd}"


@dataclass(frozen=True)
class Outputs:
    """All that one dispatch left."""

    buffers: tuple[BufferOutput, ...] = ()
    image: str = ""
    """Name of the storage image that the picture shows; empty where it shows none."""
    image_note: str = ""
    """Why a written image is not shown."""

    @property
    def sentence(self) -> str:
        """What there is to see, where it is no picture."""
        if self.image:
            return ""
        if self.image_note:
            return self.image_note
        if self.buffers:
            return "This compute shader writes no image."
        return "This compute shader writes neither image nor buffer."

    def compared(self, now: Outputs) -> tuple[str, str]:
        """What another version left of these buffers: whether the same, and the ones that differ,
        each as it was and as it is."""
        former, present = ({each.name: each for each in one.buffers} for one in (self, now))
        apart = [
            name
            for name in {**former, **present}
            if name not in former
            or name not in present
            or former[name].digest != present[name].digest
        ]
        if not apart:
            return "Both versions write the same to their buffers", ""
        lines = [
            f"{when}: {found[name].text}" if name in found else f"{when}: no {name}"
            for name in apart
            for when, found in (("then", former), ("now", present))
        ]
        return "The versions write different values to their buffers", "\n".join(lines)
