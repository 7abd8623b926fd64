"""What the window tells of predicted times while one edits: changes, shares, hot lines, doubts."""

import pytest

from shaderlab import units
from shaderlab.app.panels.hot_lines.lines import LINE
from shaderlab.app.qt import QColor, QImage, Qt
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.forms import method_name

from .conftest import CHEAP


def test_method_and_its_one_error_are_one_click_away(driven):
    driven.show()
    driven.window.layout_.show_tab(driven.window.targets_panel)
    panel = driven.window.targets_panel
    panel.choose("rtx3060")
    assert not panel.details_shown
    panel.opener.click()
    assert panel.details_shown
    error = units.percent(panel.chosen.validated.median_ape)
    assert f"median error {error}" in panel.headline.time.replace("&nbsp;", " ")
    assert f"median error {error}" in panel.details
    row = panel.details.partition(f">{method_name(panel.chosen.method)}</td>")[2].split("</tr>")[0]
    assert f">{error}</td>" in row
    assert ">PILR</td>" in panel.details
    panel.opener.click()
    assert not panel.details_shown


def test_an_edit_tells_the_change_since_the_last_version_and_the_pinned_one(driven):
    driven.show()
    panel, window = driven.window.targets_panel, driven.window
    panel.choose("rtx3060")
    assert all(bar.since_last is bar.since_pinned is None for bar in panel.bars)
    assert "Edit the shader" in panel.headline.text
    first = panel.chosen.time_s
    window.actions_["run.pin"].trigger()
    driven.edit(CHEAP.replace("i < 3", "i < 3000"))
    driven.complete()
    change = next(bar.since_last for bar in panel.bars if bar.target == "rtx3060")
    assert change.slower
    assert change.absolute[0] == "+"
    assert "vs previous" in panel.headline.text
    assert "since pin" in panel.headline.text
    driven.edit(CHEAP.replace("i < 3", "i < 1000"))
    driven.complete()
    bar = next(bar for bar in panel.bars if bar.target == "rtx3060")
    assert bar.since_last.relative[0] == "\u2212"
    assert not bar.since_last.slower
    assert bar.since_pinned.slower
    assert bar.pinned_s == first
    driven.edit(CHEAP.replace("i < 3", "i < 1000") + "// a remark\n")
    driven.complete()
    assert not next(bar.since_last for bar in panel.bars if bar.target == "rtx3060")
    window.actions_["run.unpin"].trigger()
    assert "since pin" not in panel.headline.text


def painted(widget, colour: str) -> int:
    """Pixels of exactly this colour."""
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    widget.render(image)
    wanted = QColor(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
    )


def test_the_margin_tells_each_lines_share_of_the_chosen_targets_time(driven):
    driven.show(CHEAP.replace("i < 3", "i < 200"))
    panel = driven.window.targets_panel
    panel.choose("rtx3060")
    shares = {part.line: part.share for part in panel.chosen.lines}
    notes = driven.editor.notes
    assert float(notes[5].share.rstrip("%")) / 100 == pytest.approx(shares[5], abs=0.005)
    assert max(notes, key=lambda line: notes[line].share_heat) == max(shares, key=shares.get)
    hot = driven.window.appearance.theme.heat[notes[5].share_heat]
    switches = [driven.window.actions_[name] for name in ("view.counts", "view.shares")]
    for _ in range(25):
        driven.editor.set_theme(DARK)
        driven.editor.set_theme(driven.window.appearance.theme)
    driven.wait(lambda: painted(driven.editor, hot), "a filled margin")
    switches[1].trigger()
    assert notes[5].heat != notes[5].share_heat, "or counts alone would look alike"
    driven.wait(lambda: not painted(driven.editor, hot), "counts alone")
    switches[0].trigger()
    assert not painted(driven.editor, hot)
    switches[1].trigger()
    driven.wait(lambda: painted(driven.editor, hot), "shares alone")
    switches[0].trigger()


