"""What compilers left of programs, kept on disk."""

from __future__ import annotations

from models.laboratory.program_store import ProgramStore
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Dialect, Program

WRITTEN = compile_text("void mainImage(out vec4 c, in vec2 p) { c = vec4(iTime); }", "loop", None)
LEFT = Program("loop", Dialect.SPIRV, "", b"what was left", "main")


def test_what_was_kept_comes_back_for_the_program_it_was_made_of(tmp_path):
    ProgramStore(tmp_path / "left").put(WRITTEN, LEFT)
    store = ProgramStore(tmp_path / "left")
    found = store.get(WRITTEN)
    assert found is not None
    assert found == LEFT
    assert found.interface == WRITTEN.interface, "what is left names none of its inputs"
    assert store.get(LEFT) is None
    assert [path.suffix for path in (tmp_path / "left").iterdir()] == [".spv"]
