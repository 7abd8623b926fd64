from shaderlab.spirv.assembly_text import function_texts

MODULE = """\
; SPIR-V
               OpCapability Shader
          %main = OpFunction %2 None %3
          %5 = OpLabel
               OpReturn
               OpFunctionEnd
         %10 = OpFunction %6 None %9
          %8 = OpFunctionParameter %7
         %11 = OpLabel
               OpReturnValue %12
               OpFunctionEnd
"""


def test_each_function_is_cut_out_by_its_first_label():
    found = function_texts(MODULE)
    assert [*found] == [5, 11]
    assert found[5].splitlines() == [
        "%main = OpFunction %2 None %3", "%5 = OpLabel", "OpReturn", "OpFunctionEnd"
    ]  # fmt: skip
    assert "OpFunctionParameter" in found[11]


def test_a_module_without_functions_has_none():
    assert function_texts("; SPIR-V\n OpCapability Shader\n") == {}
    assert function_texts("") == {}
