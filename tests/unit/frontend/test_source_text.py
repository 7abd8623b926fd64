"""Bytes to text."""

import codecs

import pytest

from shaderlab.errors import CompileFailed
from shaderlab.frontend import source_text


def only(error: pytest.ExceptionInfo[CompileFailed]):
    (diagnostic,) = error.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    "data",
    [
        "é = 1".encode(),
        codecs.BOM_UTF8 + "é = 1".encode(),
        codecs.BOM_UTF16_LE + "é = 1".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "é = 1".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "é = 1".encode("utf-32-le"),
    ],
)
def test_a_byte_order_mark_chooses_the_encoding_and_is_dropped(data):
    assert source_text.decode(data, "x") == "é = 1"


def test_the_first_invalid_byte_is_placed():
    with pytest.raises(CompileFailed) as error:
        source_text.decode("é\r\nab\tc".encode() + b"\xff", "x.frag")
    assert (only(error).line, only(error).column) == (2, 5)
    assert str(error.value) == (
        "x.frag:2:5: byte 8 (0xff) is not valid UTF-8; save the file as UTF-8"
    )


def test_binary_data_is_called_so():
    with pytest.raises(CompileFailed, match="binary file"):
        source_text.decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "x.png")


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        ("a\nb\0", "NUL byte", (2, 2)),
        ("\x1b[0m", r"U\+001B", (1, 1)),
        ("a\ud800", r"surrogate U\+D800", (1, 2)),
        ("x" * (source_text.MAX_BYTES + 1), "the limit is 1,048,576", (0, 0)),
    ],
)
def test_text_no_compiler_should_see(text, says, place):
    with pytest.raises(CompileFailed, match=says) as error:
        source_text.check(text, "x")
    assert (only(error).line, only(error).column) == place


def test_ordinary_white_space_and_any_letter_pass():
    source_text.check("\t a\r\n\f\v // ∀é𝄞\n", "x")


def test_line_ends_become_one_kind():
    assert source_text.unify_line_ends("a\r\nb\rc\nd") == "a\nb\nc\nd"
