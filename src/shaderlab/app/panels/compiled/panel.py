"""What vendors' compilers make of the program, for GPUs that are not here: statistics and code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from shaderlab.app.panels.compiled.statistics import FamilyFigures, own_statistics, time_details
from shaderlab.app.panels.compiled.table import CompiledTable
from shaderlab.app.qt import QAction, Qt, QtGui, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import isa_text
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.flow_layout import FlowLayout
from shaderlab.app.widgets.isa_view import IsaView
from shaderlab.app.widgets.theme import Theme
from shaderlab.gpu.compilers.vendors import VENDORS

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import Executable
    from shaderlab.gpu.compilers.families import Family
    from shaderlab.gpu.radv.cost import FrameCost


@dataclass(frozen=True)
class Baseline:
    """Something to compare with: figures by family."""

    name: str
    figures: Mapping[str, FamilyFigures]


class CompiledPanel(QWidget):
    """Two pages, statistics and assembly, of the families chosen in the menu."""

    shown = Signal(bool)
    """Whether the panel has come into or gone out of sight."""
    families_chosen = Signal(list)
    """Slugs."""
    lines_chosen = Signal(tuple)
    """Lines of the document of the machine block chosen in the assembly."""

    def __init__(self, theme: Theme, pin: QAction, copy_command: QAction):
        super().__init__()
        self._theme = theme
        self._code: tuple[Executable, FrameCost | None] | None = None
        """What the assembly on screen is of."""
        self._figures: tuple[FamilyFigures, ...] = ()
        self._baselines: tuple[Baseline, ...] = ()
        self._chosen, self._line = "", 0
        self._entries: dict[str, QAction] = {}
        """Of the menu, by slug of the family."""
        self._notes: tuple[str, ...] = ()
        self.empty = EmptyState(theme)
        self.table = CompiledTable(theme)
        self.isa = IsaView(theme)
        self._details = QtWidgets.QLabel()
        self._details.setWordWrap(True)
        self._details.setTextFormat(Qt.TextFormat.RichText)
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details.setContentsMargins(10, 5, 10, 5)
        self._details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = QtWidgets.QScrollArea()
        self._scroll.setWidget(self._details)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self._scroll.setProperty("role", "strip")
        statistics = QWidget()
        column = vertical(statistics)
        column.addWidget(self.table, 3)
        column.addWidget(self._scroll, 1)  # and the room the table has no rows for
        self._pages = QtWidgets.QStackedWidget()
        for page in (self.empty, statistics, self.isa):
            self._pages.addWidget(page)
        layout = vertical(self)
        layout.addWidget(self._strip(pin, copy_command))
        layout.addWidget(self._pages, 1)
        self.table.family_chosen.connect(self.choose)
        self.isa.block_chosen.connect(self._on_block)
        self.set_theme(theme)

    def _strip(self, pin: QAction, copy_command: QAction) -> QWidget:
        strip = QWidget()
        row = FlowLayout(spacing=3)
        strip.setLayout(row)
        row.setContentsMargins(6, 3, 6, 3)
        self.to_statistics, self.to_assembly = QtWidgets.QToolButton(), QtWidgets.QToolButton()
        group = QtWidgets.QButtonGroup(self)
        for button, text in (
            (self.to_statistics, "Statistics"),
            (self.to_assembly, "Assembly"),
        ):
            button.setText(text)
            button.setCheckable(True)
            group.addButton(button)
            button.clicked.connect(self._show_page)
            row.addWidget(button)
        self.to_statistics.setChecked(True)
        self._menu = QtWidgets.QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._choice = QtWidgets.QToolButton()
        self._choice.setText("Families")
        self._choice.setToolTip("GPU families to show")
        self._choice.setMenu(self._menu)
        self._choice.setProperty("role", "push")
        self._choice.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        row.addWidget(self._choice)
        self.baseline = QtWidgets.QComboBox()
        self.baseline.setToolTip("What changes are compared with")
        self.baseline.setSizeAdjustPolicy(
            QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.baseline.setMinimumContentsLength(14)
        self.baseline.currentIndexChanged.connect(self._draw)
        self.family = QtWidgets.QComboBox()
        self.family.setToolTip("GPU family whose code is shown")
        self.family.activated.connect(lambda index: self.choose(self.family.itemText(index)))
        self.variant = QtWidgets.QComboBox()
        self.variant.setToolTip("Stage, or variant of the code for a SIMD width")
        self.variant.activated.connect(self._draw)
        self.pattern = QtWidgets.QLineEdit()
        self.pattern.setPlaceholderText("Find in the code")
        self.pattern.textChanged.connect(self._on_pattern)
        self.pattern.returnPressed.connect(self.isa.find_next)
        self._found = QtWidgets.QLabel()
        self._found.setProperty("role", "dim")
        row.addWidget(self.family)
        row.addWidget(self.variant)
        row.addWidget(self.pattern)
        row.addWidget(self._found)
        row.addWidget(self.baseline)
        for action, text in ((pin, "Pin"), (copy_command, "Copy")):
            button = QtWidgets.QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setText(text)
            row.addWidget(button)
        QtGui.QShortcut(
            QtGui.QKeySequence(Qt.Key.Key_Escape),
            self.pattern,
            self.pattern.clear,
            context=Qt.ShortcutContext.WidgetShortcut,
        )
        self._controls = strip
        return strip

    # -- what to show -----------------------------------------------------------------------

    def show_families(
        self, available: Sequence[Family], problems: Mapping[str, str], chosen: Sequence[str]
    ) -> None:
        """Fill the menu of families, by vendor; `problems`: why a family or vendor is missing."""
        if [*self._entries] != [family.slug for family in available]:
            self._menu.clear()
            self._entries.clear()
            for vendor in VENDORS.values():
                there = [family for family in available if family.vendor.slug == vendor.slug]
                menu = self._menu.addMenu(f"{vendor.name}  \u2013  {vendor.driver}")
                menu.setToolTipsVisible(True)
                menu.menuAction().setToolTip(vendor.standing)
                if not there:
                    why = problems.get(vendor.slug) or f"{vendor.driver} supports no GPU here"
                    menu.addAction(why).setEnabled(False)
                for family in there:
                    entry = menu.addAction(f"{family.slug}  \u2013  {family.name}")
                    entry.setCheckable(True)
                    entry.setToolTip("\n".join(f"{p.name}: {p.source}" for p in family.products))
                    entry.triggered.connect(self._on_family)
                    self._entries[family.slug] = entry
        for slug, entry in self._entries.items():
            entry.setChecked(slug in chosen)

    def show_figures(
        self,
        figures: Sequence[FamilyFigures],
        baselines: Sequence[Baseline],
        notes: Sequence[str],
    ) -> None:
        """Replace all; `notes` are sentences for under the table.

        A baseline that was not there before is chosen.
        """
        self._figures, self._notes = tuple(figures), tuple(notes)
        names = [baseline.name for baseline in baselines]
        if names != [baseline.name for baseline in self._baselines]:
            self.baseline.blockSignals(True)
            self.baseline.clear()
            self.baseline.addItems(names)
            self.baseline.setCurrentIndex(len(names) - 1)
            self.baseline.blockSignals(False)
        self._baselines = tuple(baselines)
        slugs = [f.family.slug for f in figures]
        if [self.family.itemText(n) for n in range(self.family.count())] != slugs:
            self.family.clear()
            self.family.addItems(slugs)
        if self._chosen not in slugs:
            self._chosen = slugs[0] if slugs else ""
        self._controls.setEnabled(True)
        self._show_page()

    def show_empty(self, *, usable: bool = True) -> None:
        """Show what `empty` says; not `usable` where there is no compiler."""
        self._figures = ()
        self._controls.setEnabled(usable)
        self._show_page()

    def follow_line(self, line: int) -> None:
        """Mark the machine blocks of this line of the document."""
        self._line = line
        figures = self.chosen
        if figures is not None:
            self.isa.link(isa_text.blocks_of_line(figures.cost, line))

    def choose(self, slug: str) -> None:
        """Show this family's details and code."""
        self._chosen = slug
        self._draw()

    @property
    def chosen(self) -> FamilyFigures | None:
        return next((f for f in self._figures if f.family.slug == self._chosen), None)

    @property
    def details(self) -> str:
        return self._details.text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        self.table.set_theme(theme)
        self.isa.set_theme(theme)
        self._scroll.setMinimumHeight(self.fontMetrics().height() * 3 + 8)
        self._draw()

    # -- drawing ----------------------------------------------------------------------------

    def _show_page(self) -> None:
        assembly = self.to_assembly.isChecked()
        for widget in (self.family, self.pattern, self._found):
            widget.setVisible(assembly)
        self.variant.setVisible(False)
        self.baseline.setVisible(not assembly)
        self._pages.setCurrentIndex(0 if not self._figures else 2 if assembly else 1)
        self._draw()

    def _draw(self) -> None:
        if not self._figures:
            return
        index = max(self.baseline.currentIndex(), 0)
        against = self._baselines[index] if index < len(self._baselines) else Baseline("", {})
        then = [against.figures.get(f.family.slug, FamilyFigures(f.family)) for f in self._figures]
        self.table.show_figures(self._figures, then, against.name, self._chosen)
        self.family.setCurrentText(self._chosen)
        figures = self.chosen
        if figures is None:
            return
        self._details.setText(self._details_html(figures))
        if self.to_assembly.isChecked() and self.isVisible():  # thousands of lines are not free
            self._show_code(figures)

    def _show_code(self, figures: FamilyFigures) -> None:
        stats = figures.stats
        variants = stats.executables if stats else ()
        names = [each.name for each in variants]
        if [self.variant.itemText(n) for n in range(self.variant.count())] != names:
            self.variant.clear()
            self.variant.addItems(names)
            if stats is not None:
                self.variant.setCurrentIndex(variants.index(stats.chosen))
        self.variant.setVisible(len(names) > 1 and self.to_assembly.isChecked())
        if stats is None or not variants:
            self._code = None
            self.isa.show_lines((isa_text.IsaLine(f"; {figures.problem}", 0),))
            return
        shown = variants[max(self.variant.currentIndex(), 0)]
        cost = figures.cost if shown is stats.chosen else None
        if self._code is None or self._code[0] is not shown or self._code[1] is not cost:
            self._code = shown, cost
            lines = isa_text.isa_lines(shown, stats.vendor, cost)
            self.isa.show_lines(lines or (isa_text.IsaLine("; the compiler reports no code", 0),))
        self.isa.link(isa_text.blocks_of_line(cost, self._line), reveal=False)

    def _details_html(self, figures: FamilyFigures) -> str:
        dim = self._theme.dim
        parts = [f"<b>{escape(figures.family.name)}</b>"]
        if figures.problem:
            text = escape(figures.problem)
            parts.append(f"<span style='color:{self._theme.warning}'>{text}</span>")
        time, *basis = time_details(figures) or ("",)
        if time:
            parts[0] = f"<b>{escape(figures.family.slug)}</b> &nbsp;{escape(time)}"
        notes = (*basis, *self._notes, *own_statistics(figures))
        parts += [f"<span style='color:{dim}'>{escape(note)}</span>" for note in notes]
        return "<br>".join(parts)

    # -- what the user does -----------------------------------------------------------------

    def _on_family(self) -> None:
        self.families_chosen.emit([s for s, entry in self._entries.items() if entry.isChecked()])

    def _on_pattern(self, pattern: str) -> None:
        self.isa.search(pattern)
        self.isa.reveal_found()
        self._found.setText(f"{self.isa.found} found" if pattern else "")

    def _on_block(self, number: int) -> None:
        figures = self.chosen
        if figures is not None:
            self.lines_chosen.emit(isa_text.lines_of_block(figures.cost, number))

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._draw()
        self.shown.emit(True)

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.shown.emit(False)
