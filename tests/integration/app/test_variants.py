"""Versions pinned, compared and brought back by real clicks in the window; kept over restarts."""

from __future__ import annotations

import pytest

from shaderlab.app.documents.kept_versions import KeptVersions
from shaderlab.app.documents.version_file import decode
from shaderlab.app.panels.variants.diff import Kind
from shaderlab.app.panels.variants.rows import NAME
from shaderlab.app.qt import QPoint, Qt, QtWidgets
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.app.widgets.heat_colours import heat_table

from .conftest import CHEAP

LONGER = CHEAP.replace("i < 3", "i < 300")
OTHER = CHEAP.replace("0.5)", "0.25)")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def variants(driven):
    """The panel on screen, two versions made, the first one pinned."""
    driven.show()
    driven.window.actions_["view.variants"].trigger()
    driven.window.targets_panel.choose("rtx3060")
    driven.window.actions_["run.pin"].trigger()
    driven.edit(LONGER)
    driven.complete()
    driven.wait(lambda: len(driven.session.versions.all) == 2, "the second version")
    panel = driven.window.variants_panel
    driven.wait(lambda: panel.rows[0].change is not None, "how they compare")
    yield panel
    if driven.window.variants.window is not None:
        driven.window.variants.window.close()
    driven.show()


def test_a_pinned_version_is_listed_and_compared_with_the_present(driven, variants):
    (row,) = variants.rows
    assert row.name.startswith("untitled")
    assert row.change.slower
    assert row.is_baseline
    assert variants.selected == row.number


def test_a_text_that_does_not_compile_is_not_compared_with_the_variant(driven, variants):
    driven.window.variants.compare_baseline()
    headline = driven.window.variants.window.headline
    driven.wait(lambda: headline.text().endswith("%)"), "the change")
    driven.edit(LONGER.replace("for", "fro"))
    driven.wait(lambda: variants.rows[0].change is None, "no change of the broken text")
    driven.wait(lambda: "\u2192 last version that compiled" in headline.text(), "what is compared")
    picture = driven.window.preview.picture
    driven.wait(lambda: picture.mark == "Last version that compiled", "the picture's mark")
    driven.edit(LONGER)
    driven.wait(lambda: not picture.mark, "no mark")
    driven.wait(lambda: variants.rows[0].change is not None, "the change again")
    driven.wait(lambda: "\u2192 now" in headline.text(), "the present text again")


def test_a_name_is_typed_in_the_table(driven, variants, qtbot):
    index = variants.model.index(0, NAME)
    place = variants.table.visualRect(index).center()
    viewport = variants.table.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=place)
    qtbot.mouseDClick(viewport, LEFT, pos=place)
    field = variants.table.findChild(QtWidgets.QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, "three rounds")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    driven.wait(lambda: variants.rows[0].name == "three rounds", "the name")
    assert "three rounds" in driven.window.targets_panel.caption
    assert driven.session.versions.baseline.name == "three rounds"


def test_a_click_on_the_curve_brings_a_text_back_and_undo_takes_it_away(driven, variants, qtbot):
    curve, versions = variants.curve, driven.session.versions
    first, second = (curve.place_of(each.number) for each in versions.all)
    assert first.y() > second.y(), "slower is higher"
    assert first.x() < second.x()
    qtbot.mouseClick(curve, LEFT, pos=QPoint(first.x(), first.y()))
    assert driven.editor.text == CHEAP
    driven.complete()
    driven.wait(lambda: len(versions.all) == 3, "the version brought back")
    assert [each.text for each in versions.all] == [CHEAP, LONGER, CHEAP]
    driven.window.actions_["edit.undo"].trigger()
    assert driven.editor.text == LONGER
    driven.complete()


def test_arrow_keys_walk_the_curve_and_return_brings_back(driven, variants, qtbot):
    curve, versions = variants.curve, driven.session.versions
    curve.setFocus()
    qtbot.keyClick(curve, Qt.Key.Key_Left)
    assert curve.pointed == versions.latest.number
    qtbot.keyClick(curve, Qt.Key.Key_Left)
    assert curve.pointed == versions.all[0].number
    qtbot.keyClick(curve, Qt.Key.Key_Return)
    assert driven.editor.text == CHEAP
    driven.complete()


