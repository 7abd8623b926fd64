"""The form for external analysers."""

import pytest

from shaderlab.app.panels.compiled.analysers_dialog import AnalysersDialog
from shaderlab.app.qt import QtWidgets
from shaderlab.app.settings import Settings


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """A program called malioc, in a folder of its own; PATH holds none."""
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    path = tmp_path / "bin" / "malioc"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def parent(qtbot):
    made = QtWidgets.QWidget()
    qtbot.addWidget(made)
    return made


def test_each_tool_is_said_to_be_found_or_not(tool, parent, monkeypatch):
    dialog = AnalysersDialog(Settings(), parent)
    assert dialog.state("malioc") == dialog.state("rga") == "Not found on PATH"
    dialog.set_path("malioc", str(tool))
    assert dialog.state("malioc") == "Found"
    monkeypatch.setenv("PATH", str(tool.parent))
    dialog.set_path("malioc", "")
    assert dialog.state("malioc") == f"Found: {tool}"


def test_what_was_chosen_is_kept(tool, parent, qtbot):
    settings = Settings()
    dialog = AnalysersDialog(settings, parent)
    dialog.set_path("malioc", f" {tool} ")
    dialog.set_core("Mali-G57 ")
    with qtbot.waitSignal(dialog.changed):
        dialog.accept()
    assert settings == Settings(malioc_path=str(tool), malioc_core="Mali-G57")


def test_a_path_that_is_no_program_cannot_be_accepted(tool, parent):
    dialog = AnalysersDialog(Settings(rga_path=str(tool.parent / "rga")), parent)
    assert dialog.state("rga") == "Not an executable program"
    assert not dialog.usable
    dialog.set_path("rga", "")
    assert dialog.usable
