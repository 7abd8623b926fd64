"""Expansion of includes: confinement, faults, and the mapping of every line."""

import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.frontend import includes, scanner
from shaderlab.frontend.includes import FAULT_MARK

LINE = re.compile(r'#line (\d+) "(.*)"')


def mapped(expansion):
    """(file, line, text) of every line, by the meaning of #line; lines we put in are left out."""
    file, line = "document", 1
    for text in expansion.text.split("\n"):
        if match := LINE.fullmatch(text):
            line, file = int(match[1]), match[2]
            continue
        yield file, line, text
        line += 1


def test_text_without_includes_is_not_touched(tmp_path):
    text = "a\n\n#define B\n"
    assert includes.expand(text, tmp_path).text == text


def test_an_include_is_looked_up_beside_the_file_it_stands_in(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.glsl").write_text('before\n#include "b.glsl"\nafter')
    (tmp_path / "lib" / "b.glsl").write_text("inner")
    expansion = includes.expand('1\n#include "lib/a.glsl"\n3', tmp_path)
    assert list(mapped(expansion)) == [
        ("document", 1, "1"),
        ("lib/a.glsl", 1, "before"),
        ("lib/b.glsl", 1, "inner"),
        ("lib/a.glsl", 3, "after"),
        ("document", 3, "3"),
    ]
    assert expansion.paths == (
        str(tmp_path / "lib" / "a.glsl"),
        str(tmp_path / "lib" / "b.glsl"),
    )


@pytest.mark.parametrize("search", [(), ("pack/shaders",)])
def test_a_name_with_a_root_is_looked_up_in_the_packs_folder_or_the_searched(tmp_path, search):
    folder = tmp_path / ("pack/shaders/world0" if not search else "elsewhere")
    folder.mkdir(parents=True)
    (tmp_path / "pack" / "shaders" / "lib").mkdir(parents=True)
    (tmp_path / "pack" / "shaders" / "lib" / "tone.glsl").write_text("found")
    (tmp_path / "secret.glsl").write_text("not for shaders")
    places = tuple(tmp_path / each for each in search)
    found = includes.expand('#include "/lib/tone.glsl"', folder, places)
    assert "found" in found.text
    outside = includes.expand('#include "/../../secret.glsl"', folder, places)
    assert "secret" not in outside.text
    assert outside.faults


def test_a_comment_that_begins_or_ends_on_the_include_line_stays_one(tmp_path):
    (tmp_path / "a").write_text("A")
    expansion = includes.expand('/* x\ny */ #include "a" /* z\nw */ end', tmp_path)
    code = scanner.blank(expansion.text, strings=False)
    assert [part for part in code.split() if part in ("A", "end", "x", "y", "z", "w")] == [
        "A",
        "end",
    ]
    assert [(f, n) for f, n, text in mapped(expansion) if "end" in text] == [("document", 3)]


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ('#include "missing.glsl"', '"missing.glsl" was not found'),
        ('#include "../secret"', "not in an include folder"),
        ('#include "/etc/hostname"', 'nor is there a folder "shaders"'),
        ('#include "link"', "not in an include folder"),
        ('#include "sub"', "is a folder"),
        ('#include "pipe"', "not a plain file"),
        ('#include "big"', "limit is"),
        ('#include "latin1"', "not valid UTF-8"),
        ('#include "open_comment"', "ends inside a comment"),
        ('#include "open_if"', "#endif"),
        ("#include <stdio.h>", '"stdio.h" was not found'),
        ("#include stdio.h", "double quotes"),
        ('#include ""', "double quotes"),
        ('#include "a\\b"', "use /"),
        ('#include "a"', 'include cycle: "a" -> "b" -> "a"'),
    ],
)
def test_what_cannot_be_included_says_why(tmp_path, directive, says):
    folder = tmp_path / "shader"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "big").write_text(" " * (1 << 20) + " ")
    (folder / "latin1").write_bytes(b"ok\n  \xe9")
    (folder / "open_comment").write_text("/* a")
    (folder / "open_if").write_text("#if 1")
    (folder / "a").write_text('#include "b"')
    (folder / "b").write_text('#include "a"')
    expansion = includes.expand(directive, folder)
    assert len(expansion.faults) == 1
    assert says in expansion.faults[0]
    assert f"#error {FAULT_MARK} 0" in expansion.text
    assert "secret" not in expansion.text


def test_without_a_folder_nothing_is_read():
    expansion = includes.expand('#include "a"', None)
    assert "save the shader" in expansion.faults[0]


def test_tiny_files_that_include_each_other_twice_come_to_an_end(tmp_path):
    for n in range(40):
        (tmp_path / f"f{n}").write_text(f'#include "f{n + 1}"\n' * 2)
    expansion = includes.expand('#include "f0"', tmp_path)
    assert expansion.faults
    assert len(expansion.text) < 1 << 20


def test_the_sum_of_all_includes_is_bounded(tmp_path):
    (tmp_path / "a").write_text("x" * 900_000)
    expansion = includes.expand('#include "a"\n' * 8, tmp_path)
    assert "add up to more than 4 MB" in expansion.faults[0]


def test_pragma_once_guards_a_file_and_ends_its_cycle(tmp_path):
    (tmp_path / "a").write_text('#pragma once\n#include "a"\nA')
    expansion = includes.expand('#include "a"\n#include "a"\nend', tmp_path)
    assert not expansion.faults
    assert expansion.text.count("#ifndef SHADERLAB_ONCE_0") == 2
    assert "pragma" not in expansion.text


def test_a_file_named_like_the_document_is_told_apart(tmp_path):
    (tmp_path / "document").write_text("inner")
    expansion = includes.expand('#include "document"', tmp_path)
    assert list(mapped(expansion)) == [("./document", 1, "inner")]


FILES = ("a.glsl", "b.glsl", "sub/c.glsl", "sub/d e.glsl")
PIECE = st.sampled_from(
    [
        "code {n}",
        "",
        "// note",
        "/* over",
        "lines */",
        "#if {n}",
        "#endif",
        "#pragma once",
        *(f'#include "{name}"' for name in FILES),
        '#include "missing"',
        '/* c */ #include "a.glsl" // d',
    ]
)
TEXT = st.lists(PIECE, max_size=8).map(
    lambda pieces: "\n".join(piece.format(n=n) for n, piece in enumerate(pieces))
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=TEXT, contents=st.tuples(*[TEXT] * len(FILES)))
def test_every_line_of_code_keeps_its_file_and_number(tmp_path_factory, document, contents):
    """Whatever is included where: a line we did not write ourselves stands in its file, there."""
    folder = tmp_path_factory.mktemp("shader")
    (folder / "sub").mkdir()
    for name, text in zip(FILES, contents, strict=True):
        (folder / name).write_text(text)
    expansion = includes.expand(document, folder)
    ours = re.compile(
        rf"#(?:ifndef|define) SHADERLAB_ONCE_\d+|#error {FAULT_MARK} \d+|/\*|.*\*/.*|#endif|"
    )
    for file, line, text in mapped(expansion):
        if not ours.fullmatch(text):
            assert expansion.files[file].split("\n")[line - 1] == text
    # Nothing of the document is lost but its include lines.
    kept = [text for file, _, text in mapped(expansion) if file == "document" and "code" in text]
    assert kept == [text for text in document.split("\n") if "code" in text]
