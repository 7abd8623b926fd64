import re
from collections import Counter

import pytest

from shaderlab import locations
from shaderlab.app.qt import QKeySequence
from shaderlab.app.shell.commands.table import COMMANDS
from shaderlab.app.shell.manual import Page, hits, read_pages
from shaderlab.app.shell.panels import PANELS

PAGES = read_pages()
_LINK = re.compile(r"\]\(([^)]+)\)")
_KEYS = re.compile(r"`((?:(?:Ctrl|Shift|Alt)\+)*(?:F\d+|[A-Z0-9/,+\-]|Space|Left|Escape|Return))`")


def test_pages_have_titles_of_their_own():
    assert len(PAGES) >= 6
    assert max(Counter(page.title for page in PAGES).values()) == 1
    assert all(page.text.startswith(f"# {page.title}\n") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_pictures_and_links_lead_somewhere(page):
    for target in _LINK.findall(page.text):
        assert (page.path.parent / target).is_file(), target
        assert (page.path.parent / target).resolve().is_relative_to(locations.resources())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_keys_are_those_of_commands(page):
    known = {QKeySequence(k).toString() for c in COMMANDS for k in c.shortcut.split("; ")}
    known |= {panel.shortcut for panel in PANELS} | {"Escape", "Alt+9"}
    named = set(_KEYS.findall(page.text))
    assert named - known == set()


def test_hits_are_of_the_text_and_not_of_a_pictures_name():
    page = Page(PAGES[0].path, "x", "# x\nShare ![share](share.png) share\n")
    assert hits(page, "share") == 2
    assert hits(page, " ") == 0
