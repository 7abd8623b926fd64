"""Problems in words."""

from shaderlab.app.panels.problems.panel import Problems, place_text, summary
from shaderlab.app.widgets.theme import LIGHT
from shaderlab.frontend.program import Diagnostic, Severity


def test_problems_in_words():
    error = Diagnostic(3, 1, Severity.ERROR, "bad", "noise.glsl")
    warning = Diagnostic(0, 0, Severity.WARNING, "odd")
    assert place_text(error) == "noise.glsl line 3"
    assert place_text(warning) == ""
    assert summary([error, error, warning]) == "2 errors, 1 warning"
    assert summary([]) == ""


def test_the_strip_does_not_repeat_the_lists_first_row(qtbot):
    panel = Problems(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(600, 200)
    panel.show()
    found = [Diagnostic(n, 1, Severity.ERROR, f"bad {n}") for n in (3, 4)]
    panel.show_state(found, "")
    assert panel.text == "line 3: bad 3"
    panel.open(True)
    assert panel.text == "2 errors"
    assert panel.list.item(0).text() == "line 3: Bad 3"


def test_what_does_not_fit_is_in_the_tip_and_the_list_opens_and_closes(qtbot):
    panel = Problems(LIGHT)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_state([Diagnostic(1, 1, Severity.ERROR, "long " * 40)], "")
    tips = []
    for width in (300, 3000):
        panel.resize(width, 100)
        qtbot.waitUntil(lambda width=width: abs(panel._text.width() - width) < 200)
        tips.append(panel._text.toolTip())
    assert tips == [panel.text, ""]
    opened = []
    panel.opened.connect(opened.append)
    panel._more.click()
    panel._more.click()
    assert opened == [True, False]
