"""The language server says that its device answers nothing, and counts again when it does."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from shaderlab.gpu import discovery
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.analyst import Analyst
from shaderlab.workers.answering import answering
from shaderlab.workers.supervisor.limits import Limits
from tests.stuck_device import StuckDevice

LIMIT = 60.0
SHADER = "void mainImage(out vec4 c, in vec2 p) {{ c = vec4(p.xyxy * {}); }}\n"


def measured(analyst: Analyst, text: str) -> Analysis:
    found: list[Analysis] = []
    analyst.measure(analyst.compile(Text("test", None, text)), found.append)
    return found[-1]


def test_nothing_is_counted_while_the_device_is_stuck_and_all_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = StuckDevice(tmp_path, monkeypatch)
    found = [each for each in discovery.discover().devices if each.slug == "llvmpipe"]
    if not found:
        pytest.skip("llvmpipe is not installed")
    first, second = SHADER.format(0.1), SHADER.format(0.2)
    with closing(Analyst("llvmpipe", Limits(trace=4.0))) as analyst:
        device.hang()
        try:
            for text in (first, second):
                analysis = measured(analyst, text)
                assert "no longer responds" in analysis.problem
                assert analysis.trace is None
        finally:
            again = answering(found[0]).again()
            device.free()
            again.result(LIMIT)
        assert measured(analyst, second).trace is not None
        assert measured(analyst, first).trace is None  # it was in flight, and may be why
