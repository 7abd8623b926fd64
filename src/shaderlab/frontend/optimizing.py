"""The program after `spirv-opt -O`, which is close to what drivers run, and with loops unrolled."""

from __future__ import annotations

import struct
from dataclasses import replace

from shaderlab.errors import CompileFailed, InvalidModule
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.spirv.grammar import Op

_UNROLLING = ("-O", "--loop-unroll", "-O", "--loop-unroll", "-O")
"""Loops inside loops come out one level at a time."""
_LARGEST = 30_000
"""Words of an unrolled module, beyond which compilers take minutes."""
_HEADER, _CONTROL, _UNROLL = 5, 3, 1
"""Words of a module's header; the loop control's place in OpLoopMerge, and its hint to unroll
(SPIR-V specification, section 3.23)."""


def optimized(program: Program) -> Program:
    """`program` with calls inlined and dead and constant work removed; the rest keeps its lines.

    Raises CompileFailed where spirv-opt refuses the module, InvalidModule where its result is not
    one, MissingTool, ShaderTimeout.
    """
    return _made(program, program.spirv, ("-O",))


def unrolled(program: Program) -> Program:
    """`program`, optimised, with every loop of constant bounds written out.

    Raises as `optimized`, and CompileFailed where that leaves all loops, or a module too large.
    """
    before = len(_loops(_words(program.spirv)))
    if not before:
        raise CompileFailed(f"{program.name} has no loops")
    less = _made(program, program.spirv, ("-O",))
    words = _words(less.spirv)
    for at in (found := _loops(words)):
        words[at + _CONTROL] = words[at + _CONTROL] or _UNROLL
    if not found:
        raise CompileFailed(f"{program.name} has no loops left to unroll")
    made = _made(program, struct.pack(f"<{len(words)}I", *words), _UNROLLING)
    if len(made.spirv) > 4 * _LARGEST or len(_loops(_words(made.spirv))) >= len(found):
        raise CompileFailed(f"no loop of {program.name} is unrolled")
    return made


def _words(spirv: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(spirv) // 4}I", spirv))


def _loops(words: list[int]) -> list[int]:
    """Where the instructions are that declare a loop."""
    found, at = [], _HEADER
    while at < len(words):
        if words[at] & 0xFFFF == Op.LoopMerge:
            found.append(at)
        at += max(words[at] >> 16, 1)
    return found


def _made(program: Program, spirv: bytes, passes: tuple[str, ...]) -> Program:
    try:
        spirv = toolchain().optimize(spirv, passes)
    except InvalidModule as error:
        raise CompileFailed(f"spirv-opt cannot optimise {program.name}: {error}") from None
    made = replace(program, spirv=spirv, dialect=Dialect.SPIRV, text="", diagnostics=())
    made.__dict__["kernel_uses"] = program.kernel_uses  # its buffers are filled alike
    _ = made.module  # parsed here, where callers expect an error
    return made
