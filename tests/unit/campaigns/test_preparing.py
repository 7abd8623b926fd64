"""Which form of a shader is made besides the one that was written."""

import pytest

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Preparer

TEXT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(sin(p.x) + sin(p.x)); }"
SHADER = Shader("s", "key", text=TEXT)


@pytest.fixture(scope="module")
def digest() -> str:
    return Preparer().prepare(SHADER, False).program.digest


@pytest.mark.parametrize(
    ("optimize", "is_counted", "made"),
    [(True, False, True), (False, False, False), (True, True, False)],
)
def test_the_optimised_form_is_made_where_wanted_and_not_counted_before(
    digest, optimize, is_counted, made
):
    counted = frozenset({digest} if is_counted else {"0" * 64})
    prepared = Preparer(counted).prepare(SHADER, optimize)
    assert (prepared.optimized is not None) is made
    assert prepared.program.text == "", "it has served"


def test_a_file_is_read_as_it_would_be_anywhere(tmp_path, digest):
    path = tmp_path / "s.frag"
    path.write_text(TEXT)
    assert Preparer().prepare(Shader("s", "key", path=path), False).program.digest == digest
