"""A sweep over a shader of a captured frame, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.captures import opening, shader_texts
from shaderlab.cli import main
from shaderlab.frontend import tools
from shaderlab.workers.captured_texts import folder_of

needs_text = pytest.mark.skipif(
    tools.find(shader_texts.DECOMPILER) is None,
    reason="spirv-cross is not installed: apt-get install spirv-cross",
)


@pytest.fixture(autouse=True, scope="module")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


def swept(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["sweep", *map(str, words), "--device", "llvmpipe", "--target", "llvmpipe"])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@needs_text
def test_a_loop_put_into_a_captured_shader_is_swept_in_its_frame(
    cube: Path, capsys: pytest.CaptureFixture[str]
):
    event = opening.opened(cube).draws[0].event
    code, _, said = swept(capsys, cube, "N=1,2")
    assert (code, "--draw EVENT" in said) == (2, True)
    code, _, said = swept(capsys, cube, "N=1,2", "--draw", event)
    assert code == 2
    assert "N is not a #define" in said
    (text,) = folder_of(opening.cache_folder(cube).name).glob("*.frag")
    assert str(text) in said  # the file to edit
    body = text.read_text().rstrip().removesuffix("}")
    text.write_text(
        f"{body}for (int i = 0; i < N; i++) uFragColor = sqrt(uFragColor);\n}}\n".replace(
            "void main()", "#define N 1\nvoid main()"
        )
    )
    code, out, _ = swept(capsys, cube, "N=0,1,400", "--draw", event, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["varied"] == f"the shader of draw {event}"
    none, one, many = found["points"]
    assert none["picture"]["rms"] == 0
    assert many["picture"]["rms"] > one["picture"]["rms"] > 0
    times = [each["targets"][0]["time_s"] for each in found["points"]]
    assert times[2] > 2 * times[0]
    code = main(["capture", str(cube), "--json", "--device", "llvmpipe", "--target", "llvmpipe"])
    assert code == 0
    (captured,) = json.loads(capsys.readouterr().out)["targets"]
    # A loop that never runs still compares once.
    assert times[0] == pytest.approx(captured["time_s"], rel=0.05)
