"""Renaming in files on the disk: all or none, in their own line ends, and back."""

from __future__ import annotations

import pytest

from shaderlab.app.documents.renaming import files_using, rename_in, take_back
from shaderlab.errors import WrongUse
from shaderlab.language.syntax import Language

A = b"float hash(float x) { return x; }\r\nfloat two() { return hash(1.0); }\r\n"
B = "// \u00fc\nfloat three() { return hash(2.0); }\n".encode()


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.glsl").write_bytes(A)
    (tmp_path / "b.glsl").write_bytes(B)
    (tmp_path / "c.glsl").write_bytes(b"float local(float hash) { return hash; }\n")
    (tmp_path / "d.png").write_bytes(b"\x89PNG hash \0")
    return tmp_path


def using(files):
    return files_using(sorted(files.iterdir()), "hash", Language.GLSL, None)


def test_files_are_written_and_taken_back_byte_for_byte(files):
    found = using(files)
    assert [each.path.name for each in found] == ["a.glsl", "b.glsl"]
    written = rename_in(found, "hash", "noise")
    assert (files / "a.glsl").read_bytes() == A.replace(b"hash", b"noise")
    assert (files / "b.glsl").read_bytes() == B.replace(b"hash", b"noise")
    take_back(written)
    assert (files / "a.glsl").read_bytes() == A
    assert (files / "b.glsl").read_bytes() == B


def test_one_file_that_changed_meanwhile_leaves_all_as_they_are(files):
    found = using(files)
    (files / "b.glsl").write_bytes(b"// another\n")
    with pytest.raises(WrongUse, match=r"b\.glsl has changed on disk"):
        rename_in(found, "hash", "noise")
    assert (files / "a.glsl").read_bytes() == A


def test_one_file_that_cannot_be_written_leaves_the_others_as_they_were(files, monkeypatch):
    found = using(files)
    from shaderlab.app.documents import document

    write = document.write

    def refuse(opened, text, path):
        if path.name == "b.glsl":
            raise WrongUse("b.glsl cannot be saved: no space")
        return write(opened, text, path)

    monkeypatch.setattr(document, "write", refuse)
    with pytest.raises(WrongUse, match="no space; no file was changed"):
        rename_in(found, "hash", "noise")
    assert (files / "a.glsl").read_bytes() == A


def test_the_documents_own_file_is_left_to_the_editor(files):
    own = files / "a.glsl"
    found = files_using([own, own, files / "b.glsl"], "hash", Language.GLSL, own)
    assert [each.path.name for each in found] == ["b.glsl"]


def test_a_file_that_links_lead_to_is_the_same_file(files):
    through = files / "through"
    try:
        through.symlink_to(files, target_is_directory=True)
    except OSError:
        pytest.skip("links cannot be made here")
    paths = [files / "a.glsl", through / "a.glsl", files / "b.glsl"]
    found = files_using(paths, "hash", Language.GLSL, through / "b.glsl")
    assert [each.path for each in found] == [(files / "a.glsl").resolve()]
