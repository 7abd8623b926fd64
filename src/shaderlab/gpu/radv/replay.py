"""The optimised program as GLSL, so that it can be run and its blocks counted.

Each block of the NIR becomes one line of text, so that a traced block's line says which it is
(`writer`).  What the program reads is what shaderlab's pipelines give it: a fragment shader the
uniform block at set 0, binding 0, gl_FragCoord, and textures (`pixels`, `textures`); a compute
shader its buffers, its push constants and its place in the launch (`kernels`, `buffers`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers import families
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.radv import arguments, textures
from shaderlab.gpu.radv.kernels import Kernel
from shaderlab.gpu.radv.nir import Function, UnreadableNir, parse
from shaderlab.gpu.radv.pixels import Pixels
from shaderlab.gpu.radv.push_constants import words_read
from shaderlab.gpu.radv.surroundings import Surroundings
from shaderlab.gpu.radv.tables import ConstantData, constant_data
from shaderlab.gpu.radv.writer import Writer, instructions
from shaderlab.spirv.reflection import Descriptor, Interface, Resource, ResourceKind
from shaderlab.spirv.value_types import size

SHADERTOY_BYTES = 144
"""Of the block that bodies for Shadertoy have."""


@dataclass(frozen=True)
class Replay:
    """An optimised program that can be traced."""

    text: str
    """Complete GLSL."""
    block_lines: dict[int, int]
    """NIR block number -> the line of the text that is it."""
    function: Function


def block_bytes(interface: Interface) -> int:
    """Bytes of the uniform block that a program which is replayed reads.

    Raises UnreadableNir where it may read another: the text does not say which one is meant.
    """
    blocks = [each for each in interface.resources if each.kind is ResourceKind.UNIFORM_BLOCK]
    for block in blocks:
        if block.descriptor != Descriptor(0, 0) or block.count != 1:
            at = block.descriptor
            raise UnreadableNir(f"the block at set {at.set}, binding {at.binding} is not replayed")
    return max((size(block.type) for block in blocks), default=16)


def replay_of(program: Program, stats: CompiledStats) -> Replay:
    """What the compiler of any family made of the program, as text that can be compiled.

    Raises UnreadableNir.
    """
    constants = constant_data(program.module, stats.chosen.assembly)
    family = next((each for each in families.families() if each.slug == stats.target), None)
    architecture = family.architecture if family is not None else ""
    interface = program.interface
    if program.stage is Stage.COMPUTE:

        def kernel(function: Function) -> Surroundings:
            return Kernel(
                function,
                interface,
                words_read(program.module, interface),
                stats.vendor.slug,
                architecture,
                stats.chosen.subgroup_size,
            )

        return _replay(stats.chosen.ir, constants, kernel)
    nbytes = block_bytes(interface)
    return replay(stats.chosen.ir, constants, nbytes, architecture, interface.resources)


def replay(
    nir: str,
    constants: ConstantData | None = None,
    block_bytes: int = SHADERTOY_BYTES,
    architecture: str = "",
    resources: Sequence[Resource] = (),
) -> Replay:
    """The GLSL of a program in NIR text, and its constant arrays.

    `block_bytes`: of its uniform block; `architecture`: of the family it was compiled for, which
    says where RADV's programs find a pixel's position; `resources`: what the program declares,
    textures among it.  Raises UnreadableNir for what cannot be replayed.
    """

    def pixels(function: Function) -> Surroundings:
        given = arguments.expressions(instructions(function), architecture)
        return Pixels(instructions(function), block_bytes, given)

    return _replay(nir, constants or ConstantData(), pixels, resources)


def _replay(
    nir: str,
    constants: ConstantData,
    surroundings: Callable[[Function], Surroundings],
    resources: Sequence[Resource] = (),
) -> Replay:
    try:
        function = parse(nir)
        reads = textures.reads(instructions(function), resources)
        writer = Writer(function, constants, surroundings(function), reads)
        text, lines = writer.write()
        return Replay(text, lines, function)
    except (LookupError, ValueError):  # operands that do not fit: some other Mesa's text
        raise UnreadableNir("the optimised program is not in a text form known here") from None
