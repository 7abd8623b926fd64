"""Killed invocations that leave their function, for drivers on which they run on.

lavapipe (to Mesa 22.3 at least) takes a killed invocation's results away and lets it go on with
what stands below.  At the end of a loop's body that is the next round: the invocation goes round
until the driver ends all loops of its vector (`gpu.vulkan.loop_limit`), those of other invocations
too, whose counts and colours are wrong then.
"""

from __future__ import annotations

import numpy as np

from shaderlab.spirv.grammar import Op, opcodes
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import Rewriter, encode

_KILLS = opcodes("Kill TerminateInvocation")
_KILL_WORDS = [1 << 16 | opcode for opcode in _KILLS]
"""Instructions of one word each."""


def may_kill(spirv: bytes) -> bool:
    """Whether any word of a module could be a kill: far sooner known than by parsing it."""
    return bool(np.isin(np.frombuffer(spirv, "<u4"), _KILL_WORDS).any())


def leaving(module: Module) -> bytes:
    """The module in which each kill in a function with loops is a call, followed by a return.

    Raises InvalidModule.
    """
    rewriter = Rewriter(module)
    killer = 0
    for function in module.functions:
        if Op.LoopMerge not in module.opcodes[function.first : function.last]:
            continue
        result = module.instruction_words(function.first)[1]
        is_void = module.definition(result).opcode == Op.TypeVoid
        for index in range(function.first, function.last):
            if int(module.opcodes[index]) not in _KILLS:
                continue
            void = rewriter.type(Op.TypeVoid)
            if not killer:
                killer = rewriter.new_id()
                rewriter.append_function(
                    encode(Op.Function, void, killer, 0, rewriter.type(Op.TypeFunction, void))
                    + encode(Op.Label, rewriter.new_id())
                    + encode(Op.Kill)
                    + encode(Op.FunctionEnd)
                )
            left = encode(Op.Return) if is_void else encode(Op.ReturnValue, rewriter.null(result))
            call = encode(Op.FunctionCall, void, rewriter.new_id(), killer)
            rewriter.replace_instruction(index, call + left)
    return rewriter.build() if killer else module.to_bytes()
