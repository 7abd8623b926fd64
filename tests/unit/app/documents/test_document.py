import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.documents import document
from shaderlab.app.documents.document import NEWLINES, Document
from shaderlab.app.editor.limits import LONGEST_LINE
from shaderlab.errors import WrongUse

PLAIN_TEXT = st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=("Cs",)))


@given(
    PLAIN_TEXT,
    st.sampled_from(document.NEWLINES),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]),
)
def test_what_is_read_is_written_back_byte_for_byte(text, newline, encoding):
    mark = "\ufeff".encode(encoding) if encoding.startswith("utf-16") else b""
    data = mark + text.replace("\n", newline).encode(encoding)
    read, plain = document.decode(data, Path("a.frag"))
    assert "\r" not in plain
    assert plain == text
    assert document.encode(read, plain) == data


ENDS = st.sampled_from(NEWLINES)
LINES = st.lists(st.tuples(st.sampled_from(["", "a", "b", "é = 1;"]), ENDS))
FILLED_LINES = st.lists(st.tuples(st.sampled_from(["a", "b"]), ENDS))
"""Between an empty one's neighbours, `\\r` and `\\n` are one end and not two."""


def bytes_of(lines):
    return "".join(line + end for line, end in lines).encode()


@given(LINES, st.sampled_from(["", "last"]))
def test_lines_that_end_differently_are_written_back_byte_for_byte(lines, last):
    data = bytes_of(lines) + last.encode()
    read, plain = document.decode(data, Path("a.frag"))
    assert "\r" not in plain
    assert document.encode(read, plain) == data


@given(FILLED_LINES, FILLED_LINES, FILLED_LINES, st.lists(st.sampled_from(["x", "y", "a"])))
def test_an_edit_leaves_the_ends_of_the_lines_around_it(before, gone, after, come):
    before, after = [*before, ("start {", "\r\n")], [("} end", "\n"), *after]
    read, _ = document.decode(bytes_of(before + gone + after), Path("a.frag"))
    changed = [*(line for line, _ in before), *come, *(line for line, _ in after), ""]
    data = document.encode(read, "\n".join(changed))
    assert data.startswith(bytes_of(before))
    assert data.endswith(bytes_of(after))
    middle = data[len(bytes_of(before)) : len(data) - len(bytes_of(after))].decode()
    assert middle.replace("\r\n", "\n").replace("\r", "\n") == "".join(f"{x}\n" for x in come)


def test_a_changed_line_keeps_its_end_and_a_new_one_gets_the_usual():
    read, plain = document.decode(b"a\r\nb\nc\r\n", Path("a.frag"))
    assert (read.newline, plain) == ("\r\n", "a\nb\nc\n")
    assert document.encode(read, "a\nB\nc\n") == b"a\r\nB\nc\r\n"
    assert document.encode(read, "new\na\nb\nc\n") == b"new\r\na\r\nb\nc\r\n"


def test_a_word_replaced_on_every_line_of_a_long_text_keeps_all_ends(tmp_path):
    data = b"".join(b"old %d%s" % (n, b"\r\n" if n % 3 else b"\n") for n in range(3000))
    read, plain = document.decode(data, Path("a.frag"))
    path = tmp_path / "a.frag"
    written = document.write(read, plain.replace("old", "new"), path)
    assert path.read_bytes() == data.replace(b"old", b"new")
    again = document.write(written, plain.replace("old", "newer"), path)
    assert path.read_bytes() == data.replace(b"old", b"newer")
    assert document.read(path)[0].line_ends == again.line_ends


def test_invalid_utf8_is_refused_with_its_line():
    with pytest.raises(WrongUse, match=r"noise\.frag: line 2 is not valid UTF-8"):
        document.decode(b"void main()\n\xff\xfe\n", Path("noise.frag"))


def test_binary_that_is_not_spirv_is_refused():
    with pytest.raises(WrongUse, match="binary"):
        document.decode(b"abc\0def", Path("a.bin"))


@pytest.mark.parametrize("magic", [b"\x03\x02\x23\x07", b"\x07\x23\x02\x03"])
def test_spirv_of_either_byte_order_is_told_from_text(tmp_path, magic):
    path = tmp_path / "a.spv"
    path.write_bytes(magic + bytes(16))
    read, text = document.read(path)
    assert read.spirv
    assert text == ""


def test_missing_folder_and_oversized_files_are_one_line_errors(tmp_path):
    with pytest.raises(WrongUse, match=r"gone\.frag.*No such file"):
        document.read(tmp_path / "gone.frag")
    with pytest.raises(WrongUse, match=tmp_path.name):
        document.read(tmp_path)
    big = tmp_path / "big.frag"
    big.write_bytes(b" " * (document.MOST_BYTES + 1))
    with pytest.raises(WrongUse, match=r"big\.frag"):
        document.read(big)


def test_saving_keeps_permissions_and_follows_links(tmp_path):
    real = tmp_path / "real.frag"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.frag"
    link.symlink_to(real)
    written = document.write(Document("link.frag", link, "\r\n"), "a\nb\n", link)
    assert written.digest == document.read(link)[0].digest
    assert link.is_symlink()
    assert real.read_bytes() == b"a\r\nb\r\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.frag", "real.frag"]


def test_text_that_no_encoding_holds_is_not_saved(tmp_path):
    path = tmp_path / "a.frag"
    path.write_text("old")
    with pytest.raises(WrongUse, match="line 2"):
        document.write(Document("a.frag", path), "fine\n\ud800", path)
    assert path.read_text() == "old"


def test_saving_where_it_cannot_is_an_error_and_leaves_nothing(tmp_path):
    with pytest.raises(WrongUse, match=r"a\.frag cannot be saved"):
        document.write(Document("a.frag"), "", tmp_path / "nowhere" / "a.frag")


def test_what_an_editor_cannot_show_is_not_opened():
    long = "x" * (LONGEST_LINE + 1)
    with pytest.raises(WrongUse, match=r"wide\.frag: line 1 has"):
        document.decode(long.encode(), Path("wide.frag"))
