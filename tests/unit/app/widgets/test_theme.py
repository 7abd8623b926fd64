import pytest

from shaderlab.app.editor.scintilla import FOUND_ALPHA
from shaderlab.app.widgets.theme import DARK, LIGHT, blend, contrast


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(theme):
    grounds = (theme.window, theme.base, theme.raised)
    inks = (theme.text, theme.dim, theme.error, theme.warning, theme.good)
    pairs = [(ink, ground) for ink in inks for ground in grounds]
    pairs += [(theme.text, paper) for paper in (*theme.heat, theme.selection, theme.linked_line)]
    pairs += [(theme.on_accent, theme.accent)]
    matched = blend(theme.base, theme.found, FOUND_ALPHA / 255)
    pairs += [(theme.text, matched), (theme.text, theme.line)]
    code = (theme.keyword, theme.type, theme.builtin, theme.number, theme.comment)
    lines = (theme.base, theme.current_line)
    pairs += [(ink, line) for ink in (*code, theme.preprocessor) for line in lines]
    faint = {pair: round(contrast(*pair), 2) for pair in pairs if contrast(*pair) < 4.5}
    assert faint == {}
