"""What begins as zero, what is left alone, and that every zero is declared before its use."""

from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.passes.zeroing import zeroed
from tests.unit.spirv.test_module import words_of

VOID, FLOAT, UINT, PROCEDURE, MAIN, GIVEN = 1, 2, 3, 4, 10, 11
PRIVATE_FLOAT, LOCAL_FLOAT, LOCAL_UINT, INPUT_FLOAT = 20, 21, 22, 23
HEAD = [
    encode(Op.Capability, 1),
    encode(Op.MemoryModel, 0, 1),
    encode(Op.EntryPoint, 4, MAIN, *encode_string("main")),
    encode(Op.TypeVoid, VOID),
    encode(Op.TypeFloat, FLOAT, 32),
    encode(Op.TypeInt, UINT, 32, 0),
    encode(Op.TypeFunction, PROCEDURE, VOID),
    encode(Op.Constant, FLOAT, GIVEN, 0x3F800000),
    encode(Op.TypePointer, PRIVATE_FLOAT, StorageClass.Private, FLOAT),
    encode(Op.TypePointer, LOCAL_FLOAT, StorageClass.Function, FLOAT),
    encode(Op.TypePointer, LOCAL_UINT, StorageClass.Function, UINT),
    encode(Op.TypePointer, INPUT_FLOAT, StorageClass.Input, FLOAT),
]


def rewritten(declared: list[list[int]], body: list[list[int]]) -> Module:
    """The zeroed module of these declarations and one function of one block."""
    function = [encode(Op.Function, VOID, MAIN, 0, PROCEDURE), encode(Op.Label, 12)]
    ending = [encode(Op.Return), encode(Op.FunctionEnd)]
    before = Module.parse(words_of(*HEAD, *declared, *function, *body, *ending))
    return Module.parse(zeroed(before))


def place_of(module: Module, id: int) -> int:
    """Index of the instruction that declares `id`."""
    (found,) = (
        index
        for opcode in (Op.Variable, Op.ConstantNull, Op.CopyObject)
        for index in module.indices(opcode)
        if module.instruction_words(index)[2] == id
    )
    return found


def test_variables_of_both_scopes_begin_as_one_zero_declared_before_the_first():
    module = rewritten(
        [encode(Op.Variable, PRIVATE_FLOAT, 30, StorageClass.Private)],
        [
            encode(Op.Variable, LOCAL_FLOAT, 31, StorageClass.Function),
            encode(Op.Variable, LOCAL_UINT, 32, StorageClass.Function),
        ],
    )
    kept, local, number = (module.definition(id).words for id in (30, 31, 32))
    assert kept[4] == local[4], "one zero serves all of a type"
    assert number[4] != kept[4]
    for variable, type in ((kept, FLOAT), (number, UINT)):
        null = module.definition(variable[4])
        assert (null.opcode, null.words[1]) == (Op.ConstantNull, type)
    assert place_of(module, kept[4]) < place_of(module, 30)
    assert place_of(module, number[4]) < module.functions[0].first


def test_what_has_a_value_and_what_is_only_read_stays_as_it_is():
    module = rewritten(
        [
            encode(Op.Variable, PRIVATE_FLOAT, 30, StorageClass.Private, GIVEN),
            encode(Op.Variable, INPUT_FLOAT, 31, StorageClass.Input),
        ],
        [],
    )
    assert module.definition(30).words[4:] == (GIVEN,)
    assert module.definition(31).words[4:] == ()
    assert not module.indices(Op.ConstantNull)


def test_undefined_values_are_zeros_or_copies_of_one():
    module = rewritten(
        [encode(Op.Undef, UINT, 40)], [encode(Op.Undef, FLOAT, 41), encode(Op.Undef, FLOAT, 42)]
    )
    assert not module.indices(Op.Undef)
    assert module.definition(40).opcode == Op.ConstantNull
    first, second = module.definition(41), module.definition(42)
    assert first.opcode == second.opcode == Op.CopyObject
    assert first.words[3] == second.words[3]
    null = module.definition(first.words[3])
    assert (null.opcode, null.words[1]) == (Op.ConstantNull, FLOAT)
    assert place_of(module, first.words[3]) < module.functions[0].first


def test_a_module_without_functions_is_zeroed_too():
    variable = encode(Op.Variable, PRIVATE_FLOAT, 30, StorageClass.Private)
    module = Module.parse(zeroed(Module.parse(words_of(*HEAD[:2], *HEAD[3:], variable))))
    assert module.definition(module.definition(30).words[4]).opcode == Op.ConstantNull


def test_where_there_is_nothing_to_do_nothing_changes():
    module = module_without_variables()
    assert zeroed(module) == module.to_bytes()


def module_without_variables() -> Module:
    return rewritten([], [])
