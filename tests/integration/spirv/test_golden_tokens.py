"""Token sequences of modules written by hand: read them in golden/*.tokens.

One line per instruction: opcode, `%` ids, literals in quotes.  To accept a deliberate change, run
the tests with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

import os
import shutil
from itertools import groupby

import pytest

from shaderlab.frontend import scanner, tools
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.dialects import shadertoy
from shaderlab.frontend.examples import examples
from shaderlab.spirv import grammar, tokens
from shaderlab.spirv.module import Module
from shaderlab.spirv.tokens import BOS, tokenize
from tests.integration.spirv.test_golden import GOLDEN, SOURCES, tool

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("spirv-as", "glslangValidator")),
    reason="needs SPIRV-Tools and glslang",
)

TOKENIZED = {**SOURCES, "shadertoy": "spv1.5"}


def shown(found: tokens.Tokens) -> str:
    assert found.ids[0] == BOS
    lines = []
    for token, label in zip(found.ids[1:].tolist(), found.labels[1:].tolist(), strict=True):
        if tokens.OPCODES <= token < tokens.IDS:
            block = f"  ; block %{label}" if label else ""
            lines.append([grammar.name(token - tokens.OPCODES), block])
        else:
            lines[-1].insert(-1, token)
    return "".join(f"{' '.join([line[0], *operands(line[1:-1])])}{line[-1]}\n" for line in lines)


def operands(found: list[int]) -> list[str]:
    """Ids, and each run of characters as one word: where one literal ends is not in the tokens."""
    parts = []
    for is_id, run in groupby(found, lambda token: token >= tokens.IDS):
        if is_id:
            parts += [f"%{token - tokens.IDS}" for token in run]
        else:
            parts.append('"' + "".join(chr(token - tokens.CHARACTERS) for token in run) + '"')
    return parts


@pytest.mark.parametrize("name", TOKENIZED)
def test_the_tokens_are_what_is_written_down(name):
    assembly = (GOLDEN / f"{name}.spvasm").read_bytes()
    spirv = tool("spirv-as", "--target-env", TOKENIZED[name], "-o", "-", "-", data=assembly)
    text = shown(tokenize(Module.parse(spirv)))
    golden = GOLDEN / f"{name}.tokens"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.path.stem)
def test_debug_information_changes_no_token(example):
    """The published modules were compiled without; ours carry lines and names."""
    program = compile_text(example.path.read_text(), example.path.stem, None)
    text = scanner.without_comments(program.text)
    source = shadertoy.assemble(
        text, program.dialect, dict.fromkeys(shadertoy.channels(text), "sampler2D")
    )
    flags = ("--stdin", "-S", "frag", "--target-env", "vulkan1.2", "--quiet")
    plain = tools.run(["glslangValidator", *flags, "-o", tools.OUTPUT], source.encode()).binary
    expected = tokenize(Module.parse(plain))
    found = tokenize(program.module)
    assert found.ids.tolist() == expected.ids.tolist()
    assert (found.labels > 0).tolist() == (expected.labels > 0).tolist()
