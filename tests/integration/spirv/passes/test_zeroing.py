import subprocess

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.zeroing import zeroed

NEVER_WRITTEN = {
    "locals of every kind": """\
struct Ray { vec3 at; mat2 turn; float steps[4]; };
Ray kept;
float part(int n) { float sum; return sum + float(n); }
void mainImage(out vec4 color, in vec2 at) {
    Ray ray;
    bool hit;
    color.x += part(2) + ray.steps[1] + kept.turn[0].y;
    if (hit) color = vec4(ray.at, 1.0);
}
""",
    "missing return": """\
float level(float x) { if (x > 3.0) return 1.0; }
void mainImage(out vec4 color, in vec2 at) { color = vec4(level(at.x)); }
""",
    "nothing to do": "void mainImage(out vec4 color, in vec2 at) { color = vec4(1.0); }",
}


@pytest.mark.parametrize("name", NEVER_WRITTEN)
def test_everything_begins_as_zero(name):
    spirv = zeroed(compile_text(NEVER_WRITTEN[name], name, None).module)
    module = Module.parse(spirv)
    assert not module.indices(Op.Undef)
    for index in module.indices(Op.Variable):
        words = module.instruction_words(index)
        if words[3] in (StorageClass.Function, StorageClass.Private, StorageClass.Output):
            assert module.definition(words[4]).opcode == Op.ConstantNull
    checked = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.2", "-"], input=spirv, capture_output=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
