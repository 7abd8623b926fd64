from __future__ import annotations

import pytest
from pygls.workspace import PositionCodec

from shaderlab.lsp.documents import Document


@pytest.mark.parametrize("uri", ["file:///a%00b.frag", "untitled:Untitled-1", "file:", "x"])
def test_a_document_without_a_file_has_no_path(uri: str) -> None:
    document = Document(uri, "void main() {}", 1, PositionCodec())
    assert document.path is None
    assert document.text.name
    assert "\0" not in document.text.name
