from itertools import combinations

import numpy as np
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


# What eyes without one kind of cone see of linear RGB (Machado, Oliveira, Fernandes 2009, table of
# severity 1.0).
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def lab(colour: str, seen_by) -> np.ndarray:
    """CIE L*a*b* (D65) of what is seen of a colour."""
    coded = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(seen_by) @ linear, 0, 1)
    xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ) @ seen / [0.9505, 1.0, 1.089]  # fmt: skip
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", list(BLINDNESS))
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_with_a_meaning_differ_for_every_eye(theme, kind):
    """By 10 of CIE76 at least: a difference seen at a glance is about 5."""
    meanings = {"error": theme.error, "warning": theme.warning, "good": theme.good}
    meanings |= {"text": theme.text, "bars": theme.bars}
    told = {
        (one, other): round(
            float(np.linalg.norm(lab(a, BLINDNESS[kind]) - lab(b, BLINDNESS[kind])))
        )
        for (one, a), (other, b) in combinations(meanings.items(), 2)
    }
    assert {pair: distance for pair, distance in told.items() if distance < 10} == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_heat_is_ordered_by_lightness_too(theme):
    steps = [contrast(colour, theme.text) for colour in theme.heat]
    assert steps == sorted(steps, reverse=True), "hotter is closer to the text's lightness"
