"""Odds learned from counted frames: what a shader does on every pixel must come out as such."""

from __future__ import annotations

import pytest

from models.laboratory import odds
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.forecasts.static_counts import Spread, StaticCounts
from shaderlab.scene.draw import Draw

SIZE = (64, 32)
LEFT = "fragCoord.x < 16.0"  # a quarter of the pixels, whole groups of 8x4 lanes


def frame(worker, body: str):
    text = (
        f"void mainImage(out vec4 c, in vec2 fragCoord) {{ float v = fragCoord.y; {body} "
        "c = vec4(v); }"
    )
    program = compile_text(text, "odds", None)
    return program, worker.trace(Draw.of(program, SIZE)).result()


@pytest.mark.parametrize(
    ("body", "name", "share"),
    [
        (f"if ({LEFT}) v += 1.0;", "then", 0.25),
        (f"if ({LEFT}) v += 1.0; else v -= 1.0;", "either", 0.25),
        (f"if ({LEFT}) {{ c = vec4(v); return; }}", "leave", 0.25),
        ("for (int i = 0; i < 20; i++) v += 0.5;", "bounded", 1.0),
        (f"for (int i = 0; i < 20; i++) {{ if ({LEFT}) break; v += 0.5; }}", "breaks", 0.25),
        ("for (int i = 0; i < 20; i++) { if (i == 5) break; v += 0.5; }", "breakable", 0.3),
        ("float w = 0.0; while (w < 6.5) w += 1.0; v += w;", "trips0", 7.0),
    ],
)
def test_shares(worker, body, name, share):
    program, trace = frame(worker, body)
    for lanes in (False, True):
        found = odds.observe(program.module, trace, lanes=lanes)
        assert found[name] == pytest.approx([share], rel=0.05), dict(found)


def test_one_lane_of_a_group_makes_all_of_it_spend(worker):
    program, trace = frame(worker, "if (mod(fragCoord.x, 8.0) < 1.0) v += 1.0;")
    assert odds.observe(program.module, trace, lanes=False)["then"] == pytest.approx([0.125])
    assert odds.observe(program.module, trace, lanes=True)["then"] == pytest.approx([1.0])


def test_what_no_frame_tells_is_not_made_up(worker):
    program, trace = frame(worker, "v += 1.0;")
    with pytest.raises(ValueError, match="no frame has 'then'"):
        odds.measured([(program.module, trace)])


def test_measured_odds_give_back_the_counts_they_came_from(worker):
    body = (
        f"if ({LEFT}) v += 1.0; if ({LEFT}) v += 1.0; else v -= 1.0; "
        "for (int i = 0; i < 20; i++) v += 0.5; "
        f"for (int i = 0; i < 20; i++) {{ if ({LEFT}) break; v += 0.5; }}"
        "float w = 0.0; while (w < 6.5) w += 1.0; v += w; "
        "float u = 0.0; while (u < 2.5) { u += 1.0; float z = 0.0; "
        "while (z < 3.5) z += 1.0; v += z; }"
        f"if ({LEFT}) {{ c = vec4(v); return; }}"
    )
    program, trace = frame(worker, body)
    found = odds.measured([(program.module, trace)])
    counts = StaticCounts(
        found["invocations"], found["lanes"], 0.8, Spread(1, 1, 1), Spread(1, 1, 1), {}
    )
    counted = counts.count(program, SIZE)
    assert counted.guessed
    pairs = [
        (ours.count, real.count)
        for ours, real in zip(counted.trace.blocks, trace.blocks, strict=True)
        if real.count
    ]
    assert len(pairs) > 15
    close = sum(0.6 < ours / real < 1.6 for ours, real in pairs)
    assert close / len(pairs) > 0.8