def test_texts_are_compared_with_the_cost_of_each_line(driven, variants, qtbot):
    qtbot.mouseClick(variants.compare, LEFT)
    window = driven.window.variants.window
    assert window.isVisible()
    assert "RTX 3060" in window.headline.text()
    texts = window.texts
    driven.wait(lambda: texts.changes, "the changes")
    kinds = [line.kind for line in texts.one.lines]
    assert (kinds.count(Kind.REMOVED), kinds.count(Kind.ADDED)) == (1, 1)
    loop = next(line for line in texts.one.lines if line.kind is Kind.ADDED)
    assert loop.new == loop.beside == 4
    note = texts.one.notes[texts.one.lines.index(loop)]
    assert note.change.startswith("+")
    assert note.slower
    qtbot.mouseClick(texts.beside, LEFT, pos=QPoint(8, texts.beside.height() // 2))
    driven.wait(texts.left.isVisible, "two columns")
    assert len(texts.left.lines) == len(texts.right.lines)
    qtbot.mouseClick(window.back, LEFT)
    assert driven.editor.text == CHEAP
    driven.complete()
    driven.wait(lambda: texts.changes == 0, "equal texts")
    assert texts.caption.text().startswith("The texts are the same")


def test_pictures_are_compared_and_differ_where_they_should(driven, variants, qtbot):
    driven.edit(OTHER)
    driven.complete()
    playback = driven.session.on_device.pictures.playback
    playback.pause()
    playback.seek(2.5)
    driven.window.actions_["run.compare"].trigger()
    window, compared = driven.window.variants.window, driven.session.on_device.compared
    window.tabs.setCurrentWidget(window.pictures)
    driven.wait(lambda: window.pictures.has_pair, "both pictures")
    assert compared.pair.time_s == 2.5, "of the moment that the preview shows"
    window.pictures.time.setValue(4.0)
    driven.wait(lambda: compared.pair is not None and compared.pair.time_s == 4.0, "a later moment")
    playback.play()
    driven.wait(lambda: window.pictures.caption.text().startswith("FLIP "), "FLIP")
    words = window.pictures.caption.text()
    assert "PSNR " in words
    assert "100 % of the pixels" in words, "blue is another everywhere"
    blue = window.pictures.view.image().pixelColor(5, 5).blue()
    assert blue in range(250, 256), "a quarter of the range, times four"
    pair = compared.pair
    assert f"{pair.flip.mean():.3f}" in words
    assert pair.flip.mean() > 0
    window.pictures.kind.setCurrentText("FLIP")
    painted = window.pictures.view.image().pixelColor(5, 5)
    share = pair.flip[-6 if pair.y_up else 5, 5]
    table = heat_table()
    assert painted.getRgb()[:3] == tuple(table[int(share * (len(table) - 1))])
    window.pictures.kind.setCurrentText("Wipe")
    view = window.pictures.view
    qtbot.mouseClick(view, LEFT, pos=QPoint(view.width() // 4, view.height() // 2))
    assert view.divide < 0.5
    driven.edit(CHEAP)
    driven.wait(lambda: "identical" in window.pictures.caption.text(), "the pair of the newer text")


def test_a_version_of_the_history_becomes_a_variant_by_its_menu(driven, variants):
    latest = driven.session.versions.latest.number
    menu = variants.menu_for(latest)
    next(each for each in menu.actions() if each.text() == "Keep as a variant").trigger()
    assert variants.rows[0].number == latest
    menu = variants.menu_for(latest)
    next(each for each in menu.actions() if each.text() == "Compare times with it").trigger()
    assert driven.session.versions.baseline.number == latest
    next(each for each in menu.actions() if each.text() == "Unpin").trigger()
    assert driven.session.versions.baseline is None


def test_a_document_s_versions_outlive_the_window(driven, variants, tmp_path):
    window, session = driven.window, driven.session
    file = tmp_path / "shader.frag"
    file.write_text(CHEAP)
    writer = BackgroundWriter()
    kept = KeptVersions(
        tmp_path / "kept", writer, session.versions, window.documents, session.bridge, window
    )
    driven.editor.set_unmodified()
    window.documents.open(file)
    driven.complete()
    driven.wait(lambda: kept._read, "the history to be looked for")
    session.versions.pin("first")
    driven.edit(LONGER)
    driven.complete()
    driven.wait(lambda: len(session.versions.all) == 2, "two versions")
    assert writer.flush()
    (path,) = (tmp_path / "kept").iterdir()
    assert [(each.name, each.text) for each in decode(path.read_bytes())] == [
        ("first", CHEAP),
        ("", LONGER),
    ]
    driven.show()  # another document: untitled, which has no history on the disk
    assert "first" not in [each.name for each in session.versions.all]
    window.documents.open(file)
    driven.complete()
    driven.wait(lambda: len(session.versions.all) == 3, "those of before, and the present one")
    assert [each.name for each in session.versions.all] == ["first", "", ""]
    assert session.versions.all[0].program is None, "only its text was kept"
    window.actions_["run.compare"].trigger()
    comparison = window.variants.window
    comparison.tabs.setCurrentWidget(comparison.pictures)
    driven.wait(lambda: comparison.pictures.has_pair, "both pictures, the kept text's too")
    kept.deleteLater()
    writer.close()
