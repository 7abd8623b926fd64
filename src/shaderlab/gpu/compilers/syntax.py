"""How each vendor's assembly is written: labels, jumps, and what executes an instruction.

The texts are Mesa's internal representations "Assembly" of a release near 25.0: of RADV by LLVM's
disassembler with ACO's labels (aco_print_asm.cpp), of ANV by brw_disasm.c, of Turnip by ir3's
(disasm of src/freedreno/isa/ir3.xml), of PanVK by the disassemblers of Bifrost and Valhall, of NVK
by nak's printer (nak/ir.rs).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Unit(Enum):
    """What executes an instruction, in terms all vendors share."""

    ARITHMETIC = "arithmetic"
    """For each lane."""
    SCALAR = "scalar"
    """Once for a subgroup, on a unit of its own."""
    SPECIAL = "special function"
    """Roots, reciprocals, exponentials, sines."""
    MEMORY = "memory"
    """Loads, stores, textures, exports."""
    BRANCH = "branch"
    WAIT = "wait"
    """Waits, hints and padding."""


@dataclass(frozen=True)
class Syntax:
    """Of one vendor's assembly."""

    label: re.Pattern[str]
    """A line that is a label; group 1: its name."""
    code: re.Pattern[str]
    """An instruction, less its comment; groups `prefix`, `mnemonic` and `operands`."""
    comment: str
    """What starts a comment, to the end of the line."""
    jump: re.Pattern[str]
    """Names of labels, in group 1, among mnemonic and operands of a jump."""
    ends: re.Pattern[str]
    """Starts of instructions after which control does not come by the next one."""
    units: tuple[tuple[re.Pattern[str], Unit], ...]
    """By the first pattern a mnemonic starts with; arithmetic for none."""
    splits: re.Pattern[str] = re.compile(r"(?!)")
    """Mnemonics of control flow without a jump: a block ends there."""
    predicate: re.Pattern[str] = re.compile(r"(?!)")
    """In a prefix: that only some lanes execute the instruction."""
    distance: re.Pattern[str] = re.compile(r"(?!)")
    """Jumps that say how far they go in place of a label; group 1: instructions from the next."""
    stops: re.Pattern[str] = re.compile(r"(?!)")
    """Jumps that end the program; group 1: what stands where others name a label."""

    def unit(self, mnemonic: str) -> Unit:
        return next((u for starts, u in self.units if starts.match(mnemonic)), Unit.ARITHMETIC)


def _units(**patterns: str) -> tuple[tuple[re.Pattern[str], Unit], ...]:
    return tuple((re.compile(text), Unit[name]) for name, text in patterns.items())


def _code(prefix: str, mnemonic: str, between: str = r"\s+") -> re.Pattern[str]:
    operands = rf"(?:{between}(?P<operands>.*))?$"
    return re.compile(rf"^(?P<prefix>\s*{prefix})(?P<mnemonic>{mnemonic}){operands}")


SYNTAX = {
    "amd": Syntax(
        re.compile(r"^(BB\d+):"),
        _code("", r"\(invalid instruction\)|[a-z]\w+"),
        ";",
        re.compile(r"^s_c?branch\S* (BB\d+)$"),
        re.compile(r"(s_endpgm|s_branch|s_setpc_b64)\b"),
        _units(
            WAIT=r"s_(wait|nop|clause|delay_alu|(set_)?inst_prefetch|sleep)",
            BRANCH=r"s_(c?branch|endpgm|setpc)",
            MEMORY=r"s_(load|buffer|store|dcache)|(?![sv]_)",
            SPECIAL=r"v_(s_)?(rcp|rsq|sqrt|sin|cos|exp|log)_",
            SCALAR=r"s_",
        ),
    ),
    "intel": Syntax(
        re.compile(r"^(LABEL\d+):"),
        _code(r"(?:\([^()]*\)\s*)?", r"[a-z][\w.]*(?: [a-z]+)?", r"(?=\(\d)"),
        "//",
        re.compile(r"(?:JIP|UIP):\s*(LABEL\d+)"),
        re.compile(r"(halt|jmpi|goto)\b"),
        _units(
            BRANCH=r"(if|else|endif|while|break|cont|halt|jmpi|goto|join|brc|brd|call|ret)\b",
            MEMORY=r"send",
            SPECIAL=r"math",
            WAIT=r"(sync|nop|wait)\b",
        ),
        predicate=re.compile(r"\("),
    ),
    "adreno": Syntax(
        re.compile(r"^\s*(l\d+):"),
        _code(r"(?::\d+:\S+\s+)?(?:\([^()\s]*\))*\s*", r"[a-z][\w.]*"),
        ";",
        re.compile(r"#?\b(l\d+)$"),
        re.compile(r"(jump|end)\b"),
        _units(
            BRANCH=r"(br\w*|jump|call|ret|kill|end|getone\w*|pred[tfe]|shps|shpe|chmask|chsh)\b",
            WAIT=r"(nop|bar|fence|sleep|icinv|dccln|dcinv)\b",
            SPECIAL=r"(rcp|rsq|hrsq|log2|hlog2|exp2|hexp2|sin|cos|sqrt)\b",
            MEMORY=r"(ld|st|sam|isam|gather|get|resinfo|atomic)",
        ),
        re.compile(r"pred[tfe]$"),
    ),
    "mali": Syntax(
        re.compile(r"^(clause_\d+|L\d+):"),
        _code(r"(?:(?:[0-9a-f]{2} ){8}\s*)?[*+]?", r"[A-Z][A-Z0-9_]+[\w.]*"),
        "//",
        re.compile(r"\b(clause_\d+|L\d+)\b"),
        re.compile(r"JUMP\b|BRANCHZ\S*\.eq\S* 0x0\b"),
        _units(
            BRANCH=r"(BRANCH|JUMP|DISCARD|BLEND)",
            WAIT=r"(NOP|BARRIER)",
            SPECIAL=r"(FRCP|FRSQ|FLOG|FEXP|FSIN|FCOS|FPOW)",
            MEMORY=r"(LD_|ST_|LOAD|STORE|LEA|TEX|VAR_TEX|ATEST|ZS_EMIT|ATOM|AXCHG|ACMPXCHG)",
        ),
        distance=re.compile(r"\boffset:(-?\d+)$"),
        stops=re.compile(r"\b(?:BRANCHZ|JUMP)\b.*(#0\.x)$"),
    ),
    "nvidia": Syntax(
        re.compile(r"^block\S* \d+ (L\d+) "),
        _code(r"(?:@!?\S+\s+)?(?:[^=]*= )?", r"[a-z][\w.]*"),
        "//",
        re.compile(r"^bra\b.*\b(L\d+)"),
        re.compile(r"(exit|bra)\b"),
        _units(
            BRANCH=r"(bra|exit|bsync|bssy|break|brev|kill|warpsync|bclear|bmov)\b",
            WAIT=r"(nop|bar|depbar|membar)\b",
            SPECIAL=r"mufu",
            MEMORY=r"(ld|st|tex|tld|tmml|txd|txq|sult|suld|sust|al2p|ipa|atom|out)",
        ),
        predicate=re.compile("@"),
    ),
}  # fmt: skip
"""By vendor."""
