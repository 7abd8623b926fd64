"""Forecasts of a program's other forms follow those of it as written, in the real window."""

from __future__ import annotations

from time import monotonic

from shaderlab.prediction.forms import Form
from tests.radv import last_form, needs_radv_listing

from .conftest import CHEAP

FOLDED = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float sum = 0.0;
    for (int i = 0; i < 40; i++) sum += sqrt(2.0) * float(i * 0);
    for (int i = 0; i < ROUNDS; i++) sum += sin(fragCoord.x * float(i));
    fragColor = vec4(sum);
}
"""


def methods(driven) -> dict[str, str]:
    return {each.target: each.method for each in driven.session.forecasts}


def at_rest(driven, form: Form | None = None) -> None:
    """Wait for the traces of all forms, or up to this one, and for what they predict."""
    form = form or last_form()
    driven.complete()
    driven.wait(
        lambda: driven.session.complete and f"additive-{form}" in methods(driven).values(),
        f"forecasts of the {form} program",
    )


def test_at_rest_better_forecasts_take_the_first_ones_place(driven):
    driven.show(FOLDED.replace("ROUNDS", "70"))
    panel, last = driven.window.targets_panel, last_form()
    panel.choose("rtx3060")
    first = {part.line: part.share for part in panel.chosen.lines}
    first_after_s = driven.session.latency.forecasts
    at_rest(driven)
    targets = driven.session.targets.values()
    served = {t.target for t in targets if last in t.forms_of(f"additive-{last}")}
    assert {"rtx3060", "rx6600xt", "llvmpipe"} <= served
    assert {t for t, m in methods(driven).items() if m == f"additive-{last}"} == served
    shown = panel.chosen
    assert shown.method == f"additive-{last}"
    (row,) = (bar for bar in panel.bars if bar.target == "rtx3060")
    assert row.method == f"fitted prices on {last.replace('ized', 'ised')} code"
    assert f", {row.method}</b>" in panel.details
    # What a driver deletes is not paid for, though it was counted in the program as written.
    second = {part.line: part.share for part in shown.lines}
    assert second.get(4, 0.0) < 0.1 * first[4]
    assert second[5] > first[5]
    assert driven.session.latency.forecasts == first_after_s, "the wait for the first ones"
    assert driven.session.trace.line_counts[("", 4)], "counts stay those of the text as written"


@needs_radv_listing
def test_a_driver_that_cannot_say_what_it_leaves_is_done_without(driven):
    """A texture's size is worked out from its descriptor, which a replayed program lacks."""
    driven.show(CHEAP.replace("0.5)", "float(textureSize(iChannel0, 0).x))"))
    at_rest(driven, Form.OPTIMIZED)
    driven.wait(lambda: not driven.session.refining.pending, "all forms to be asked for")
    quiet_until = monotonic() + 2.0
    driven.wait(lambda: monotonic() > quiet_until)
    assert "additive-optimized" in methods(driven).values()
    assert Form.COMPILED not in driven.session.forecasting.other_forms


def test_changes_compare_a_method_with_itself(driven):
    panel = driven.window.targets_panel
    driven.show(FOLDED.replace("ROUNDS", "7"))
    panel.choose("rtx3060")
    driven.window.actions_["run.pin"].trigger()
    at_rest(driven)
    rested = panel.chosen.time_s
    driven.edit(FOLDED.replace("ROUNDS", "7") + "// a remark\n")
    driven.complete()
    bar = next(bar for bar in panel.bars if bar.target == "rtx3060")
    assert not bar.since_last
    assert not bar.since_pinned
    at_rest(driven)
    bar = next(bar for bar in panel.bars if bar.target == "rtx3060")
    assert not bar.since_last
    assert not bar.since_pinned
    assert bar.pinned_s == rested, "pinned before its second trace was there"
    driven.edit(FOLDED.replace("ROUNDS", "70"))
    at_rest(driven)
    bar = next(bar for bar in panel.bars if bar.target == "rtx3060")
    assert bar.since_last.slower
    assert bar.since_pinned.slower
    driven.window.actions_["run.unpin"].trigger()


def test_typing_on_gives_the_other_forms_up(driven):
    driven.show()
    for rounds in range(40, 46):
        driven.edit(CHEAP.replace("i < 3", f"i < {rounds}"))
        driven.complete()
    assert set(methods(driven).values()) & {"additive"}
    at_rest(driven)
    assert last_form() in driven.session.forecasting.other_forms
