"""Heat maps of predicted against measured time, one panel per method (paper Fig. 7).  Needs
matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_CELLS_PER_DECADE = 8
_COLUMNS = 4


def draw(
    path: Path, title: str, measured_s: np.ndarray, predicted: Mapping[str, np.ndarray]
) -> None:
    """Write a PNG: all panels on the same axes, with the diagonal and the band of 20 %.

    `measured_s` (n,) seconds; `predicted`: (n,) seconds by the panel's title, nan where there is
    none.  What lies outside the axes, negative predictions too, is counted at the nearest edge.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, LogNorm
    from matplotlib.figure import Figure

    edges = axis_edges(measured_s)
    rows = math.ceil(len(predicted) / _COLUMNS)
    counts = {name: cells(measured_s, each, edges) for name, each in predicted.items()}
    # The palest blues are left out, so that one shader is seen on white.
    blues = ListedColormap(matplotlib.colormaps["Blues"](np.linspace(0.35, 1, 256)))
    shades = LogNorm(1, max(2, *(each.max() for each in counts.values())))
    with matplotlib.rc_context({"font.size": 8}):
        figure = Figure(figsize=(2.6 * _COLUMNS, 2.6 * rows + 0.5), dpi=100, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for panel in panels.reshape(-1)[len(counts) :]:
            panel.set_visible(False)
        for panel, (name, each) in zip(panels.reshape(-1), counts.items(), strict=False):
            shown = np.ma.masked_equal(each.T, 0)
            panel.pcolormesh(edges, edges, shown, cmap=blues, norm=shades)
            span = np.array([edges[0], edges[-1]])
            panel.plot(span, span, color="0.2", linewidth=0.8)
            for factor in (0.8, 1.2):
                panel.plot(span, span * factor, color="0.5", linewidth=0.5, linestyle=":")
            panel.set(xscale="log", yscale="log", xlim=span, ylim=span, title=name, aspect="equal")
            panel.label_outer()
        figure.supxlabel("measured, s")
        figure.supylabel("predicted, s")
        figure.suptitle(title)
        figure.colorbar(
            ScalarMappable(shades, blues), ax=panels, shrink=0.4, format="%g", label="shaders"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without the library's version, so that the same figures give the same bytes for longer.
        figure.savefig(path, metadata={"Software": None})


def axis_edges(measured_s: np.ndarray) -> np.ndarray:
    """Edges of the cells in seconds, equal in log time, around all measured times."""
    low = math.floor(math.log10(measured_s.min()) * 2) / 2
    high = math.ceil(math.log10(measured_s.max()) * 2) / 2
    return np.logspace(low, high, round((high - low) * _CELLS_PER_DECADE) + 1)


def cells(measured_s: np.ndarray, predicted_s: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(cells, cells) shaders by measured and predicted time; every finite prediction counts."""
    finite = np.isfinite(predicted_s)
    inside = (np.clip(each[finite], edges[0], edges[-1]) for each in (measured_s, predicted_s))
    return np.histogram2d(*inside, bins=(edges, edges))[0]
