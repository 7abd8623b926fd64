"""Find the published shaders that share most of their lines.

    python -m models.recipes.forks CORPUS [--data models/datasets/model-samples]
        [--out models/datasets/changes]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`; compared are those with published times.
"""

from __future__ import annotations

from pathlib import Path

from models.laboratory import published_samples
from models.recipes import shared
from shaderlab.training import forks, shader_data


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.CHANGES)
    options = parser.parse_args()
    _, times = shader_data.read(options.data)
    published = [each for slug in times if slug not in shared.SOFTWARE for each in times[slug]]
    found = list(forks.find(published_samples.texts(options.corpus, {e.id for e in published})))
    forks.write(options.out, found)
    print(f"{len(found)} pairs of {len({i for f in found for i in (f.before, f.after)})} shaders")


if __name__ == "__main__":
    main()
