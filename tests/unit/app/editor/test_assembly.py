from shaderlab.app.editor.assembly import lines_by_label


def test_blocks_are_found_in_assembly_by_their_labels():
    text = """\
; SPIR-V
%4 = OpFunction %2 None %3
%5 = OpLabel
OpStore %9 %10
OpBranch %6

%6 = OpLabel
OpReturn
OpFunctionEnd
%7 = OpFunction %2 None %3
%8 = OpLabel
OpReturn
OpFunctionEnd
"""
    assert lines_by_label(text) == {5: (3, 4, 5), 6: (7, 8), 8: (11, 12)}
