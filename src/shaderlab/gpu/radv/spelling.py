"""How values of a replayed program are spelled in GLSL."""

from __future__ import annotations

import numpy as np

from shaderlab.gpu.radv.operations import BOOL, FLOAT, HALF, UINT, WIDE


def name(value: int, component: int) -> str:
    """A component of an SSA value."""
    return f"s{value}_{component}"


def literal(bits: int, letter: str) -> str:
    """Bits as a constant of a type."""
    if letter == HALF:
        single = np.uint16(bits & 0xFFFF).view(np.float16).astype(np.float32)
        return f"uintBitsToFloat({int(single.view(np.uint32)):#x}u)"
    if letter == WIDE:
        return f"uvec2({bits & 0xFFFFFFFF:#x}u, {bits >> 32:#x}u)"
    if letter == BOOL:
        return "true" if bits else "false"
    if letter == FLOAT:
        return f"uintBitsToFloat({bits:#x}u)"
    return f"{bits:#x}u" if letter == UINT else f"int({bits:#x}u)"


def table(start: int, words: tuple[int, ...]) -> str:
    """The declaration of a constant array, by the byte it starts at."""
    values = ", ".join(f"{word:#x}u" for word in words)
    return f"const uint table_{start}[{len(words)}] = uint[]({values});"


def scratch(at: str, component: int) -> str:
    """A word of private memory, from the byte `at` on."""
    return f"scratch[({at} >> 2) + {component}u]"
