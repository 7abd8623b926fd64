"""Every panel with all that it can show, made by hand; `golden/test_filled.txt` has what it shows.

What a panel does is tested beside this; here a number, a mark or a margin that changes is noticed.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.app.editor.completion_popup import CompletionPopup
from shaderlab.app.editor.cost_strip import CostStrip
from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.line_costs import LineCosts
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.blocks.panel import BlocksPanel
from shaderlab.app.panels.compiled.analysers_dialog import AnalysersDialog
from shaderlab.app.panels.compiled.panel import Baseline, CompiledPanel
from shaderlab.app.panels.compiled.statistics import FamilyFigures
from shaderlab.app.panels.flow.graph import Graph, Node
from shaderlab.app.panels.flow.panel import FlowPanel
from shaderlab.app.panels.frame.heat_view import HeatView as FrameHeatView
from shaderlab.app.panels.frame.panel import FramePanel
from shaderlab.app.panels.frame.rows import DrawRow, TargetRow
from shaderlab.app.panels.hot_lines.panel import HotLinesPanel
from shaderlab.app.panels.inputs.panel import InputsPanel
from shaderlab.app.panels.outline.panel import OutlinePanel
from shaderlab.app.panels.outline.rows import outline_rows
from shaderlab.app.panels.pixel.panel import PixelPanel
from shaderlab.app.panels.preview.heat_legend import HeatLegend
from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.panels.preview.timeline import Timeline
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.panels.profile.calibrate_dialog import CalibrateDialog
from shaderlab.app.panels.profile.panel import PASSES, ProfilePanel
from shaderlab.app.panels.samples.panel import SamplesPanel
from shaderlab.app.panels.samples.review_dialog import ReviewDialog
from shaderlab.app.panels.studies.panel import StudiesPanel
from shaderlab.app.panels.studies.rows import Knob
from shaderlab.app.panels.targets.bars import Beside, bars_of
from shaderlab.app.panels.targets.headline import TargetHeadline
from shaderlab.app.panels.targets.moments import Moment
from shaderlab.app.panels.targets.moments_curve import MomentsCurve
from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.panels.targets.run_dialog import RunDialog
from shaderlab.app.panels.variants.panel import VariantsPanel
from shaderlab.app.panels.variants.picture_comparison import PictureComparison
from shaderlab.app.panels.variants.rows import curves, variant_rows
from shaderlab.app.panels.variants.text_comparison import TextComparison
from shaderlab.app.qt import QAction, QApplication, QPoint, QPointF, Qt, QWidget
from shaderlab.app.session.compared_pictures import PicturePair
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.settings import Settings
from shaderlab.app.shell.limits_page import LimitsPage
from shaderlab.app.shell.settings_dialog import SettingsDialog
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.isa_text import IsaLine
from shaderlab.app.widgets.isa_view import IsaView
from shaderlab.app.widgets.notifications import Action, NotificationBar, NotificationCentre
from shaderlab.app.widgets.theme import DARK
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.language.completion import Completion
from shaderlab.prediction.catalogue.pair_tables import CURVE, MethodLine, PairTable, RankedFeature
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares
from shaderlab.samples.statistics import statistics
from shaderlab.spirv.heat import HeatKind
from shaderlab.spirv.passes.recording import Event
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace
from shaderlab.studies.occupancy import Occupancy, Occupied
from shaderlab.studies.pictures import difference
from shaderlab.studies.scaling import clock_study
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind
from shaderlab.workers.samples import Listing
from tests.unit.app.panels.compiled.test_statistics import CODE, COST, ISA, NAVI23, STATS
from tests.unit.app.panels.hot_lines.test_panel import NAMES, SLOW
from tests.unit.app.panels.inputs.test_panel import PROVIDED, ROWS
from tests.unit.app.panels.outline.test_outline_rows import PARTS
from tests.unit.app.panels.pixel.test_rows import values
from tests.unit.app.panels.preview.test_heat_overlay import layer_of
from tests.unit.app.panels.profile.test_figures import measurement
from tests.unit.app.panels.profile.test_passes_view import PROFILE
from tests.unit.app.panels.samples.test_panel import ONE
from tests.unit.app.panels.samples.test_review_dialog import ID, LISTING, REVIEW
from tests.unit.app.panels.studies.test_explore_view import EVERY, SPACE
from tests.unit.app.panels.studies.test_rows import made as sweep_made
from tests.unit.app.panels.targets.test_panel import forecast
from tests.unit.app.panels.variants.test_rows import version
from tests.unit.samples.builders import sample


@pytest.fixture
def theme():
    return DARK


@pytest.mark.parametrize("width", [640, 460])
def test_blocks(shown, theme, width):
    panel = BlocksPanel(theme)
    shown(panel, 900, 220)
    lines = (SourceLine("", 3), SourceLine("", 4), SourceLine("noise.glsl", 2))
    blocks = (
        BlockCount(1, "mainImage", 10, 16, lines, {"OpFAdd": 2, "OpReturn": 1}),
        BlockCount(1, "mainImage", 11, 160, (), {"OpBranch": 1}),
        BlockCount(2, "noise", 12, 0, lines[2:], {"OpFMul": 5}),
    )
    trace = Trace("llvmpipe", (4, 4), 1.0, 1, blocks * (9 if width < 500 else 1), 1.0)
    panel.show_trace(trace, {}, "llvmpipe")
    panel.choose(0)
    panel.table.verticalScrollBar().setValue(30)
    panel.show_trace(trace, {}, "llvmpipe")
    panel.follow_line(4 if width > 500 else 0)
    panel.set_stale("of an earlier text")
    panel.resize(width, 220)


@pytest.mark.parametrize("opened", ["statistics", "assembly", "variant"])
def test_compiled(shown, theme, qtbot, opened):
    panel = CompiledPanel(theme, QAction("Pin"), QAction("Copy"))
    shown(panel, 760, 420)
    panel.show_families([NAVI23], {"intel": "no such driver"}, ["navi23"])
    narrow = (
        replace(CODE, name="SIMD8", subgroup_size=8),
        replace(CODE, name="SIMD16", subgroup_size=16, assembly=""),
    )
    stats = replace(STATS, executables=(*narrow, replace(STATS.chosen, assembly=ISA)))
    now, then = FamilyFigures(NAVI23, stats, COST), FamilyFigures(NAVI23, STATS)
    (other,) = named("navi31")
    panel.show_figures([now, replace(now, family=other)], [], [])
    QApplication.processEvents()
    panel.show_figures([now], [Baseline("first", {"navi23": then})], ["A note."])
    panel.follow_line(3)
    if opened != "statistics":
        panel.to_assembly.click()
    if opened == "variant":
        qtbot.keyClick(panel.variant, Qt.Key.Key_Up)
        qtbot.keyClick(panel.variant, Qt.Key.Key_Up)


@pytest.mark.parametrize("height", [420, 300])
def test_flow(shown, theme, qtbot, height):
    panel = FlowPanel(theme)
    shown(panel, 640, height)
    nodes = (
        Node(10, (1, 2), 4800, 0.01, 3),
        Node(11, (3,), 48000, 0.7, 9),
        Node(12, (), 0, 0.0, 1),
        Node(13, (5, 6, 8), 4800, 0.2, 4),
    )
    edges = {(0, 1): 4800, (1, 1): 43200, (1, 2): 0, (1, 3): 4800, (2, 3): None, (3, 0): 2400}
    panel.show_graphs(
        (Graph("mainImage", nodes, edges, 0.91), Graph("noise", nodes[:1], {}, 0.09)), "a frame"
    )
    panel.follow_line(3)
    panel.view.select(13)
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    panel.to_code.setChecked(True)
    lines = (IsaLine("BB0:", 0, True, 3), IsaLine("  s_endpgm", 0), IsaLine("BB1:", 1, True))
    panel.code.show_families(["navi23", "navi31"], "navi31")
    panel.code.show_spirv(lines[:2], "SPIR-V")
    panel.code.show_machine(lines, "Machine code")
    panel.code.link((10,), (0,))


def test_heat_of_a_frame(shown, theme):
    view = FrameHeatView(theme)
    shown(view, 400, 300)
    values_ = np.array([[1.0, np.nan, 4.0], [2.0, 5.0, 1.0]])
    view.show_heat(FrameHeat(FrameHeatKind.OVERDRAW, values_, 2, 3, 1, 1), "")


def test_hot_lines(shown, theme):
    panel = HotLinesPanel(theme)
    shown(panel, 600, 200)
    panel.show_forecast(SLOW, NAMES, {}, {"": "float a = 1.0;\n    a *= sin(a); // much"})
    low = HotLinesPanel(theme)
    shown(low, 600, 90)
    many = replace(SLOW, lines=LineShares(tuple(("", line, 0.02) for line in range(1, 40))))
    low.show_forecast(many, NAMES, {}, {"": "a\n" * 40})
    low.table.verticalScrollBar().setValue(5)
    low.show_forecast(many, NAMES, {}, {"": "a\n" * 40})


def test_outline(shown, theme):
    panel = OutlinePanel(theme)
    shown(panel, 420, 200)
    panel.show_rows(outline_rows(PARTS, {3: 0.6, 7: 0.25}), 4)


def test_pixel(shown, theme):
    panel = PixelPanel(theme)
    shown(panel, 520, 260)
    found = values((Event(0, (1.5,)), Event(2, (float("nan"),))), (Event(2, (float("inf"),)),))
    panel.show_values(found, "sum = f(ray.at.x); return sum;", "llvmpipe")


def test_heat_legend_and_timeline(shown, theme):
    legend = HeatLegend(theme, [QAction("Instructions"), QAction("Blocks")])
    shown(legend, 500, 60)
    legend.show_layer(layer_of([[10, 110, 1010], [510, 10, 1010]]))
    legend.set_opacity(40)
    timeline = Timeline(theme)
    shown(timeline, 500, 40)
    timeline.show_time(12.5)


def test_problems(shown, theme):
    shown(Problems(theme), 600, 40)
    panel = Problems(theme)
    shown(panel, 600, 200)
    found = [
        Diagnostic(3, 1, Severity.ERROR, "bad", "noise.glsl"),
        Diagnostic(4, 1, Severity.WARNING, "odd"),
    ]
    panel.show_state(found, "")
    panel.open(True)


@pytest.mark.parametrize("chart", [0, 1, PASSES])
def test_profile(shown, theme, chart):
    panel = ProfilePanel(theme, QAction("Profile"), QAction("Sizes"), QAction("Stop"), 10, 30)
    shown(panel, 640, 480)
    panel.show_device(
        DeviceInfo("x", "X 9000", "discrete", "driver 1", "1.3", 1, 2, "ab", "icd", 0, True)
    )
    panel.offer(QAction("Calibrate"))
    panel.show_estimate(3.21)
    panel.show_measurement(measurement(), False, (8, 30))
    sizes = ((100, 50), (200, 100), (210, 100), (400, 200))
    panel.show_sizes(
        tuple(
            measurement(
                size=size,
                trials_s=tuple(t * size[0] / 100 for t in (0.01, 0.011, 0.012)),
                rejected=(),
            )
            for size in sizes
        )
    )
    panel.show_passes(PROFILE, "of the frame")
    panel.show_chart(chart)
    panel.set_stale(chart == 1)
    panel.set_running(chart == 0)


def test_samples(shown, theme, monkeypatch):
    monkeypatch.setattr(time, "localtime", time.gmtime)
    panel = SamplesPanel(theme, QAction("Record"), QAction("Export"))
    shown(panel, 620, 300)
    panel.share_sources("MIT")
    panel.show_listing(Listing(1, 1, {"llvmpipe": 1}, (ONE,)))
    panel.show_state("Recording")


def test_statistics_of_samples(shown, theme):
    panel = SamplesPanel(theme, QAction("Record"), QAction("Export"))
    shown(panel, 620, 600)
    panel.tabs.setCurrentIndex(1)
    of_two = statistics(
        [
            sample("a"),
            sample("b"),
            replace(sample("c"), device=replace(sample("c").device, name="other")),
        ]
    )
    for found in (of_two, of_two[:1]):
        panel.statistics.show_statistics("mine", found)


def test_review_of_samples(shown, theme):
    for tab in range(2):
        dialog = ReviewDialog(LISTING, [ID], None)
        shown(dialog, 620, 420)
        dialog.ask()
        dialog.show_review(dialog.choice, REVIEW)
        dialog._tabs.setCurrentIndex(tab)


def pair_table() -> PairTable:
    curve = tuple(min(n / CURVE, 1.0) for n in range(1, CURVE + 1))
    methods = (
        MethodLine("ridge", "linear", "all", "", True, 99, 0.2, 0.1, 0.08, 0.12, 0.9, 7, curve),
        MethodLine("host", "competitor", "all", "", None, 99, 0.3, 0.2, 0.15, 0.25, 0.8, 1, curve),
        MethodLine("trees", "trees", "all", "too few shaders"),
    )
    ranking = (RankedFeature("OpFMul", 1e-5, 2e-4), RankedFeature("OpSin", 0.04, -1e-5))
    return PairTable("a", "b", 120, 40, "time", "ridge", methods, ranking)


def test_sweep_and_pairs(shown, theme):
    panel = StudiesPanel(theme)
    shown(panel, 700, 560)
    panel.sweep.offer([Knob("STEPS", "128", "8,16,32,64,128")])
    panel.sweep.offer_targets({"gpu": "GPU", "other": "Other"}, "gpu")
    panel.sweep.set_measurable(True)
    panel.sweep.show_result(sweep_made())
    panel.sweep.set_stale(True)
    panel.setCurrentWidget(panel.pairs)
    panel.pairs.name_devices({"a": "Device A", "b": "Device B"})
    panel.pairs.offer([("a", "b"), ("b", "a")])
    panel.pairs.show_result(pair_table())
    panel.pairs.table.selectRow(1)


def test_targets(shown, theme):
    slow = forecast("slow", 5e-3, "Outside the training data: so there.")
    for width, height in ((600, 300), (300, 160)):
        panel = TargetsPanel(theme, QAction("Pin"), QAction("Unpin"), "slow")
        shown(panel, width, height)
        panel.show_forecasts([forecast("fast", 1e-3), slow], {}, "frame")
        panel.set_pinned("first", {("slow", "additive", "written"): 4e-3})
        panel.set_age("", {"slow": Form.COMPILED})
    for dialog in (
        RunDialog(CountedRun((640, 480), 3.0), panel),
        CalibrateDialog("x", "X 9000", frozenset({"x"}), True, theme),
    ):
        shown(dialog, 420, 320)


def test_inputs(shown, theme):
    panel = InputsPanel(theme)
    shown(panel, 620, 420)
    panel.show_rows(ROWS, PROVIDED)


@pytest.mark.parametrize("page", [0, 1])
def test_a_frame(shown, theme, page):
    panel = FramePanel(theme)
    shown(panel, 900, 420)
    draws = (DrawRow(7, "vkCmdDraw()", "main"), DrawRow(9, "draw", "b.frag"))
    panel.show_frame(draws, {7: 0, 9: 1})
    panel.show_pictures({n: np.full((8, 8, 4), 20 * n, np.uint8) for n in (7, 9)})
    panel.follow(7)
    rows = (TargetRow("a", "GeForce RTX 3060", 6e-4, 5e-4, 8e-4, ">", "+3 %", "-2 %", "odd"),)
    panel.show_targets(rows, {"a": "GeForce RTX 3060", "b": "Other"}, "b")
    panel.show_pin(is_pinned=True, can_pin=True)
    panel.pages.setCurrentIndex(page)
    panel.say("Frame: 647 \u00b5s", "2 of 9 read", running=True)


@pytest.mark.parametrize("kind", HeatKind)
def test_preview(shown, theme, kind):
    panel = Preview(theme, *(QAction(each) for each in ("Play", "Restart", "Heat")), [])
    shown(panel, 520, 360)
    panel.show_picture(np.full((9, 16, 4), 90, np.uint8), True)
    panel.show_time(12.5)
    panel.show_rates(59.7, 0.0123)
    panel.show_size("640x360", (640, 360))
    panel.picture.set_mark("stale")
    panel.picture.set_marked((3, 4))
    panel.picture.set_heat(True, layer_of(np.arange(144).reshape(9, 16) / 144, kind))
    panel.picture.zoom_to(2.0)
    panel.heat_legend.show()
    panel.picture._point(QPointF(200, 90))


def test_sweep(shown, theme):
    panel = StudiesPanel(theme)
    shown(panel, 700, 560)
    knobs = [Knob("STEPS", "128", "8,16,32,64,128"), Knob("SIZE", "2", "1,2,4")]
    panel.sweep.offer(knobs)
    panel.sweep.names.setCurrentIndex(1)
    panel.sweep.offer([*knobs, Knob("MORE", "1", "1,2")])
    panel.sweep.offer_targets({"gpu": "GPU", "other": "Other"}, "gpu")
    panel.sweep.show_result(sweep_made())


def test_every_product(shown, theme):
    panel = StudiesPanel(theme)
    shown(panel, 700, 560)
    panel.explore.show_result(EVERY)
    panel.setCurrentWidget(panel.explore)


def test_chips_and_local_sizes(shown, theme):
    for study in ("explore", "occupancy"):
        panel = StudiesPanel(theme)
        shown(panel, 700, 560)
        panel.explore.offer({"navi23": "Navi 23"}, "navi23")
        panel.explore.show_result(SPACE)
        rows = (
            Occupied((64, 1, 1), "navi23", 64, 1, 32, 0, 16.0, 16, 0),
            Occupied((256, 1, 1), "navi23", 64, 4, 96, 4096, 8.0, 16, 3),
            Occupied((1024, 1, 1), "navi23", 64, 16, None, None, None, None, None),
        )
        panel.occupancy.show_result(Occupancy("navi23", rows, {"512x1x1": "refused."}, "Note."))
        panel.setCurrentWidget(getattr(panel, study))
        getattr(panel, study).begin("again")


def test_scaling(shown, theme):
    clocks = clock_study({900.0: 2e-3, 1200.0: 1.6e-3, 1800.0: 1.2e-3}, (1500.0, 9000.0), "samples")
    panel = StudiesPanel(theme)
    shown(panel, 700, 560)
    panel.setCurrentWidget(panel.scale)
    panel.scale.over.setCurrentIndex(1)
    panel.scale.show_result(clocks)


def test_targets_headline(shown, theme):
    key = ("slow", "additive", "written")
    (bar,) = bars_of([forecast("slow", 5e-3, "Odd.")], {}, Beside({key: 6e-3}, {key: 4e-3}))
    headline = TargetHeadline(theme, QAction("Pin"), QAction("Unpin"))
    shown(headline, 420, 90)
    headline.show_bar(bar, "first", "additive")
    curve = MomentsCurve(theme)
    shown(curve, 420, 160)
    curve.show_moments(
        [
            Moment(0.0, 1e-3, 5e-4, 2e-3),
            Moment(5.0, 3e-3, 2e-3, 5e-3),
            Moment(9.0, 2e-3, 1e-3, 4e-3),
        ],
        4e-3,
    )


@pytest.mark.parametrize("count", [1, 2, 4])
def test_variants(shown, theme, count):
    found = [
        version(1, "first", written=4.0, compiled=2.0),
        version(2, written=3.0),
        version(3, "third", written=2.0, compiled=1.0),
        version(4, written=2.5, compiled=1.4),
    ][:count]
    panel = VariantsPanel(theme, QAction("Pin"))
    shown(panel, 720, 220)
    numbers = [each.number for each in found]
    rows = variant_rows(found, "gpu", baseline=1)
    panel.show_versions(rows, numbers, curves(found), ("gpu", "GPU"), dict.fromkeys(numbers, "now"))


def test_texts_compared(shown, theme, qtbot):
    for beside in (False, True):
        view = TextComparison(theme)
        shown(view, 760, 300)
        old = "a\nfloat x = 1.0;\nb\nc\n" + "same\n" * 20
        new = old.replace("1.0", "2.5").replace("c\n", "new\nc\n")
        view.beside.setChecked(beside)
        view.show_texts(old, new, {2: 0.1, 4: 0.3}, {2: 0.2, 4: 0.1, 5: 0.3}, 0.6, True)
        qtbot.waitUntil(lambda view=view: not view.is_busy)


@pytest.mark.parametrize("kind", range(4))
def test_pictures_compared(shown, theme, kind):
    view = PictureComparison(theme)
    shown(view, 420, 260)
    then, now = (np.full((9, 16, 4), shade, np.uint8) for shade in (40, 60))
    now[2:5, 3:9] = 200, 20, 90, 255
    flip = np.linspace(0, 1, 144, dtype=np.float32).reshape(9, 16)
    view.show_pair(PicturePair(then, now, True, 1.0, difference(then, now), flip), ("was", "is"))
    view.kind.setCurrentIndex(kind)


def test_parts_of_the_window(shown, theme):
    window = QWidget()
    shown(window, 700, 500)
    entries = [Entry("a", "File: Save as", "Ctrl+S"), Entry("b", "Run: Start", "")]
    shown(LimitsPage(Settings()), 420, 400)
    shown(SettingsDialog(Settings(font_points=13.5), theme, window), 520, 420)
    code = IsaView(theme)
    shown(code, 300, 200)
    code.show_lines([IsaLine(f"BB{n}:", n, True, n % 6) for n in range(40)])
    code.link((30,))
    palette = CommandPalette(entries, "Type a command", window)
    palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    shown(palette, 420, 200)


def test_external_analysers(shown, theme, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    parent = QWidget()
    shown(parent, 100, 100)
    shown(AnalysersDialog(Settings(malioc_path="/nowhere/malioc"), parent), 560, 300)


@pytest.mark.parametrize("action", [None, Action("Try again", lambda: None)])
def test_a_notice(shown, theme, action):
    window = QWidget()
    shown(window, 700, 120)
    anchor = QWidget(window)
    anchor.setGeometry(0, 0, 700, 32)
    centre = NotificationCentre(window)
    NotificationBar(centre, theme, window, anchor)
    for _ in range(2):
        centre.say("warning", "Settings will not be saved.", action)


def test_beside_the_editor(shown, theme):
    editor = Editor(theme)
    shown(editor, 300, 200)
    editor.set_text("float sum = a + sum;\n" * 40)
    strip = CostStrip(editor, theme)
    shown(strip, strip.width(), 200)
    strip.show_costs(LineCosts({2: 1, 20: 5, 31: 3}))
    bar = FindBar(editor, theme)
    shown(bar, 560, 70)
    bar.open_bar(replacing=True)
    bar.pattern.setText("sum")
    bar.replacement.setText("sum")
    bar.replace()
    popup = CompletionPopup(editor)
    shown(popup, 300, 100)
    found = [Completion("origin", "member", "vec3"), Completion("sin", "function", "", "The sine.")]
    popup.offer(found, QPoint(10, 10), 20)
