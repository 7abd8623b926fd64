"""Two draws timed in turns on a real software driver."""

from __future__ import annotations

from contextlib import closing

import pytest

from shaderlab.campaigns.comparing import ComparingWorker
from shaderlab.errors import NoVulkan
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu import discovery
from shaderlab.scene.draw import Draw

LOOP = """\
void mainImage(out vec4 c, in vec2 p) {
    float a = p.x;
    for (int i = 0; i < COUNT; i++) { a = sin(a + p.y); }
    c = vec4(a);
}
"""


def test_four_times_the_work_takes_about_four_times_as_long():
    try:
        info = discovery.discover().choose("llvmpipe")
    except NoVulkan as error:
        pytest.skip(str(error))
    few, many = (
        Draw.of(compile_text(LOOP.replace("COUNT", n), "loop", None), (128, 128))
        for n in ("100", "400")
    )
    with closing(ComparingWorker(info)) as worker:
        found = worker.compare(few, many, 2.0).result()
        same = worker.compare(few, few, 2.0).result()
    assert found.after_s / found.before_s == pytest.approx(4, rel=0.25)
    assert same.after_s / same.before_s == pytest.approx(1, rel=0.15)
    assert found.uncertainty < 0.2
