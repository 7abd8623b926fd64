"""How much narrower the band of a change is than the difference of two forecasts' bands.

    python tests/benchmarks/change_band_widths.py

On the committed edits (llvmpipe) and the published shaders that share most of their lines: medians
of half widths of logarithms; two bands are taken as independent, so their squares add up.
"""

from __future__ import annotations

import numpy as np

from shaderlab import locations
from shaderlab.prediction.catalogue import change_bands
from shaderlab.training import changes, forks, timed_edits
from shaderlab.training.changes import Counts
from shaderlab.training.comparison import data_folder


def main() -> None:
    models, folder, data = locations.models(), changes.changes_folder(), data_folder()
    bands = {(each.target, each.method): each for each in change_bands.read(models)}
    before, after = Counts(data), Counts(folder)
    pairs = {
        target: ([f.before for f in mine], [f.after for f in mine], before)
        for target, times in changes.published_times(data).items()
        if (mine := [f for f in forks.read(folder) if {f.before, f.after} <= times.keys()])
    }
    edits = timed_edits.read(folder)
    for target in {each.target for each in edits}:
        mine = [each for each in edits if each.target == target]
        pairs[target] = [each.id for each in mine], [each.edited_id for each in mine], after
    for target, (first, second, counts) in pairs.items():
        for method, model in changes.models_of(target, models):
            one, other = (
                np.log(each)
                for each in (
                    before.predicted(model, method, first),
                    counts.predicted(model, method, second),
                )
            )
            two = np.hypot(one[2] - one[1], other[2] - other[1]) / 2
            band = bands[target, method]
            own = band.base + band.slope * np.abs(other[0] - one[0])
            print(
                f"{target}, {method}: two bands {np.nanmedian(two):.3f}, "
                f"the change's own {np.nanmedian(own):.3f}"
            )


if __name__ == "__main__":
    main()
