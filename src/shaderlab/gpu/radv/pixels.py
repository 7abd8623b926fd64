"""The inputs of an optimised fragment shader and the colour it writes, in GLSL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from shaderlab.gpu.radv.nir import Instruction
from shaderlab.gpu.radv.operations import (
    BOOL,
    CENTRE,
    CONDITIONAL_DISCARDS,
    COORDINATES,
    DISCARDS,
    FLOAT,
    UINT,
    UNIFORMS,
    is_packed,
)
from shaderlab.gpu.radv.surroundings import LETTERS, Operand, Surroundings, index, write_mask


class Pixels(Surroundings):
    """A fragment shader's."""

    def __init__(
        self,
        instructions: Iterable[Instruction],
        block_bytes: int,
        given: Mapping[int, tuple[str, str]],
    ):
        """`block_bytes`: of its uniform block; `given`: what its arguments hold
        (`arguments.expressions`)."""
        self._given = given
        self._vectors = max(1, -(-block_bytes // 16))
        self._corners = any(each.op == CENTRE for each in instructions)
        """Whether coordinates are of the pixels' corners."""

    @property
    def declarations(self) -> list[str]:
        last = 4 * self._vectors - 1
        return [
            "layout(set = 0, binding = 0, std140) uniform Block"
            f" {{ uvec4 block[{self._vectors}]; }};",
            "layout(location = 0) out vec4 colour;",
            f"uint word(uint byte) {{ uint at = min(byte >> 2, {last}u);"
            " return block[at >> 2][at & 3u]; }",
        ]

    def letter(self, instruction: Instruction) -> str | None:
        if instruction.result in self._given:
            return self._given[instruction.result][0]
        return FLOAT if instruction.op in ("load_frag_coord", CENTRE) else None

    def value(self, instruction: Instruction, c: int, operand: Operand) -> str | None:
        op = instruction.op
        if instruction.result in self._given:
            return self._given[instruction.result][1]
        if op == CENTRE:
            return "0.5"
        if op == "load_frag_coord" and self._corners and c < 2:
            return f"floor(gl_FragCoord.{LETTERS[c]})"
        if op in COORDINATES:
            return COORDINATES[op].format(LETTERS[c])
        if op in UNIFORMS:
            return f"word({operand(instruction.sources[1], 0, UINT)} + {4 * c}u)"
        return None

    def statements(self, instruction: Instruction, operand: Operand) -> list[str] | None:
        op = instruction.op
        if op in DISCARDS:
            return ["discard;"]
        if op in CONDITIONAL_DISCARDS:
            return [f"if ({operand(instruction.sources[0], 0, BOOL)}) discard;"]
        if op in ("store_output", "export_amd"):
            return self._output(instruction, operand)
        if op == "fs_out_nv":
            return self._component(instruction, operand)
        return None

    def _output(self, instruction: Instruction, operand: Operand) -> list[str]:
        """The colour at location 0, which the driver packs to half precision for RGBA8.

        Mesa 22 stores it as FRAG_RESULT_DATA0 (4); later ones export it to target 0, before RDNA 3
        with a flag for halves.
        """
        mask = tuple(write_mask(instruction.indices))
        first = "base=0," if instruction.op == "export_amd" else "base=4,"
        location = re.search(r"location=FRAG_RESULT_(\w+)", instruction.indices)
        if (location[1] != "DATA0") if location else (first not in instruction.indices):
            return []
        value = instruction.sources[0]
        if mask == (0, 1) or is_packed(instruction.op, instruction.indices):
            low, high = (operand(value, c, UINT) for c in (0, 1))
            return [f"colour = vec4(unpackHalf2x16({low}), unpackHalf2x16({high}));"]
        return [f"colour.{LETTERS[c]} = {operand(value, c, FLOAT)};" for c in mask if c < 4]

    def _component(self, instruction: Instruction, operand: Operand) -> list[str]:
        """The same of NVK, which stores one component at a time, by the byte it has."""
        component = index(instruction, "base") // 4
        if component >= 4:
            return []
        return [f"colour.{LETTERS[component]} = {operand(instruction.sources[0], 0, FLOAT)};"]
