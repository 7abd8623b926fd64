"""Programs that ended one of AMD's compilers: remembered, not run again before the user asks."""

from __future__ import annotations

import pytest

from shaderlab import locations
from shaderlab.engine import quarantine
from shaderlab.engine.keys import key_of_code
from shaderlab.errors import ShaderTimeout
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.radv import discovery

POISON = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float x = fragCoord.x;
    for (int i = 0; i < 5; i++) x = sin(x) + 0.25;
    fragColor = vec4(x);
}
"""


def test_a_family_whose_compiler_a_program_ended_is_left_out_until_one_asks(driven, monkeypatch):
    if discovery.radv_manifest() is None:
        pytest.skip("RADV is not installed")
    jobs, window = driven.session.compiled, driven.window
    key = key_of_code("compiled_for", (compile_text(POISON, "test", None), "navi23"))
    monkeypatch.setattr(quarantine, "_LOOKING_S", 0.0)
    held = quarantine.Quarantine(locations.user_data() / "quarantine", limit_s=3600.0)
    held.add(key, ShaderTimeout("the compiler of navi23 took too long"))
    jobs.choose(["navi23", "polaris10"])
    window.actions_["view.compiled"].trigger()
    try:
        driven.show("// only a comment\n" + POISON)

        def current():
            made = jobs.current
            same = made is not None and made.program.digest == driven.session.program.digest
            return made if same and not jobs.busy else None

        driven.wait(lambda: current() and current().problems, "statistics and a refusal")
        made = current()
        assert "the compiler of navi23 took too long" in str(made.problems["navi23"])
        assert set(made.stats) == {"polaris10"}
        window.actions_["run.compile"].trigger()
        driven.wait(lambda: current() and set(current().costs) == {"navi23", "polaris10"}, "all")
        assert not current().problems
    finally:
        window.layout_.show_tab(window.targets_panel)


def test_a_chosen_family_without_a_compiler_is_named_with_the_reason(driven):
    if discovery.radv_manifest() is None:
        pytest.skip("RADV is not installed")
    jobs, window = driven.session.compiled, driven.window
    jobs.choose(["cfl", "bmg"])  # whose compilers no home of a test has
    window.actions_["view.compiled"].trigger()
    try:
        driven.wait(lambda: jobs.targets, "AMD's families")
        (why,) = jobs.absent
        assert why.startswith("cfl, bmg: ")
        assert "shaderlab compilers build" in why
        jobs.choose(["navi23", "cfl"])
        assert jobs.on_screen
        (why,) = jobs.absent
        assert why.startswith("cfl: ")
    finally:
        window.layout_.show_tab(window.targets_panel)
