from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.projects.shadertoy_export import PassKind, parse, read
from shaderlab.projects.shadertoy_import import from_export
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Wrap

IMAGE = "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p); }\n"
BUFFER = "void mainImage(out vec4 c, in vec2 p) { c = vec4(value()); }\r\n"


def entry(channel: int, kind: str, id: str = "x", **sampler: str) -> dict[str, Any]:
    return {"channel": channel, "type": kind, "id": id, "sampler": sampler}


def shader(*passes: dict[str, Any], **info: str) -> bytes:
    return json.dumps({"info": info, "renderpass": list(passes)}).encode()


def a_pass(kind: str, code: str = IMAGE, name: str = "", **rest: Any) -> dict[str, Any]:
    return {"type": kind, "code": code, "name": name, "inputs": [], "outputs": [], **rest}


def test_passes_come_in_the_order_they_are_drawn_with_the_common_text_apart() -> None:
    export = parse(
        shader(
            a_pass("image", inputs=[entry(0, "buffer", "a", filter="nearest", wrap="repeat")]),
            a_pass("common", "float value() { return 1.0; }\n"),
            a_pass("buffer", BUFFER, "Buffer A", outputs=[{"id": "a", "channel": 0}]),
            name="Two passes",
        ),
        "file",
    )
    assert export.name == "Two passes"
    assert export.common == "float value() { return 1.0; }\n"
    assert [(each.name, each.kind) for each in export.passes] == [
        ("Buffer A", PassKind.BUFFER),
        ("Image", PassKind.IMAGE),
    ]
    assert export.passes[0].code.endswith("}\n")
    assert "\r" not in export.passes[0].code
    channel = export.passes[1].channels[0]
    assert channel is not None
    assert channel.texture.source == PassPicture("Buffer A")
    assert (channel.texture.filter, channel.texture.wrap) == (Filter.NEAREST, Wrap.REPEAT)
    assert channel.stands_for == ""
    assert export.passes[1].channels[1:] == (None, None, None)


def test_a_buffer_may_read_itself_and_keeps_its_own_letter() -> None:
    export = parse(
        shader(
            a_pass(
                "buffer", name="Buffer C", outputs=[{"id": 7}], inputs=[entry(1, "buffer", "7")]
            ),
            a_pass("buffer", name="renamed", outputs=[{"id": 8}]),
            a_pass("image"),
        ),
        "file",
    )
    assert [each.name for each in export.passes] == ["Buffer A", "Buffer C", "Image"]
    channel = export.passes[1].channels[1]
    assert channel is not None
    assert channel.texture.source == PassPicture("Buffer C")


@pytest.mark.parametrize(
    ("kind", "sampler", "pattern"),
    [
        ("texture", "sampler2D", Pattern.NOISE),
        ("volume", "sampler3D", Pattern.NOISE),
        ("cubemap", "samplerCube", Pattern.GRADIENT),
        ("video", "sampler2D", Pattern.GRADIENT),
        ("buffer", "sampler2D", Pattern.BLACK),
    ],
)
def test_what_only_the_site_has_is_replaced_and_named(
    kind: str, sampler: str, pattern: Pattern
) -> None:
    export = parse(shader(a_pass("image", inputs=[entry(2, kind)])), "file")
    channel = export.passes[0].channels[2]
    assert channel is not None
    assert (channel.sampler, channel.texture.source) == (sampler, pattern)
    assert channel.stands_for


def test_a_keyboard_is_one() -> None:
    export = parse(shader(a_pass("image", inputs=[entry(0, "keyboard")])), "file")
    channel = export.passes[0].channels[0]
    assert channel is not None
    assert channel.texture.source is Pattern.KEYBOARD
    assert not channel.stands_for, "nothing stands in for it"


def test_the_answer_of_the_sites_interface_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"Shader": ' + shader(a_pass("image")) + b"}")
    assert read(path).name == "one"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "not a Shadertoy export"),
        (b'{"renderpass": [{"type": "image"}]}', "renderpass"),
        (shader(a_pass("buffer")), "no image pass"),
        (shader(a_pass("image"), a_pass("compute")), '"compute" is not a kind of Shadertoy pass'),
        (shader(*[a_pass("buffer")] * 5, a_pass("image")), "more Buffer passes"),
        (b"[" + shader(a_pass("image")) + b"," + shader(a_pass("image")) + b"]", "2 shaders"),
        (b"[" * 100_000, "not a Shadertoy export"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(WrongUse, match=says) as raised:
        parse(data, "file")
    assert "\n" not in str(raised.value)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(WrongUse):
        parse(data, "file")


def test_what_stands_for_another_input_is_said_and_nothing_else(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    channels = [entry(0, "webcam"), entry(2, "buffer", "a")]
    source.write_bytes(
        shader(
            a_pass("image", inputs=channels),
            a_pass("buffer", BUFFER, "Buffer A", outputs=[{"id": "a", "channel": 0}]),
        )
    )
    (note,) = from_export(source, tmp_path / "toy.toml").notes
    assert note.startswith("Image, iChannel0: ")
