"""The inputs and outputs of an optimised compute shader, in GLSL.

Its buffers are declared as words, so that a byte of one is a word and a part of it.  Where an
invocation stands in its launch, and its push constants, each driver's programs ask for in their own
way:

    RADV    arguments by number: those of sets, one for each word of push constants that is read,
            then local ids, of RDNA 3 and later in one word (radv_shader_args.c)
    ANV     push constants: the user's, from byte 448 on where the launch starts, from 460 on its
            groups (anv_private.h, anv_push_constants), which Xe-HPG and later have inline; the
            place in a workgroup by SIMD width
    Turnip  constants by the word, on A6xx from 2016 on
    PanVK   push constants: where the launch starts, its groups if asked for, then the user's,
            which alone are aligned to 256 (panvk_shader.h, panvk_compute_sysvals)
    NVK     constants of buffer 0: where the launch starts, its groups from byte 12 on, the user's
            from 40 on (nvk_cmd_buffer.h, nvk_root_descriptor_table); special registers by number

A launch starts at 0, as shaderlab's do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shaderlab.gpu.radv.arguments import FROM_RDNA_3, SCALAR, VECTOR, number_of
from shaderlab.gpu.radv.buffers import Buffers
from shaderlab.gpu.radv.nir import Function, Instruction, Source, UnreadableNir
from shaderlab.gpu.radv.operations import FLOAT, INT, UINT
from shaderlab.gpu.radv.surroundings import Operand, Surroundings, index, write_mask
from shaderlab.spirv.reflection import Descriptor, Interface, ResourceKind
from shaderlab.spirv.value_types import size

_AXES = "xyz"
_LAUNCH = {
    "load_workgroup_id": "gl_WorkGroupID.{}",
    "load_num_workgroups": "gl_NumWorkGroups.{}",
    "load_num_work_groups": "gl_NumWorkGroups.{}",
    "load_workgroup_size": "gl_WorkGroupSize.{}",
    "load_local_invocation_id": "gl_LocalInvocationID.{}",
    "load_global_invocation_id": "gl_GlobalInvocationID.{}",
    "load_base_workgroup_id": "0u",
    "load_base_global_invocation_id": "0u",
    "load_local_invocation_index": "gl_LocalInvocationIndex",
}
_REGISTERS_NV = {
    33 + n: f"gl_LocalInvocationID.{axis}" for n, axis in enumerate(_AXES)
} | {37 + n: f"gl_WorkGroupID.{axis}" for n, axis in enumerate(_AXES)}  # fmt: skip
_LOADS = {
    "load_ssbo": (0, 1), "load_ssbo_uniform_block_intel": (0, 1),
    "load_ubo": (0, 1), "load_ubo_uniform_block_intel": (0, 1),
    "load_global": (0, 0), "load_global_constant": (0, 0),
}  # fmt: skip
"""Which operand names the buffer, and which the byte."""
_ATOMICS = re.compile(r"^(ssbo|global|shared)_atomic(?:_(\w+))?$")
_OLD_ATOMICS = {
    "add": "iadd", "umin": "umin", "umax": "umax", "imin": "imin", "imax": "imax",
    "and": "iand", "or": "ior", "xor": "ixor", "exchange": "xchg", "comp_swap": "cmpxchg",
}  # fmt: skip
"""Of Mesa 22, which has an operation for each: its name since Mesa 23.2."""
_CALLS = {
    "iadd": "atomicAdd", "umin": "atomicMin", "umax": "atomicMax", "iand": "atomicAnd",
    "ior": "atomicOr", "ixor": "atomicXor", "xchg": "atomicExchange",
}  # fmt: skip
_REDUCTION = re.compile(r"reduction_op=([iuf])(add|min|max|and|or|xor)\b")
"""How RADV joins the atomic operations of a subgroup: the same whatever its size."""
_BARRIERS = ("barrier", "scoped_barrier", "control_barrier", "memory_barrier_shared")
_SUBGROUP_NAMES = ("load_subgroup_id", "load_subgroup_invocation", "load_simd_width_intel")
_START_INTEL, _GROUPS_INTEL = 448, 460
_GROUPS_INLINE = 8
_ASKED = {("load_push_constant", _GROUPS_INTEL), ("load_inline_data_intel", _GROUPS_INLINE)}
_SHARED_ADRENO = 504 * 4
"""The word from which A6xx has push constants (ir3_compiler.c, shared_consts_base_offset)."""
_PUSH_NVIDIA, _GROUPS_NVIDIA = 40, 12
_MOST_USERS = 256
"""Bytes of the user's push constants that drivers offer."""


