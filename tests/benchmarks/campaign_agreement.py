"""How far do campaigns on one device agree, and how far does each scatter?

    python tests/benchmarks/campaign_agreement.py [models/datasets]

Of the committed data sets, for every two campaigns on a software device: how much longer the later
one took in the median, and how far a shader's two times lie apart once they are on one clock; then
what follows for each campaign, as models are fitted to it (`models.laboratory.campaign_times`).
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np

from models.laboratory import campaign_times
from shaderlab import locations, units


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = locations.models() / "datasets"
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    folder = parser.parse_args().folder
    paths = campaign_times.files(folder)
    raw = {path.stem: {e.id: e.time_s for e in campaign_times.read(path)} for path in paths}
    for device, visits in campaign_times.on_one_clock(paths).items():
        logs = {
            name: {each.id: float(np.log(each.time_s)) for each in visit.values()}
            for name, visit in visits.items()
        }
        print(device)
        if len(logs) == 1:
            print("  one campaign: nothing tells how far it scatters")
            continue
        for one, other in combinations(logs, 2):
            both = sorted(logs[one].keys() & logs[other].keys())
            if not both:
                continue
            longer = np.median([raw[other][each] / raw[one][each] for each in both])
            apart = np.abs([logs[other][each] - logs[one][each] for each in both])
            half, most = (units.percent(float(each)) for each in np.quantile(apart, (0.5, 0.8)))
            print(
                f"  {other} took {longer:.2f} times as long as {one}, median of {len(both)} "
                f"shaders; on one clock half lie within {half}, 80 % within {most}"
            )
        for name, noise in zip(logs, campaign_times.noises(list(logs.values())), strict=True):
            print(f"  {name}: {len(logs[name])} shaders, scatter {units.percent(noise)}")


if __name__ == "__main__":
    main()
