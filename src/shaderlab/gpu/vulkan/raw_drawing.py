"""A draw with its render target, ready for rendering, profiling and tracing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import fixed_functions
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.given_target import GivenTarget, given_layout
from shaderlab.gpu.vulkan.pipeline import Pipeline, PipelineState
from shaderlab.gpu.vulkan.render_target import (
    RenderTarget,
    check_samples,
    check_size,
    target_layout,
)
from shaderlab.gpu.vulkan.shader_inputs import Pictures, ShaderInputs, StorageBinding
from shaderlab.gpu.vulkan.shared_pipelines import SharedPipelines
from shaderlab.gpu.vulkan.support import supported_stages
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.gpu.vulkan.vertex_stage import VertexBuffers, vertex_stage
from shaderlab.scene.draw import Blend, Draw
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.access import accesses
from shaderlab.spirv.passes.instrumentation import may_test_early
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BoundTexture


class RawDrawing:
    """Render target, descriptors, vertices and pipeline of one draw, whatever its program does: of
    a program of the user's through `Drawing` alone, which asks whether it may run."""

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
        """`instrumented` takes the place of the program's SPIR-V, `storage` is bound for it.

        `quick`: have the pipeline sooner, where a driver supports that, at the price of state other
        than the canonical run's.  `pictures`: of other passes, which its textures may show.

        Raises UnsupportedShader, WrongUse (size beyond the device's limits, a file that cannot be
        read), OutOfDeviceMemory, DeviceLost.
        """
        self._device = device
        state, program = draw.state, draw.program
        size, geometry = draw.size, state.geometry
        check_size(device, size)
        check_samples(device, state.attachments.samples)
        stages = supported_stages(device, program, draw.vertex)
        interface = stages[0].interface
        before = stages[1].interface if draw.vertex else None
        stage = vertex_stage(device, interface, geometry, draw.vertex, before)
        self._inputs = ShaderInputs(device, stages, draw.inputs, size, stack, storage, pictures)
        solid, fixed = is_solid(draw), state.attachments.fixed
        self._fixed = fixed
        if fixed is not None:
            fixed_functions.check(device, fixed)
            layout = given_layout(
                device, fixed, interface.outputs, size, self._inputs.attachment_formats
            )
            self.target: RenderTarget = GivenTarget(
                device, size, layout, fixed, stack, self._inputs.attachments
            )
        else:
            layout = target_layout(
                device,
                state.attachments,
                interface.outputs,
                with_depth=solid or "FragDepth" in interface.builtins,
                inputs=self._inputs.attachment_formats,
            )
            self.target = RenderTarget(device, size, layout, stack, self._inputs.attachments)
        if instrumented_vertex is not None:
            stage = replace(stage, spirv=instrumented_vertex)
        # lavapipe compiles an opaque shader twice, for tiles wholly and partly covered, and takes
        # one that blends for not opaque: about half the time, the same picture.
        blends_quickly = quick and device.info.slug.startswith("llvmpipe") and not solid
        spirv = instrumented or program.spirv
        constants = self._inputs.spec_constants(draw.inputs)
        its = PipelineState(
            size,
            state.attachments.blend,
            any(output.blend_source for output in interface.outputs),
            needless_blend=blends_quickly and state.attachments.blend is Blend.OFF,
            depth_compare=_depth_compare(draw),
            y_up=program.dialect.y_up,
            is_flipped=program.dialect.y_up is not program.y_up,
            spec_constants=constants[0],
            vertex_constants=constants[1] if draw.vertex else {},
            fixed=fixed,
        )

        def make(stack: ExitStack) -> Pipeline:
            return Pipeline(
                device, spirv, program.entry_point, stage, self._inputs.layout, layout,
                self.target.clearing_pass, its, stack,
            )  # fmt: skip

        is_new = True
        if fixed is None:
            self._pipeline = make(stack)
        else:
            key = (
                hashlib.sha256(spirv).digest(), program.entry_point, stage.spirv, stage.attributes,
                self._inputs.layout_key, layout.written, tuple(sorted(layout.colours.items())),
                layout.depth, layout.inputs, layout.input_formats,
                tuple(its.spec_constants.items()), fixed.without_contents(),
            )  # fmt: skip
            shared = device.companion(SharedPipelines, SharedPipelines)
            self._pipeline, is_new = shared.pipeline(key, make, stack)
        self.pipeline_s = self._pipeline.creation_s if is_new else 0.0
        """Seconds the driver took to compile the shader."""
        self.has_own_vertices = stage.program is not None
        """Whether its vertex stage is the user's."""
        self._geometry = geometry
        self._vertices = VertexBuffers(device, stage, geometry, size, program.dialect.y_up, stack)
        self.set_inputs(draw.inputs)
        if device.info.kind == "software" and fixed is None:
            self.pipeline_s += self._draw_one_pixel()
        compiles_later = device.info.kind == "software" and fixed is not None
        self.compile_s = self.pipeline_s if is_new and not compiles_later else None
        """The same; None where the pipeline was there already, or is compiled by the first draw."""

    @property
    def textures(self) -> Mapping[tuple[int, int], BoundTexture]:
        """What is bound to be sampled or fetched, by descriptor set and binding."""
        return self._inputs.textures

    def set_inputs(self, inputs: Inputs, camera: Camera | None = None) -> bool:
        """Values for the next submission; at first those of the draw.

        `camera`: None for the one that was set last.  Returns whether recorded commands must be
        recorded anew.
        """
        if camera is not None and camera != self._geometry.camera:
            self._geometry = replace(self._geometry, camera=camera)
            self._vertices.look(self._geometry)
        return self._inputs.set_values(inputs, self.target.size, self._geometry.camera)

    def record(
        self,
        commands: Any,
        tile: Tile | None = None,
        *,
        keep: bool = False,
        empty: bool = False,
    ) -> None:
        """Record one render pass that draws a tile, else everything.

        `keep` draws onto what is there, otherwise everything outside the tile turns black.
        `empty`: the pass alone, in which nothing is drawn.
        """
        tile = tile or Tile(0, 0, *self.target.size)
        self.target.begin(commands, keep=keep)
        if not empty:
            self._pipeline.bind(commands)
            self._inputs.bind(commands)
            origin, size = (tile.x, tile.y), (tile.width, tile.height)
            self._pipeline.draw(commands, self._vertices, origin, size, self._fixed)
        self.target.end(commands)

    @property
    def begins_anew(self) -> bool:
        """Whether contents of the attachments are given, which each draw must find again."""
        return self._fixed is not None

    def restore(self) -> None:
        """Have the attachments hold what was given, for one `record` that keeps it."""
        if isinstance(self.target, GivenTarget):
            self._device.run_once(self.target.restore)

    def _draw_one_pixel(self) -> float:
        """Seconds of a smallest draw: lavapipe compiles at the first, which is no frame's cost."""
        start = time.perf_counter()
        self._device.run_once(lambda commands: self.record(commands, Tile(0, 0, 1, 1)))
        return time.perf_counter() - start


