"""Have a campaign's times of the shaders that models are fitted to join their data set.

    python packaging/add_campaign_times.py DATASET.parquet
        [--data models/datasets/published-samples]

DATASET is what `shaderlab dataset export` wrote of a campaign over the same corpus.  Former times
of its devices are replaced.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from shaderlab.training import campaign_times, shader_data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--data", type=Path, default=Path("models/datasets/published-samples"))
    options = parser.parse_args()
    shaders, times = shader_data.read(options.data)
    new = [each for each in campaign_times.read(options.dataset) if each.id in shaders]
    devices = {each.target for each in new}
    kept = [each for target, of in times.items() if target not in devices for each in of]
    shader_data.write_times(options.data, [*kept, *new])
    for device in sorted(devices):
        print(f"{device}: {sum(each.target == device for each in new)} times")


if __name__ == "__main__":
    main()
