"""What the list of samples says."""

import time
from dataclasses import replace

from shaderlab.app.panels.samples.panel import cells, count, counts_text
from shaderlab.app.panels.samples.statistics_view import StatisticsView
from shaderlab.app.widgets.theme import DARK
from shaderlab.workers.samples import EMPTY, Listing, Recorded

ONE = Recorded(
    "ab" * 32, "plasma", 1e9, "llvmpipe", "llvmpipe", 0.0123, "cpu", (1024, 768), 10, True, None
)


def test_rows():
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(1e9))
    expected = ("plasma", "llvmpipe", "12.3 ms of CPU", "1024 \u00d7 768", when, "not kept")
    assert cells(ONE) == expected
    unnamed = replace(ONE, name="", at=None, clock="device", license="MIT")
    assert cells(unnamed) == (
        "program abababab", "llvmpipe", "12.3 ms", "1024 \u00d7 768", "", "MIT"
    )  # fmt: skip


def test_counts():
    assert counts_text(EMPTY) == "No samples yet"
    assert counts_text(Listing(1, 1, {"a": 1}, ())) == "1 sample of 1 shader on a"
    many = Listing(1206, 900, {"a": 6, "b": 1000, "c": 100, "d": 100}, ())
    assert counts_text(many) == "1,206 samples of 900 shaders on b (1,000), c (100), 2 more"
    assert count(2, "text") == "2 texts"


def test_a_data_set_is_described_once_at_a_time(qtbot):
    view, wanted = StatisticsView(DARK), []
    qtbot.addWidget(view)
    view.wanted.connect(wanted.append)
    for error in ("", "It cannot be read."):
        view.own.click()
        view.own.click()
        view.show_error(error)
    assert wanted == [None, None], "the second click of each comes while it is read"
