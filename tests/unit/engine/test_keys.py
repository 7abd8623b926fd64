"""Equal arguments have equal keys, and others do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab.engine.keys import key_of, key_of_code
from shaderlab.frontend import source as frontend
from shaderlab.frontend.compiler import compile_text
from shaderlab.scene.draw import Draw, DrawState, Frame
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import ImageFile, Texture

TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(fragCoord, 0.0, 1.0);
}
"""
PROGRAM = compile_text(TEXT, "a.frag", None)
FRAME = Frame.of(Draw.of(PROGRAM, (64, 48)))


def test_files_count_with_what_they_hold(tmp_path: Path) -> None:
    image = tmp_path / "a.png"

    def key(
        contents: bytes, stamp: tuple[int, int], size: tuple[int, int] = (64, 48)
    ) -> str | None:
        image.write_bytes(contents)
        given = {"iChannel0": Input(Texture(ImageFile(image, stamp)))}
        state = DrawState.of(size)
        draw = Draw(PROGRAM, replace(state, inputs=Inputs(state.inputs.clock, textures=given)))
        return key_of("trace", (Frame.of(draw), "0"))

    first = key(b"a", (1, 1))
    assert first is not None
    assert key(b"a", (2, 1)) == first
    assert len({first, key(b"b", (1, 1)), key(b"a", (1, 1), (64, 49))}) == 3
    image.unlink()
    state = DrawState.of((64, 48))
    given = {"iChannel0": Input(Texture(ImageFile(image, (1, 1))))}
    draw = Draw(PROGRAM, replace(state, inputs=Inputs(state.inputs.clock, textures=given)))
    assert key_of("trace", (Frame.of(draw), "0")) is None, "what is not there may come back"


def test_only_what_makes_a_difference_counts() -> None:
    first = key_of("trace", (FRAME, "0"))
    assert first == key_of("trace", (Frame.of(Draw.of(PROGRAM, (64, 48))), "0"))
    assert first != key_of("render", (FRAME, "0"))
    assert first != key_of("trace", (FRAME, "1"))
    clock = FRAME.shown.inputs.clock
    state = FRAME.shown.state
    given = replace(state, inputs=replace(state.inputs, clock=replace(clock, source=Source.SET)))
    assert first == key_of("trace", (Frame.of(Draw(PROGRAM, given)), "0"))
    later = replace(clock, value=replace(clock.value, time_s=2.0))
    given = replace(state, inputs=replace(state.inputs, clock=later))
    assert first != key_of("trace", (Frame.of(Draw(PROGRAM, given)), "0"))


def test_a_comment_does_not_bring_code_back() -> None:
    edited = compile_text(f"// a comment\n{TEXT}", "b.frag", None)
    assert edited.digest != PROGRAM.digest
    again = Frame.of(Draw.of(edited, (64, 48)))
    assert key_of("trace", (again,)) != key_of("trace", (FRAME,))
    assert key_of_code("trace", (again,)) == key_of_code("trace", (FRAME,))
    other = compile_text(TEXT.replace("0.0", "0.5"), "b.frag", None)
    of_other = Frame.of(Draw.of(other, (64, 48)))
    assert key_of_code("trace", (of_other,)) != key_of_code("trace", (FRAME,))


def test_a_source_is_blamed_by_its_code_and_folder_or_by_its_bytes() -> None:
    def text(code: str, folder: str = "/a") -> str | None:
        return key_of_code("compile", (frontend.Source(code, "t", Path(folder)),))

    def module(digest: str) -> str | None:
        source = frontend.Source("", "m.spv", Path("/a"), Path("/a/m.spv"), digest)
        return key_of_code("compile", (source,))

    assert text(f"// note\n\n{TEXT}\n") == text(TEXT)
    assert len({text(TEXT), text(TEXT, "/b"), text(TEXT.replace("0.0", "0.5"))}) == 3
    assert module("ab") == module("ab") != module("cd")
    assert module("") is None, "bytes that could not be read"
    named = [key_of("compile", (frontend.Source(TEXT, name, None),)) for name in "ab"]
    assert len({*named, key_of("compile", (frontend.Source(f"{TEXT}//", "a", None),))}) == 3


def test_what_has_no_canonical_form_has_no_key() -> None:
    @dataclass(frozen=True)
    class Noun:
        of: object

    assert key_of("trace", (Noun(object()),)) is None
    assert key_of("trace", (Noun(1),)) != key_of("trace", (Noun(1.0),))
    assert key_of("trace", (Noun({"b": 1, "a": 2}),)) == key_of("trace", (Noun({"a": 2, "b": 1}),))