def test_hot_lines_follow_edits_and_lead_to_the_line(driven, qtbot):
    driven.show(CHEAP.replace("i < 3", "i < 3000"))
    window, panel = driven.window, driven.window.hot_lines_panel
    window.layout_.show_tab(panel)
    window.targets_panel.choose("rtx3060")
    rows = panel.rows
    assert [row.share for row in rows] == sorted((row.share for row in rows), reverse=True)
    hottest = rows[0]
    assert hottest.line in (4, 5)
    assert hottest.count == driven.session.trace.line_counts[("", hottest.line)]
    assert hottest.time_s == pytest.approx(hottest.share * window.targets_panel.chosen.time_s)
    driven.editor.go_to(1)
    table = panel.table
    place = table.visualRect(table.model().index(0, LINE)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert driven.editor.caret[0] == hottest.line
    assert driven.editor.linked_lines == [hottest.line]
    driven.editor.go_to(1)
    driven.window.actions_["edit.hot_line"].trigger()
    assert driven.editor.caret[0] == hottest.line
    driven.window.actions_["edit.hot_line"].trigger()
    assert driven.editor.caret[0] == rows[1].line
    panel.target.setCurrentIndex(panel.target.findData("uhd630"))
    panel.target.activated.emit(panel.target.currentIndex())
    assert window.targets_panel.chosen.target == window.settings.target == "uhd630"
    assert panel.rows[0].time_s > 2 * hottest.time_s
    driven.edit(CHEAP.replace("0.5)", "sin(fragCoord.x))"))
    driven.complete()
    assert any("sin(fragCoord.x)" in row.source for row in panel.rows)
    window.targets_panel.choose("rtx3060")
    window.layout_.show_tab(window.targets_panel)


UNLIKE_ANY = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    uint a = uint(fragCoord.x), b = uint(fragCoord.y) + 3u;
    for (int i = 0; i < 60; i++) {
        a = (a % b + 7u) / 3u;
        b = bitfieldReverse(a) >> 5u;
    }
    fragColor = vec4(float(a & 255u) / 255.0, float(b & 255u) / 255.0, 0.0, 1.0);
}
"""


def test_a_shader_outside_the_training_data_is_marked_with_why(driven):
    driven.show()
    panel = driven.window.targets_panel
    assert not any(bar.warnings for bar in panel.bars)
    assert not panel.headline.warning
    driven.show(UNLIKE_ANY)
    assert all(any("Outside" in w for w in bar.warnings) for bar in panel.bars)
    assert "Outside the training data" in panel.headline.warning
    assert "which no training shader had" in panel.headline.warning


def test_notes_return_when_an_edit_is_taken_back(driven):
    """The program is the one that was traced, so no new trace brings them."""
    driven.show()
    sci = driven.editor._sci

    def noted(line: int) -> int:
        """Characters in the margin beside a line."""
        return sci.SendScintilla(sci.SCI_MARGINGETTEXT, line - 1)

    driven.wait(lambda: noted(5), "a note")
    driven.edit(CHEAP)
    assert not noted(5), "Scintilla forgets the margin of lines that are replaced"
    driven.wait(lambda: noted(5), "the note again")


def test_an_edit_dims_the_former_numbers_until_there_are_new_ones(driven):
    driven.show()
    window, panel = driven.window, driven.window.targets_panel
    window.layout_.show_tab(panel)
    window.actions_["run.pin"].trigger()
    driven.wait(lambda: not panel.table.veil.isVisible(), "numbers of the present text")
    driven.edit(CHEAP.replace("i < 3", "i < 2000"))
    assert driven.editor.stale
    driven.wait(panel.table.veil.isVisible, "the former numbers dimmed")
    assert driven.window.session.latency.forecasts is None
    assert panel.headline.text == "counting\u2026 since pin"
    driven.complete()
    driven.wait(lambda: not panel.table.veil.isVisible(), "the new numbers")
    driven.wait(lambda: not driven.editor.stale, "counts of the present text")
    assert "%" in panel.headline.text or "\u00d7" in panel.headline.text
    window.actions_["run.unpin"].trigger()


def test_a_panel_entered_by_its_key_has_arrow_keys_for_its_lines(driven, qtbot):
    driven.show()
    window = driven.window
    target = window.targets_panel.chosen.target
    window.layout_.enter("hot_lines")
    assert window.focusWidget() is window.hot_lines_panel.table
    qtbot.keyClick(window.hot_lines_panel.table, Qt.Key.Key_Down)
    assert window.targets_panel.chosen.target == target
