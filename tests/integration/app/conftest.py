"""One real window with real workers on the software driver, shared by all tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

import pytest

from shaderlab.app.qt import QApplication
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.frontend.examples import examples

PATIENCE_S = 60.0

CHEAP = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 colour = vec3(0.0);
    for (int i = 0; i < 3; i++) {
        colour += vec3(fragCoord / iResolution.xy, 0.5) / 3.0;
    }
    fragColor = vec4(colour, 1.0);
}
"""


@dataclass(frozen=True)
class FirstStart:
    """What the window showed when it first had everything."""

    example: str
    picture_width: int
    bars: tuple
    blocks: int
    notes: dict


class Driven:
    """A window and the ways a test pushes it."""

    def __init__(self, window: MainWindow):
        self.window = window
        self.session = window.session
        self.editor = window.editor
        self.first_start: FirstStart

    def wait(self, ready: Callable[[], object], what: str = "the expected state") -> None:
        end = monotonic() + PATIENCE_S
        while not ready():
            assert monotonic() < end, f"waited in vain for {what}"
            start.process_events(start.application())

    def complete(self) -> None:
        """Wait for picture, counts and predictions of the text as it stands."""
        self.wait(lambda: self.session.complete, "picture, counts and predictions")

    def show(self, text: str = CHEAP) -> None:
        """Open a text as a new document and wait until all of it is there."""
        self.editor.set_unmodified()
        self.window.documents.new()
        self.editor.set_text(text)
        self.session.open_text(text, "test", None)
        self.complete()

    def open_example(self, name: str) -> None:
        self.editor.set_unmodified()
        (example,) = (e for e in examples() if e.path.stem == name)
        self.window.documents.open_example(example)
        self.complete()

    def front(self, name: str):
        """The panel of that name, in front of the others: one behind a tab does no work."""
        panel = self.window.layout_.panels[name]
        self.window.layout_.show_tab(panel)
        return panel

    def edit(self, text: str) -> None:
        """Replace the whole text as one edit by hand."""
        self.editor.select_lines(1, self.editor.line_count)
        self.editor.type(text)

    def problems(self) -> list[str]:
        return [d.message for d in self.session.compiling.diagnostics]


@pytest.fixture(scope="session")
def driven(qapp, tmp_path_factory) -> Iterator[Driven]:
    store = SettingsStore(tmp_path_factory.mktemp("settings") / "settings.ini")
    # Without tabs, or each file that a test opens would stay open for the next one.
    settings = Settings(preview_size="320x180", trials=3, draws=2, open_in_tabs=False)
    former_hook = sys.excepthook
    window = start.open_window(None, store=store, settings=settings)
    driven = Driven(window)
    driven.complete()
    bars = window.targets_panel.bars
    driven.first_start = FirstStart(
        window.documents.document.example,
        window.preview.picture.image.width(),
        bars,
        driven.front("blocks").model.rowCount(),
        window.editor.notes,
    )
    driven.front("targets")
    yield driven
    window.editor.set_unmodified()
    window.close()
    sys.excepthook = former_hook


@pytest.fixture(autouse=True)
def _nothing_left_in_front(request: pytest.FixtureRequest) -> Iterator[None]:
    """A window that a test leaves open takes the mouse from the tests after it."""
    yield
    if "driven" in request.fixturenames:
        window = request.getfixturevalue("driven").window
        left = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]
        for widget in left:
            widget.close()
        assert left == [], "the test closes what it opens"
