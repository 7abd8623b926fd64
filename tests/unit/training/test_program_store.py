"""What compilers left of programs, kept on disk."""

from __future__ import annotations

from shaderlab.frontend.program import Dialect, Program
from shaderlab.training.program_store import ProgramStore

WRITTEN = Program("loop", Dialect.SHADERTOY_ES310, "void mainImage…", b"as written", "main")
LEFT = Program("loop", Dialect.SPIRV, "", b"what was left", "main")


def test_what_was_kept_comes_back_for_the_program_it_was_made_of(tmp_path):
    ProgramStore(tmp_path / "left").put(WRITTEN, LEFT)
    store = ProgramStore(tmp_path / "left")
    assert store.get(WRITTEN) == LEFT
    assert store.get(LEFT) is None
    assert [path.suffix for path in (tmp_path / "left").iterdir()] == [".spv"]
