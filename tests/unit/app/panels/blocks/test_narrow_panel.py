"""The table of blocks in a narrow panel."""

from shaderlab.app.panels.blocks.panel import COLUMNS, BlocksPanel
from shaderlab.app.widgets.theme import LIGHT


def test_a_narrow_panel_leaves_out_what_can_best_be_done_without(qtbot):
    panel = BlocksPanel(LIGHT)
    qtbot.addWidget(panel)
    panel._stack.setCurrentWidget(panel.table)
    panel._fit_columns()

    def shown(width: int) -> list[str]:
        panel.resize(width, 300)
        panel.show()
        qtbot.waitExposed(panel)
        qtbot.waitUntil(lambda: panel.table.width() == width)
        panel._leave_out_columns()
        return [name for n, name in enumerate(COLUMNS) if not panel.table.isColumnHidden(n)]

    assert shown(1000) == list(COLUMNS)
    assert shown(450) == ["Function", "Lines", "Count", "Of instructions"]
    qtbot.waitUntil(lambda: panel.table.horizontalScrollBar().maximum() == 0)
    assert shown(1000) == list(COLUMNS)
