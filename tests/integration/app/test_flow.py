"""The control-flow graph in a real window."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import QPointF, Qt, QtGui
from tests.radv import needs_radv_listing

TEXT = """\
float spun(float x)
{
    float sum = 0.0;
    for (int i = 0; i < 7; i++) {
        if (i == 3) {
            sum += x;
        }
    }
    return sum;
}
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(spun(fragCoord.x));
}
"""
PIXELS = 1024 * 768


def test_blocks_and_edges_have_counts_and_lead_to_the_text(driven, qtbot):
    driven.show(TEXT)
    panel = driven.window.flow_panel
    driven.window.actions_["view.flow"].trigger()
    driven.wait(lambda: panel.graph is not None, "the graph")
    graph = panel.graph
    assert graph.name == "spun"
    assert len(panel.view.boxes) == len(graph.nodes)
    (taken,) = (n for n, node in enumerate(graph.nodes) if node.lines == (6,))
    assert graph.nodes[taken].count == PIXELS
    into = [count for (_, end), count in graph.edges.items() if end == taken]
    assert into == [PIXELS]
    back = [count for count in graph.edges.values() if count == 7 * PIXELS]
    assert back, "seven rounds"
    assert None not in graph.edges.values()

    box = panel.view.boxes[taken]
    panel.view.fit()
    panel.view.ensureVisible(box)
    at = panel.view.mapFromScene(box.sceneBoundingRect().center() + QPointF(0, 0))
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert driven.editor.linked_lines == [6]

    driven.edit(TEXT.replace("i < 7", "i < 9"))
    driven.complete()
    driven.wait(lambda: 9 * PIXELS in panel.graph.edges.values(), "the new counts")
    assert panel.functions.currentData() == "spun"


LOOPED = TEXT.replace("i < 7", "i < 40 + int(x / 50.0)").replace("sum += x;", "sum += sin(x);")
"""With a loop that no compiler unrolls."""


def click_block(view, label: int, qtbot) -> None:
    """On the second line of the block in the code."""
    number = [n for n, line in enumerate(view.lines) if line.block == label][1]
    view.setFocus()
    view.setTextCursor(QtGui.QTextCursor(view.document()))
    view.verticalScrollBar().setValue(max(number - 1, 0))
    block = view.document().findBlockByNumber(number)
    at = view.cursorRect(QtGui.QTextCursor(block)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


@pytest.fixture
def code(driven, qtbot):
    """The graph of `spun` with its SPIR-V and machine code beside it."""
    driven.show(LOOPED)
    with qtbot.waitActive(driven.window):
        driven.window.activateWindow()
    driven.session.compiled.choose(["navi23"])
    driven.window.actions_["view.flow"].trigger()
    panel = driven.window.flow_panel
    driven.wait(lambda: panel.graph is not None and panel.graph.name == "spun", "the graph")
    panel.to_code.click()
    yield panel
    panel.to_code.click()
    driven.window.layout_.show_tab(driven.window.targets_panel)


def test_a_block_leads_to_its_spirv_and_back(driven, code, qtbot):
    driven.wait(lambda: code.code.spirv.lines, "the SPIR-V")
    text = [line.text for line in code.code.spirv.lines]
    assert " = OpFunction " in text[0]
    assert text[-1] == "OpFunctionEnd"
    (taken,) = (node for node in code.graph.nodes if node.lines == (6,))
    code.view.select(taken.label)
    assert driven.editor.linked_lines == [6]
    assert code.code.spirv.linked == {taken.label}
    own = [line.text for line in code.code.spirv.lines if line.block == taken.label]
    assert own[0] == f"%{taken.label} = OpLabel"
    assert any("OpFAdd" in each for each in own), "it adds up"

    (last,) = (node for node in code.graph.nodes if 9 in node.lines)
    click_block(code.code.spirv, last.label, qtbot)
    assert 9 in driven.editor.linked_lines
    chosen = [code.graph.nodes[box.number].label for box in code.view.boxes if box.isSelected()]
    assert chosen == [last.label]
    driven.editor.go_to(6)
    driven.wait(lambda: code.code.spirv.linked == {taken.label}, "the block of the caret's line")


@needs_radv_listing
def test_a_block_leads_to_its_machine_code_and_back(driven, code, qtbot):
    jobs, side = driven.session.compiled, code.code
    driven.wait(lambda: jobs.current is not None and "navi23" in jobs.current.costs, "the counts")
    driven.wait(lambda: side.machine.lines, "the machine code")
    assert side.family.currentText() == "navi23"
    (taken,) = (node for node in code.graph.nodes if node.lines == (6,))
    code.view.select(taken.label)
    linked = side.machine.linked
    assert linked
    lines = {p.line for b in jobs.current.costs["navi23"].blocks if b.number in linked
             for p in b.lines}  # fmt: skip
    assert 6 in lines
    code.view.select(next(node.label for node in code.graph.nodes if 9 in node.lines))
    number = next(iter(linked))
    click_block(side.machine, number, qtbot)
    assert 6 in driven.editor.linked_lines
    assert taken.label in side.spirv.linked
