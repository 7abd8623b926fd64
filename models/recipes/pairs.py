"""Judge every pair of devices with committed samples: `models/pairs.json`.

    python -m models.recipes.pairs [--out models] [--keep FOLDER]

Each pair has the thirteen regressions of HALWPE and what they have to beat, the ranking of
features, and the curve that `predict --host` uses.  About a minute of processor time a pair.
`--keep` resumes: finished pairs are read from that folder.
"""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

from models.recipes import shared
from shaderlab import units
from shaderlab.prediction.catalogue import pair_tables
from shaderlab.training import pair_data, pairs, shader_data

_DIGITS = 4
"""Of figures: far below their intervals."""


def table(host: str, target: str) -> dict[str, Any]:
    """One pair, as the file holds it."""
    pair = pairs.committed(host, target)
    found = pairs.study(pair)
    # What the host alone timed are thousands of ids that nobody asks for.
    data = pair_data.data(found, pairs.ranking(pair), {})
    return data | {"curve": pair_tables.curve_data(pair_data.host_curve(pair))}


def rounded(value: Any) -> Any:
    """The same with numbers of few digits."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--keep", type=Path, help="folder that keeps finished pairs")
    options = parser.parse_args()
    _, times = shader_data.read(shared.SAMPLES)
    found = []
    for host, target in permutations(sorted(times), 2):
        kept = options.keep / f"{host}-{target}.json" if options.keep else None
        if kept is not None and kept.exists():
            made = json.loads(kept.read_text(encoding="utf-8"))
        else:
            made = rounded(table(host, target))
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(made), encoding="utf-8")
        curve = made["curve"]
        print(
            f"{host} -> {target}: {made['shaders']} shaders, best {made['best']}; curve off by "
            f"{units.percent(curve['median_ape'])} in the median",
            flush=True,
        )
        found.append(made)
    origin = "model-samples, ten folds by id"
    text = pair_tables.to_json(found, origin, shared.command("pairs"))
    pair_tables.PairTables.parse(text.encode())
    (options.out / pair_tables.FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
