"""Find the published shaders that share most of their lines.

    python -m shaderlab.training.recipes.forks CORPUS [--data models/datasets/model-samples]
        [--out models/datasets/changes]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`; compared are those with published times.
"""

from __future__ import annotations

from pathlib import Path

from shaderlab.training import forks, published_samples, shader_data
from shaderlab.training.recipes import shared


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
