"""Problems in words."""

from shaderlab.app.panels.problems.panel import place_text, summary
from shaderlab.frontend.program import Diagnostic, Severity


def test_problems_in_words():
    error = Diagnostic(3, 1, Severity.ERROR, "bad", "noise.glsl")
    warning = Diagnostic(0, 0, Severity.WARNING, "odd")
    assert place_text(error) == "noise.glsl line 3"
    assert place_text(warning) == ""
    assert summary([error, error, warning]) == "2 errors, 1 warning"
    assert summary([]) == ""