class Kernel(Surroundings):
    """A compute shader's."""

    def __init__(
        self,
        function: Function,
        interface: Interface,
        read_words: Sequence[int],
        vendor: str,
        architecture: str,
        subgroup_size: int,
    ):
        """`read_words`: of the push constants, those the program reads; `vendor`,
        `architecture`: of the chip it was compiled for."""
        every = [each for block in function.blocks() for each in block.instructions]
        self._made = {each.result: each for each in every if each.result >= 0}
        self._function, self._vendor, self._packed = function, vendor, architecture in FROM_RDNA_3
        self._subgroup = max(subgroup_size, 1)
        self._resources = interface.resources
        self._blocks = {
            r.descriptor for r in interface.resources if r.kind is ResourceKind.UNIFORM_BLOCK
        }
        self._buffers = Buffers(every, interface.resources, vendor, architecture)
        self._push_words = -(
            -max((size(p.block) for p in interface.push_constants), default=0) // 4
        )
        self._read_words = read_words
        self._vectors = sorted({number_of(each) for each in every if each.op == VECTOR})
        self._joins = any(each.op in ("reduce", "elect") for each in every)
        self._knows_start = any(each.op == "load_workgroup_id" for each in every)

    # -- what the writer asks ---------------------------------------------------------------

    @property
    def declarations(self) -> list[str]:
        x, y, z = self._function.workgroup
        needed = ("basic", "arithmetic") if self._joins else ()
        lines = [f"#extension GL_KHR_shader_subgroup_{name} : require" for name in needed]
        lines.append(f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;")
        declared = set[Descriptor]()
        for resource in self._resources:
            at = resource.descriptor
            if resource.block is None or at in declared:
                continue
            declared.add(at)
            where, name = f"layout(set = {at.set}, binding = {at.binding}, ", self._name(at)
            if at in self._blocks:
                vectors = f"uvec4 {name}[{max(1, -(-size(resource.block) // 16))}];"
                lines.append(f"{where}std140) uniform {name.title()} {{ {vectors} }};")
            else:
                lines.append(f"{where}std430) buffer {name.title()} {{ uint {name}[]; }};")
        if self._push_words:  # `int`, as glslang gives all arrays of a type the block's layout
            lines.append(
                f"layout(push_constant) uniform Push {{ int push_words[{self._push_words}]; }};"
            )
        lines.append(f"shared uint group_words[{max(1, -(-self._function.shared_bytes // 4))}];")
        return lines

    def letter(self, instruction: Instruction) -> str | None:
        """The type of what it gives; None for what every stage has."""
        if instruction.op == SCALAR or self._buffers.is_address(instruction):
            return UINT
        if instruction.op != "load_const" and self._buffers.is_root(instruction):
            return UINT
        if instruction.op == "reduce":
            return self._reduction(instruction)[1]
        return None

    def value(self, instruction: Instruction, c: int, operand: Operand) -> str | None:
        """Component `c` of what an intrinsic gives; None for what every stage has."""
        op = instruction.op
        if self._buffers.is_root(instruction):
            return "0u"
        if op == "load_ssbo_address":
            return operand(instruction.sources[1], 0, UINT)
        if op in _LAUNCH:
            return _LAUNCH[op].format(_AXES[c])
        if op in _LOADS:
            return self._loaded(instruction, c, operand)
        if op in ("load_shared", "load_shared2_amd"):
            return f"group_words[{self._shared_word(instruction, c, operand)}]"
        if op in _SUBGROUP_NAMES or op in ("inverse_ballot", "elect", "reduce"):
            return self._of_subgroup(instruction, operand)
        return self._given(instruction, c, operand)

    def statements(self, instruction: Instruction, operand: Operand) -> list[str] | None:
        """What an intrinsic does beside giving a value; None for what every stage has."""
        op, sources = instruction.op, instruction.sources
        if op in _BARRIERS:
            return ["barrier();"] if self._waits(instruction) else ["memoryBarrier();"]
        if op == "store_shared":
            word = self._shared_word(instruction, 0, operand, sources[1])
            return self._stores(instruction, "group_words", word, operand)
        if op in ("store_ssbo", "store_global"):
            place = self._place(sources[1], sources[-1], instruction, operand)
            return self._stores(instruction, *place, operand)
        if match := _ATOMICS.match(op):
            return self._atomic(instruction, match[1], match[2] or "", operand)
        return None

    def expression(self, instruction: Instruction, c: int, operand: Operand) -> str | None:
        """Of what is no intrinsic: of addresses the lower word; None for what every stage has."""
        if instruction.op == "pack_64_2x32_split" and self._buffers.is_address(instruction):
            return operand(instruction.sources[0], c, UINT)
        if instruction.op in ("u2u64", "i2i64"):
            return operand(instruction.sources[0], c, UINT)
        return None

    def _name(self, at: Descriptor) -> str:
        """Of a buffer's words, or a block's vectors."""
        return f"{'block' if at in self._blocks else 'buffer'}_{at.set}_{at.binding}"

    # -- buffers ----------------------------------------------------------------------------

    def _place(
        self, named: Source, byte: Source, instruction: Instruction, operand: Operand
    ) -> tuple[str, str]:
        """Name of a buffer's words, and the number of one as an expression."""
        at = operand(byte, 0, UINT)
        base = index(instruction, "base")
        return self._name(
            self._buffers.of(named)
        ), f"({at} + {base}u) >> 2" if base else f"{at} >> 2"

    def _loaded(self, instruction: Instruction, c: int, operand: Operand) -> str:
        if instruction.bits != 32:
            raise UnreadableNir(f"{instruction.bits}-bit {instruction.op} is not replayed")
        if self._asks_for_groups(instruction):
            return f"gl_NumWorkGroups.{_AXES[c]}"
        named, byte = (instruction.sources[n] for n in _LOADS[instruction.op])
        name, word = self._place(named, byte, instruction, operand)
        if self._buffers.of(named) in self._blocks:
            return f"{name}[(({word}) + {c}u) >> 2][(({word}) + {c}u) & 3u]"
        return f"{name}[({word}) + {c}u]"

    def _asks_for_groups(self, instruction: Instruction) -> bool:
        """Whether ANV reads a launch's groups from memory, as it does where no one knows them."""
        packed = self._made.get(instruction.sources[0].value)
        if packed is None or packed.op != "pack_64_2x32_split":
            return False
        low = self._made.get(packed.sources[0].value)
        return low is not None and (low.op, index(low, "base")) in _ASKED

    def _stores(
        self, instruction: Instruction, name: str, word: str, operand: Operand
    ) -> list[str]:
        value = instruction.sources[0]
        made = self._made.get(value.value)
        if made is not None and made.bits not in (0, 32):
            raise UnreadableNir(f"{instruction.op} of {made.bits} bits is not replayed")
        return [
            f"{name}[({word}) + {c}u] = {operand(value, c, UINT)};"
            for c in write_mask(instruction.indices)
        ]

    def _atomic(
        self, instruction: Instruction, space: str, old: str, operand: Operand
    ) -> list[str]:
        found = re.search(r"atomic_op=(\w+)", instruction.indices)
        kind = found[1] if found else _OLD_ATOMICS.get(old, "")
        sources = instruction.sources
        data = sources[2:] if space == "ssbo" else sources[1:]
        if space == "shared":
            at = f"group_words[{self._shared_word(instruction, 0, operand)}]"
        else:
            name, word = self._place(
                sources[0], sources[1] if space == "ssbo" else sources[0], instruction, operand
            )
            at = f"{name}[{word}]"
        values = [operand(each, 0, UINT) for each in data]
        if kind == "cmpxchg":
            call = f"atomicCompSwap({at}, {', '.join(values)})"
        elif kind in _CALLS and instruction.bits == 32:
            call = f"{_CALLS[kind]}({at}, {values[0]})"
        else:
            raise UnreadableNir(f"{instruction.op} of {kind or old} is not replayed")
        return [f"s{instruction.result}_0 = {call};"]

    def _shared_word(
        self, instruction: Instruction, c: int, operand: Operand, byte: Source | None = None
    ) -> str:
        at = operand(byte or instruction.sources[0], 0, UINT)
        if instruction.op == "load_shared2_amd":
            scale = 64 if index(instruction, "st64") else 1
            return f"({at} >> 2) + {scale * index(instruction, f'offset{c}')}u"
        return f"(({at} + {index(instruction, 'base')}u) >> 2) + {c}u"

    # -- subgroups --------------------------------------------------------------------------

    def _of_subgroup(self, instruction: Instruction, operand: Operand) -> str:
        op, width = instruction.op, self._subgroup
        lane = f"gl_LocalInvocationIndex % {width}u"
        if op == "inverse_ballot":
            mask = self._made[instruction.sources[0].value].constants
            if not mask:
                raise UnreadableNir("lanes chosen while the program runs are not replayed")
            lower, upper = mask[0] & 0xFFFFFFFF, mask[0] >> 32
            word = f"({lane} < 32u ? {lower:#x}u : {upper:#x}u)"
            return f"({word} >> ({lane} & 31u) & 1u) != 0u"
        if op == "elect":
            return "subgroupElect()"
        if op == "reduce":
            name, letter = self._reduction(instruction)
            return f"{name}({operand(instruction.sources[0], 0, letter)})"
        return {
            "load_subgroup_id": f"gl_LocalInvocationIndex / {width}u",
            "load_subgroup_invocation": lane,
            "load_simd_width_intel": f"{width}u",
        }[op]

    @staticmethod
    def _reduction(instruction: Instruction) -> tuple[str, str]:
        found = _REDUCTION.search(instruction.indices)
        if found is None or index(instruction, "cluster_size"):
            raise UnreadableNir(f"reduce with {instruction.indices} is not replayed")
        kind, name = found.groups()
        signed = INT if name in ("min", "max") else UINT
        letter = {"f": FLOAT, "u": UINT, "i": signed}[kind]
        return f"subgroup{name.title()}", letter

    @staticmethod
    def _waits(instruction: Instruction) -> bool:
        """Whether a workgroup's invocations wait for each other, not for memory alone."""
        scope = re.search(r"exec(?:ution)?_scope=(\w+)", instruction.indices)
        if instruction.op == "memory_barrier_shared" or (scope and scope[1] == "NONE"):
            return False
        if scope and scope[1] not in ("WORKGROUP",):
            raise UnreadableNir(f"a barrier of {scope[1].lower()} is not replayed")
        return True

    # -- the launch and push constants ------------------------------------------------------

    def _given(self, instruction: Instruction, c: int, operand: Operand) -> str | None:
        op = instruction.op
        if op == SCALAR:
            return self._argument(number_of(instruction) - self._buffers.sets_end)
        if op == VECTOR:
            return self._local_id(self._vectors.index(number_of(instruction)))
        if op == "load_sysval_nv" and index(instruction, "base") in _REGISTERS_NV:
            return _REGISTERS_NV[index(instruction, "base")]
        if op == "load_const_ir3":
            first = index(instruction, "base") % _SHARED_ADRENO + c
            return self._pushed(f"{operand(instruction.sources[0], 0, UINT)} + {first}u", first)
        if op == "load_inline_data_intel" and index(instruction, "base") == _GROUPS_INLINE:
            return f"gl_NumWorkGroups.{_AXES[c]}"
        if op == "ldc_nv" and self._vendor == "nvidia":
            return self._of_root(instruction, c)
        if op == "load_push_constant":
            return self._push_constant(instruction, c, operand)
        return None

    def _pushed(self, word: str, least: int) -> str:
        """A word of the push constants; `least`: its number at the least."""
        if least >= self._push_words:
            raise UnreadableNir("a constant of the driver's own is not replayed")
        return f"uint(push_words[min({word}, {self._push_words - 1}u)])"

    def _argument(self, place: int) -> str:
        """The word of push constants in RADV's argument so many after those of the sets; that of a
        set itself, which other words of an address follow."""
        if place < 0:
            return "0u"
        if place >= len(self._read_words):
            raise UnreadableNir("an argument of the driver's own is not replayed")
        word = self._read_words[place]
        return self._pushed(f"{word}u", word)

    def _local_id(self, place: int) -> str:
        sides = [n for n, side in enumerate(self._function.workgroup) if side > 1] or [0]
        if self._packed:
            return " | ".join(
                f"gl_LocalInvocationID.{axis} << {10 * n}u" for n, axis in enumerate(_AXES)
            )
        if len(self._vectors) != len(sides):
            raise UnreadableNir("which of the local ids is read is not certain")
        return f"gl_LocalInvocationID.{_AXES[sides[place]]}"

    def _of_root(self, instruction: Instruction, c: int) -> str | None:
        """NVK's own constants, before the user's; None of another buffer."""
        buffer, byte = (self._buffers.constant(each) for each in instruction.sources)
        if buffer != 0:
            raise UnreadableNir("uniform blocks beside buffers are not replayed")
        if byte is None:
            raise UnreadableNir("push constants chosen while the program runs are not replayed")
        word = byte // 4 + c
        if 4 * word < _GROUPS_NVIDIA:
            return "0u"
        if 4 * word < 2 * _GROUPS_NVIDIA:
            return f"gl_NumWorkGroups.{_AXES[word - _GROUPS_NVIDIA // 4]}"
        return self._pushed(f"{word - _PUSH_NVIDIA // 4}u", max(word - _PUSH_NVIDIA // 4, 0))

    def _push_constant(self, instruction: Instruction, c: int, operand: Operand) -> str:
        base = index(instruction, "base")
        if self._vendor == "intel" and base >= _MOST_USERS:
            if base == _START_INTEL:
                return "0u"
            if base == _GROUPS_INTEL:
                return f"gl_NumWorkGroups.{_AXES[c]}"
            raise UnreadableNir("a constant of the driver's own is not replayed")
        if self._vendor == "mali":
            return self._of_mali(instruction, c)
        at = operand(instruction.sources[0], 0, UINT)
        return self._pushed(f"({at} >> 2) + {base // 4 + c}u", base // 4 + c)

    def _of_mali(self, instruction: Instruction, c: int) -> str:
        byte = self._buffers.constant(instruction.sources[0])
        if byte is None:
            raise UnreadableNir("push constants chosen while the program runs are not replayed")
        if "align_mul=256," in instruction.indices:
            word = index(instruction, "align_offset") // 4 + c
            return self._pushed(f"{word}u", word)
        if "align_mul=8," in instruction.indices:
            return "0u"  # where a set lies
        word = byte // 4 + c + (0 if self._knows_start else 2)
        if word < 3:
            return "0u"
        if word < 6:
            return f"gl_NumWorkGroups.{_AXES[word - 3]}"
        raise UnreadableNir("a constant of the driver's own is not replayed")
