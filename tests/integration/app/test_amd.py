"""The GPU compilers panel on the real window, with RADV's null devices."""

import json
import os
import sys

import pytest

from shaderlab.app.panels.compiled.analysers_dialog import AnalysersDialog
from shaderlab.app.qt import QApplication, Qt
from shaderlab.errors import NoVulkan, UnsupportedShader
from shaderlab.gpu.radv import discovery
from tests.radv import last_form, needs_radv_listing
from tests.unit.frontend.test_analysers import later_report

from .conftest import CHEAP

LONGER = CHEAP.replace("i < 3", "i < 40 + int(fragCoord.x / 50.0)").replace(
    "/ 3.0", "* sin(fragCoord.y * float(i))"
)
"""With a loop that no compiler unrolls."""


@pytest.fixture
def amd(driven):
    """The window with the panel in view, and everything there for two families."""
    if discovery.radv_manifest() is None:
        pytest.skip("RADV is not installed")
    driven.window.show()
    driven.session.compiled.choose(["navi23", "polaris10"])
    driven.show()
    driven.window.actions_["view.compiled"].trigger()
    settle(driven)
    yield driven
    driven.window.actions_["run.unpin"].trigger()
    driven.window.compiled_panel.to_statistics.click()
    driven.window.compiled_panel.pattern.clear()
    driven.window.layout_.show_tab(driven.window.targets_panel)


def settle(driven) -> None:
    """Wait until the panel is about the text as it stands, times and all."""
    jobs, session = driven.session.compiled, driven.session

    def ready() -> bool:
        made = jobs.current
        return (
            session.complete
            and made is not None
            and made.program.digest == session.program.digest
            and not made.lacks(f.slug for f in jobs.on_screen)
            and not jobs.busy
        )

    driven.wait(ready, "AMD statistics and costs")


def cell(driven, name: str, slug: str) -> str:
    model = driven.window.compiled_panel.table.figures
    rows = [model.headerData(n, Qt.Orientation.Vertical) for n in range(model.rowCount())]
    slugs = [f.family.slug for f in model.figures]
    return model.data(model.index(rows.index(name), slugs.index(slug)))


@needs_radv_listing
def test_statistics_and_times_of_the_families_on_screen(amd):
    panel = amd.window.compiled_panel
    assert [f.family.slug for f in panel.table.figures.figures] == ["navi23", "polaris10"]
    assert int(cell(amd, "Instructions", "navi23")) == (
        amd.session.compiled.current.stats["navi23"].common.instructions
    )
    assert cell(amd, "Frame time", "navi23").endswith("s")
    panel.choose("navi23")
    assert "on Radeon RX 6600 XT" in panel.details
    assert "counted on" in panel.details


def test_what_counts_yields_to_the_preview_and_compilers_do_not(amd):
    crew = amd.session.engine.crew
    pids = crew.families(()).pids
    assert len(pids) == len(amd.session.compiled.on_screen), "only families on screen have one"
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert {os.getpriority(os.PRIO_PROCESS, pid) for pid in pids} == {own}
    assert os.getpriority(os.PRIO_PROCESS, crew._counting.pid) > own


def test_a_keystroke_tells_what_changed_since_the_last_version_and_the_pinned_one(amd):
    jobs, panel, window = amd.session.compiled, amd.window.compiled_panel, amd.window
    # What is edited before its last trace came has no times to compare that one's with.
    last = f"additive-{last_form()}"
    amd.wait(lambda: last in {each.method for each in amd.session.forecasts}, "all traces")
    window.actions_["run.pin"].trigger()
    pinned = jobs.pinned.stats["navi23"]
    assert window.actions_["run.unpin"].isEnabled()
    amd.edit(LONGER)
    settle(amd)
    assert jobs.current.stats["navi23"].common.code_bytes != pinned.common.code_bytes
    assert jobs.before["navi23"] == pinned
    assert panel.baseline.currentText().startswith("pinned: untitled")
    columns = range(panel.table.figures.columnCount())
    assert all(not panel.table.figures.change(0, column).good for column in columns)
    bars = window.targets_panel.bars
    assert all(bar.pinned_s for bar in bars)
    assert any(bar.since_pinned.slower for bar in bars)
    assert window.session.versions.baseline.name in window.targets_panel.caption
    window.actions_["run.unpin"].trigger()
    assert not any(bar.pinned_s for bar in window.targets_panel.bars)
    assert panel.baseline.count() == 1


def test_another_family_is_compiled_for_the_pinned_variant_too(amd):
    amd.window.actions_["run.pin"].trigger()
    amd.edit(LONGER)
    amd.session.compiled.choose(["navi23", "vega10"])
    settle(amd)
    amd.wait(lambda: "vega10" in amd.session.compiled.pinned.stats, "the pinned variant")
    assert cell(amd, "Code size", "vega10") != ""


