"""What is compiled, and what makes two texts the same."""

from pathlib import Path

from shaderlab.frontend.reading import RECOGNISED, Language, Reading
from shaderlab.frontend.source import Source

GLSL = Reading(Language.GLSL)


def test_a_text_is_given_as_text_and_a_module_by_its_path():
    assert Source("text", "t", Path("/a"), reading=GLSL).as_read == ("text", "t", Path("/a"), GLSL)
    module = Source("", "m.spv", Path("/a"), Path("/a/m.spv"), "ab")
    assert module.as_read == (Path("/a/m.spv"), "m.spv", Path("/a"), RECOGNISED)


def test_another_manner_of_reading_is_another_source():
    one, other = (Source("int a;", "t", None, reading=each) for each in (RECOGNISED, GLSL))
    assert one.digest != other.digest
