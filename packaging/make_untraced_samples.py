"""Add to the committed samples what is left of them without a trace, for the ablation of it.

    python packaging/make_untraced_samples.py CORPUS [--data models/datasets/published-samples]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`; of it the shaders in `shaders.parquet` are
compiled, none is run.  The same texts and compiler always give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.training import published_samples, shader_data, untraced
from shaderlab.training.shader_data import Shader


def without_trace(text: str, traced: Shader) -> Shader | None:
    try:
        return untraced.shader(compile_text(text, traced.id, None), traced)
    except ShaderlabError as error:
        print(f"  {traced.id}: {error}", file=sys.stderr)
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--data", type=Path, default=Path("models/datasets/published-samples"))
    options = parser.parse_args()

    shaders, _ = shader_data.read(options.data)
    texts = published_samples.texts(options.corpus, shaders.keys())
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda i: without_trace(texts[i], shaders[i]), sorted(texts)))
    found = [each for each in made if each is not None]
    path = options.data / shader_data.UNTRACED
    shader_data.write_shaders(path, found)
    print(f"{len(found)} of {len(shaders)} shaders in {path}")


if __name__ == "__main__":
    main()
