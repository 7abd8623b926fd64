"""SPIR-V and machine code beside the graph, linked with its blocks and with the text."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from shaderlab.app.editor.assembly import lines_by_label
from shaderlab.app.panels.flow.graph import Graph
from shaderlab.app.panels.flow.panel import FlowPanel
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.widgets import isa_text
from shaderlab.app.widgets.isa_text import IsaLine
from shaderlab.gpu.radv.cost import FrameCost

_VIEWER = "control flow"
MOST_LINES = 20_000
"""Of a function's assembly, that are shown at most."""


class CodePresenter(QObject):
    """Asks for both codes only while they are on screen."""

    lines_chosen = Signal(object)
    """Lines (a tuple of int) of the code the user clicked."""

    def __init__(self, session: Session, panel: FlowPanel):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._slug = ""
        self._cost: FrameCost | None = None
        panel.code_seen.connect(self._want)
        panel.graph_changed.connect(self._show_spirv)
        panel.view.label_chosen.connect(self._link_label)
        panel.line_followed.connect(self._link_line)
        panel.code.label_chosen.connect(panel.view.select)
        panel.code.machine_block_chosen.connect(self._on_machine_block)
        panel.code.family_chosen.connect(self._choose)
        session.flow.code_changed.connect(self._show_spirv)
        session.compiled.changed.connect(self._show_machine)

    def _want(self, seen: bool) -> None:
        self._session.flow.want_code(seen)
        self._session.compiled.show(seen, _VIEWER)
        if seen:
            self._show_spirv()
            self._show_machine()

    def _choose(self, slug: str) -> None:
        self._slug = slug
        self._show_machine()

    # -- what is shown --------------------------------------------------------------------------

    def _show_spirv(self) -> None:
        panel, graph = self._panel, self._panel.graph
        if not panel.shows_code or graph is None:
            return
        text = self._session.flow.code.get(graph.nodes[0].label)
        if text is None:
            panel.code.show_spirv((), "SPIR-V: reading\u2026")
        else:
            lines = spirv_lines(text, graph)
            left_out = " (first lines only)" if len(lines) == MOST_LINES else ""
            panel.code.show_spirv(lines, f"SPIR-V of {graph.name}{left_out}")

    def _show_machine(self) -> None:
        panel, jobs = self._panel, self._session.compiled
        if not panel.shows_code:
            return
        current = jobs.current
        slugs = [f.slug for f in jobs.on_screen] if current is not None else []
        if self._slug not in slugs:
            counted = [slug for slug in slugs if current is not None and slug in current.costs]
            self._slug = next(iter([*counted, *slugs]), "")
        panel.code.show_families(slugs, self._slug)
        stats = current.stats.get(self._slug) if current is not None else None
        self._cost = current.costs.get(self._slug) if current is not None else None
        if stats is None or not stats.executables:
            error = jobs.error
            why = f"{error}" if error is not None else "compiling\u2026"
            panel.code.show_machine((), f"Machine code: {why}")
            return
        lines = isa_text.isa_lines(stats.chosen, stats.vendor, self._cost)
        of = "whole shader" if self._cost is not None else "whole shader, blocks not counted yet"
        panel.code.show_machine(lines, f"Machine code, {of}")

    # -- links ----------------------------------------------------------------------------------

    def _link_label(self, label: int) -> None:
        graph = self._panel.graph
        if graph is not None and self._panel.shows_code:
            lines = next((n.lines for n in graph.nodes if n.label == label), ())
            self._panel.code.link({label}, machine_blocks(self._cost, lines))

    def _link_line(self, line: int) -> None:
        graph = self._panel.graph
        if graph is not None and self._panel.shows_code:
            labels = {node.label for node in graph.nodes if line in node.lines}
            self._panel.code.link(labels, machine_blocks(self._cost, (line,)))

    def _on_machine_block(self, number: int) -> None:
        """The text's lines of a machine block, and the graph's blocks of these lines."""
        graph, lines = self._panel.graph, isa_text.lines_of_block(self._cost, number)
        if graph is not None and lines:
            self._panel.view.link_lines(lines)
            labels = {node.label for node in graph.nodes if not {*lines}.isdisjoint(node.lines)}
            self._panel.code.spirv.link(labels)
            self.lines_chosen.emit(lines)


def spirv_lines(text: str, graph: Graph) -> tuple[IsaLine, ...]:
    """One function's assembly; a label is as hot as its block."""
    heat = {node.label: node.heat for node in graph.nodes}
    lines = text.splitlines()[:MOST_LINES]
    block_of = {
        number: label
        for label, numbers in lines_by_label("\n".join(lines)).items()
        for number in numbers
    }
    made = []
    for number, line in enumerate(lines, 1):
        label = block_of.get(number, 0)
        is_label = line.endswith("OpLabel")
        made.append(IsaLine(line, label, is_label, heat.get(label, 0) if is_label else 0))
    return tuple(made)


def machine_blocks(cost: FrameCost | None, lines: Iterable[int]) -> Collection[int]:
    """Machine blocks that any of these lines is known to be in."""
    return {number for line in lines for number in isa_text.blocks_of_line(cost, line)}
