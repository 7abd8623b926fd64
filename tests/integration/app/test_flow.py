"""The control-flow graph in a real window."""

from __future__ import annotations

from shaderlab.app.qt import QPointF, Qt

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