def shades_each_pixel_once(draw: Draw) -> bool:
    """Whether no pixel is shaded by two invocations."""
    return (
        draw.state.geometry.is_full_screen
        and draw.vertex is None
        and draw.state.attachments.samples == 1
    )


def tests_early_by_itself(draw: Draw) -> bool:
    """Whether the draw's depth test spares hidden pixels the shader, unless something counts."""
    entry = draw.program.module.fragment_entry_point(draw.program.entry_point)
    fixed = draw.state.attachments.fixed
    if fixed is not None and (fixed.depth is None or fixed.alpha_to_coverage):
        return False
    return is_solid(draw) and may_test_early(draw.program.module, entry, draw.program.interface)


def is_solid(draw: Draw) -> bool:
    """Whether nearer fragments hide those behind them."""
    return not draw.state.geometry.is_full_screen or draw.vertex is not None


def _depth_compare(draw: Draw) -> int:
    """VkCompareOp.  A vertex stage of the user's may lie at the far plane, as backgrounds do."""
    if not is_solid(draw):
        return vk.VK_COMPARE_OP_ALWAYS
    return vk.VK_COMPARE_OP_LESS_OR_EQUAL if draw.vertex is not None else vk.VK_COMPARE_OP_LESS


def vertices_write(draw: Draw) -> bool:
    """Whether a vertex stage of the draw's own leaves something behind."""
    if draw.vertex is None:
        return False
    _, written = accesses(draw.vertex.module)
    return any(each.variable in written for each in draw.vertex.interface.resources)


def vertex_descriptors(draw: Draw) -> tuple[Descriptor, ...]:
    """Descriptors of the user's vertex stage."""
    if draw.vertex is None:
        return ()
    return tuple(resource.descriptor for resource in draw.vertex.interface.resources)
