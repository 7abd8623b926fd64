"""Choosing among all GPUs there are forecasts for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from shaderlab.app.panels.targets.targets_dialog import EVIDENCE, NAME, TargetsDialog
from shaderlab.prediction.catalogue.targets import installed


@pytest.fixture
def parent(qtbot):
    made = QWidget()
    made.resize(800, 700)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def dialog(parent):
    made = TargetsDialog(installed(wanted=["all"]), {"rtx3060", "llvmpipe"}, parent)
    made.open()
    return made


def shown(dialog) -> dict[str, list[str]]:
    tops = [dialog.tree.topLevelItem(n) for n in range(dialog.tree.topLevelItemCount())]
    return {
        top.text(NAME): [top.child(n).text(NAME) for n in range(top.childCount())] for top in tops
    }


def test_vendors_group_all_gpus_and_a_search_narrows_them(dialog, qtbot):
    every = shown(dialog)
    assert {"NVIDIA", "AMD", "Intel"} <= every.keys()
    assert len(every["NVIDIA"]) > 40
    qtbot.keyClicks(dialog.line, "amd 2025")
    assert shown(dialog).keys() == {"AMD"}
    assert "Radeon RX 9070 XT" in shown(dialog)["AMD"]
    dialog.line.clear()
    dialog.grouping.setCurrentText("By year")
    years = [name for name in shown(dialog) if name.isdecimal()]
    assert years == sorted(years, reverse=True)
    assert "GeForce RTX 4070" in shown(dialog)["2023"]


def test_what_a_time_rests_on_is_one_word_for_each(dialog):
    words = {}
    for n in range(dialog.tree.topLevelItemCount()):
        top = dialog.tree.topLevelItem(n)
        for k in range(top.childCount()):
            words[top.child(k).text(NAME)] = top.child(k).text(EVIDENCE)
    assert words["GeForce RTX 3060"] == "measured"
    assert words["GeForce GTX 1660 Ti"] == "distribution"
    assert words["GeForce RTX 4070"] == "law"
    assert words["Radeon RX 9070 XT"] == "untested"


def test_ticks_survive_a_search_and_are_handed_over_with_ok(dialog, qtbot):
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    qtbot.keyClicks(dialog.line, "steam deck oled")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    dialog.line.clear()
    assert dialog.count.text().startswith("3 of ")
    with qtbot.waitSignal(dialog.agreed) as agreed:
        ok.click()
    assert agreed.args == [frozenset({"rtx3060", "llvmpipe", "steamdeck-oled"})]


def test_one_gpu_at_least_stays_listed(dialog, qtbot):
    for name in ("rtx 3060", "llvmpipe"):
        dialog.line.clear()
        qtbot.keyClicks(dialog.line, name)
        row = dialog.tree.topLevelItem(0).child(0)
        row.setCheckState(NAME, Qt.CheckState.Unchecked)
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
