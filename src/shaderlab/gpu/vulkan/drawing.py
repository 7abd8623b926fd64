"""A draw of the user's, which asks whether its programs may run before it is there."""

from __future__ import annotations

from contextlib import ExitStack

from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.ended import require_known
from shaderlab.gpu.vulkan.loop_limit import bounded_form
from shaderlab.gpu.vulkan.raw_drawing import RawDrawing
from shaderlab.gpu.vulkan.shader_inputs import Pictures, StorageBinding
from shaderlab.scene.draw import Draw


class Drawing(RawDrawing):
    """One draw, of programs that are known to end on the device or are bounded."""

    def __init__(
        self,
        device: Device,
        draw: Draw,
        stack: ExitStack,
        *,
        instrumented: bytes | None = None,
        instrumented_vertex: bytes | None = None,
        storage: StorageBinding | None = None,
        quick: bool = False,
        pictures: Pictures | None = None,
    ):
        """As `RawDrawing`; loops in what is `instrumented` are bounded where the device ends none.

        Raises what that does, and what `require_known` does.
        """
        require_known(device, draw, draw.program, bounded=instrumented is not None)
        if draw.vertex is not None:
            require_known(device, draw, draw.vertex, bounded=instrumented_vertex is not None)
        super().__init__(
            device,
            draw,
            stack,
            instrumented=instrumented,
            instrumented_vertex=instrumented_vertex,
            storage=storage,
            quick=quick,
            pictures=pictures,
        )


def bounded_drawing(
    device: Device, draw: Draw, stack: ExitStack, pictures: Pictures | None
) -> Drawing:
    """A draw to be drawn again and again, quickly compiled, as `bounded_form` has its stages."""
    return Drawing(
        device,
        draw,
        stack,
        instrumented=bounded_form(device, draw.program),
        instrumented_vertex=bounded_form(device, draw.vertex),
        quick=True,
        pictures=pictures,
    )
