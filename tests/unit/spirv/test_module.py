"""Modules keep their words, and what does not hold together is refused with a reason."""

import numpy as np
import pytest

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import MAX_BYTES, Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from tests.unit.spirv.walking import MAIN, TRUE, VOID, module_of

TWO_FUNCTIONS = [
    [
        [Op.Label, 100],
        [Op.FunctionCall, VOID, 200, MAIN + 1],
        [Op.SelectionMerge, 102, 0],
        [Op.BranchConditional, TRUE, 101, 102],
        [Op.Label, 101],
        [Op.Kill],
        [Op.Label, 102],
        [Op.Return],
    ],
    [[Op.Label, 103], [Op.Return]],
]


def words_of(*instructions, version=0x00010500, bound=1000):
    """A module's bytes from instructions alone."""
    words = [grammar.MAGIC, version, 0, bound, 0]
    for instruction in instructions:
        words += instruction
    return np.array(words, "<u4").tobytes()


def test_bytes_come_back_exactly():
    data = module_of(TWO_FUNCTIONS).to_bytes()
    assert Module.parse(data).to_bytes() == data


def test_the_other_byte_order_is_turned_around():
    data = module_of(TWO_FUNCTIONS).to_bytes()
    swapped = np.frombuffer(data, "<u4").byteswap().tobytes()
    assert Module.parse(swapped).to_bytes() == data


def test_views():
    module = module_of(TWO_FUNCTIONS)
    main, callee = module.functions
    assert [block.label for block in main.blocks] == [100, 101, 102]
    assert [block.label for block in callee.blocks] == [103]
    assert module.function_by_id[MAIN] is main
    assert main.blocks[1].terminator.name == "OpKill"
    assert [instruction.name for instruction in main.blocks[0]] == [
        "OpFunctionCall",
        "OpSelectionMerge",
        "OpBranchConditional",
    ]
    call = next(iter(main.blocks[0]))
    assert (call.result, call.result_type, call.operands) == (200, VOID, (MAIN + 1,))
    assert module.definition(200).index == call.index
    assert main.name == f"%{MAIN}"
    (entry,) = module.entry_points
    assert (entry.name, entry.id, entry.interface) == ("main", MAIN, ())


def test_names_lose_their_mangling():
    data = words_of(
        encode(Op.Name, 3, *encode_string("noise(vf2;")),
        encode(Op.TypeVoid, 1),
        encode(Op.TypeFunction, 2, 1),
        encode(Op.Function, 1, 3, 0, 2),
        encode(Op.FunctionEnd),
    )
    assert Module.parse(data).functions[0].name == "noise"


def test_debug_instructions_are_not_executed():
    module = Module.parse(
        words_of(
            encode(Op.ExtInstImport, 5, *encode_string("NonSemantic.Shader.DebugInfo.100")),
            encode(Op.String, 6, *encode_string("document")),
            encode(Op.TypeVoid, 1),
            encode(Op.TypeFunction, 2, 1),
            encode(Op.Function, 1, 3, 0, 2),
            encode(Op.Label, 4),
            encode(Op.Line, 6, 1, 0),
            encode(Op.ExtInst, 1, 7, 5, 23, 6),
            encode(Op.NoLine),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )
    (block,) = module.functions[0].blocks
    assert block.opcodes.tolist() == [Op.Return]


VOID_FUNCTION = (
    encode(Op.TypeVoid, 1),
    encode(Op.TypeFunction, 2, 1),
    encode(Op.Function, 1, 3, 0, 2),
)
LABEL, END = encode(Op.Label, 4), encode(Op.FunctionEnd)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "0 bytes"),
        (b"\x03\x02\x23\x07" * 4, "less than the header"),
        (b"hello, world; this is text", "not SPIR-V"),
        (words_of() + b"\0", "cut off inside a word"),
        (words_of(version=0x00010700), "version"),
        (words_of(version=0x00000000), "version"),
        (words_of(version=0xFF010500), "version"),
        (words_of(bound=0), "id bound 0"),
        (words_of(bound=0xFFFFFFFF), "id bound"),
        (words_of([0x00000001]), "length 0"),
        (words_of([0x00050011]), "only 1 are left"),
        (words_of([0x00010015]), "OpTypeInt at word 5 has 1 words"),
        (words_of(encode(Op.TypeVoid, 1000)), "ids lie between"),
        (words_of(encode(Op.TypeVoid, 0)), "defines %0"),
        (words_of(encode(Op.TypeVoid, 1), encode(Op.TypeBool, 1)), "%1 is defined twice"),
        (words_of(LABEL), "outside any function"),
        (words_of(*VOID_FUNCTION), "no OpFunctionEnd"),
        (words_of(*VOID_FUNCTION, *VOID_FUNCTION[2:]), "defined twice"),
        (words_of(*VOID_FUNCTION, encode(Op.Function, 1, 5, 0, 2)), "inside another function"),
        (words_of(*VOID_FUNCTION, encode(Op.Return)), "outside any block"),
        (words_of(*VOID_FUNCTION, encode(Op.Nop), END), "outside any block"),
        (words_of(*VOID_FUNCTION, LABEL, END), "inside a block"),
        (words_of(*VOID_FUNCTION, LABEL, encode(Op.Label, 5)), "before the last one ended"),
        (words_of(*VOID_FUNCTION, END, encode(Op.Nop)), "outside any function"),
    ],
)
def test_what_does_not_hold_together_is_refused(data, reason):
    with pytest.raises(InvalidModule, match=reason) as caught:
        Module.parse(data)
    assert "\n" not in str(caught.value)


def test_oversized_modules_are_refused_unread():
    with pytest.raises(InvalidModule, match="not accepted"):
        Module.parse(bytes(MAX_BYTES + 4))


def test_an_entry_point_must_name_a_function():
    data = words_of(encode(Op.EntryPoint, 4, 77, *encode_string("main")))
    with pytest.raises(InvalidModule, match="which is not a function"):
        Module.parse(data).entry_points  # noqa: B018


def test_messages_stay_on_one_line_whatever_names_hold():
    name = encode_string("a\nb" + "x" * 1000)
    data = words_of(
        encode(Op.EntryPoint, 4, 77, *name),
        encode(Op.Name, 3, *name),
        *VOID_FUNCTION,
        END,
    )
    module = Module.parse(data)
    assert module.functions[0].name.startswith("a\N{REPLACEMENT CHARACTER}bxxx")
    with pytest.raises(InvalidModule) as caught:
        module.entry_points  # noqa: B018
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_strings_must_end():
    with pytest.raises(InvalidModule, match="not terminated"):
        Module.parse(words_of(encode(Op.Name, 1, 0x41414141))).names  # noqa: B018


def test_opcodes_newer_than_the_table_survive():
    data = words_of([2 << 16 | 9999, 7])
    module = Module.parse(data)
    assert next(iter(module)).name == "Op9999"
    assert module.to_bytes() == data