@needs_radv_listing
def test_code_is_searched_and_knows_its_source_lines(amd):
    panel = amd.window.compiled_panel
    amd.edit(LONGER)
    settle(amd)
    panel.choose("navi23")
    panel.to_assembly.click()
    panel.pattern.setText("S_CBRANCH")
    assert panel.isa.found == panel.isa.toPlainText().count("s_cbranch") > 0
    assert panel.isa.textCursor().selectedText() == "s_cbranch", "the first is in view"
    panel.isa.find_next()
    assert panel.isa.textCursor().selectedText() == "s_cbranch"
    amd.editor.go_to(5, 1)
    amd.wait(lambda: panel.isa.linked, "the blocks of line 5")
    loop = panel.isa.linked
    amd.editor.go_to(7, 1)
    amd.wait(lambda: panel.isa.linked != loop, "the blocks of line 7")
    assert panel.isa.linked
    labels = [line.text for line in panel.isa.lines if line.block in loop and line.label]
    assert any("in a loop" in text and "line" in text for text in labels)


def test_the_command_that_reproduces_it_is_copied_for_files(amd, tmp_path):
    path = tmp_path / "my shader.frag"
    path.write_text(CHEAP)
    amd.editor.set_unmodified()
    assert amd.window.documents.open(path)
    settle(amd)
    amd.window.compiled_panel.choose("polaris10")
    amd.window.actions_["run.copy_command"].trigger()
    text = QApplication.clipboard().text()
    assert text == f"shaderlab compiled '{path}' --target polaris10 --counts --isa"


def test_a_family_that_refuses_the_shader_says_so_and_the_others_go_on(amd, monkeypatch):
    panel = amd.window.compiled_panel
    workers = amd.session.engine.crew.families(())
    compile_ = workers.compile

    def refusing(program, slugs):
        requests = compile_(program, slugs)
        if "navi23" in requests:
            failed = type(requests["navi23"])()
            failed.set_exception(UnsupportedShader("navi23 does not take it"))
            requests["navi23"] = failed
        return requests

    monkeypatch.setattr(workers, "compile", refusing)
    amd.edit(LONGER.replace("40 +", "41 +"))
    settle(amd)
    assert cell(amd, "Frame time", "navi23") == "failed"
    assert cell(amd, "Instructions", "polaris10").isdecimal()
    panel.choose("navi23")
    assert "navi23 does not take it" in panel.details


def test_an_analyser_chosen_in_the_settings_speaks_below_the_statistics(amd, tmp_path):
    """A program that answers as malioc does: what it says appears, and goes with it."""
    tool = tmp_path / "malioc"
    tool.write_text(f"#!{sys.executable}\nprint({json.dumps(later_report())!r})\n")
    tool.chmod(0o755)
    window = amd.window
    window.actions_["run.analysers"].trigger()
    dialog = window.findChild(AnalysersDialog)
    dialog.set_path("malioc", str(tool))
    dialog.accept()
    assert window.settings.malioc_path == str(tool)
    told = "Mali-G78 (malioc 8.8.1): longest path arith_total 2.5"
    amd.wait(lambda: told in window.compiled_panel.details, "the analyser's figures")
    window.settings.malioc_path = ""
    window.compiled._set_analysers()
    amd.wait(lambda: told not in window.compiled_panel.details, "the figures gone")
    settle(amd)


def test_a_vendor_whose_compiler_is_missing_says_in_the_menu_how_to_get_it(amd):
    panel = amd.window.compiled_panel
    menus = {entry.text().split()[0]: entry.menu() for entry in panel._menu.actions()}
    assert set(menus) >= {"AMD", "Intel", "NVIDIA", "Qualcomm", "Arm"}
    (missing,) = menus["Intel"].actions()
    assert not missing.isEnabled()
    assert "shaderlab compilers build" in missing.text()
    chosen = [entry.text().split()[0] for entry in menus["AMD"].actions() if entry.isChecked()]
    assert set(chosen) == {"navi23", "polaris10"}
    vega = next(e for e in menus["AMD"].actions() if e.text().startswith("vega10"))
    vega.trigger()
    settle(amd)
    assert "vega10" in [f.family.slug for f in panel.table.figures.figures]


def test_without_radv_the_panel_says_what_is_missing(amd):
    jobs, panel = amd.session.compiled, amd.window.compiled_panel
    jobs._found.error = NoVulkan(f"AMD targets need RADV; {discovery.INSTALL}")
    jobs.changed.emit()
    assert "No GPU compiler on this machine" in panel.empty.text
    assert "apt install mesa-vulkan-drivers" in panel.empty.text
    assert panel.empty.isVisible()
    jobs.retry()
    amd.wait(lambda: not panel.empty.isVisible(), "what was there")
