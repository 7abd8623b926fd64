"""How much faster is a campaign than a process per shader?  Run by hand:

    python -m tests.benchmarks.campaign_throughput CORPUS --shaders 200

Measures the same shaders three ways on one device, each with one trace per shader: with a process
per shader by the paper's recipe, 10 trials of 30 draws whatever a draw takes; the same with the
campaign's own effort; and as a campaign.  A process per shader is a campaign of one shader, so that
the ways differ in nothing else.  The pictures are small: of large ones a software device would
spend nearly all of the time drawing the slow shaders.  The order of the ways is turned for every
chunk of shaders, so that none has the quiet machine for itself.  Prints shaders per
second and the ratios.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from shaderlab.campaigns import corpus
from shaderlab.campaigns.corpus import Shader
from shaderlab.samples.store import Store
from tests.integration.campaigns.shaders import write

CHUNK = 50
UNCUT = ("--settled", "1e-9", "--trial", "1e5", "--shader", "1e5")
RECIPE = ("--trials", "10", "--draws", "30", *UNCUT)
CAMPAIGN = ("--trials", "5", "--draws", "5", "--trial", "0.02")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=200)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--size", default="128x96")
    arguments = parser.parse_args()
    common = ["--device", arguments.device, "--size", arguments.size, "--slowest", "60", "--plain"]
    shaders = corpus.drawn(corpus.read(arguments.corpus), seed=1, limit=arguments.shaders)
    seconds: dict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def measure(way: str, effort: tuple[str, ...], chunk: list[Shader]) -> None:
            lines = write(folder / "chunk.jsonl", {s.name: s.text for s in chunk})
            command = [sys.executable, "-m", "shaderlab", "campaign", str(lines), *common, *effort]
            subprocess.run(
                [*command, "--to", str(folder / way)], check=True, stderr=subprocess.DEVNULL
            )

        def each(way: str, effort: tuple[str, ...], chunk: list[Shader]) -> None:
            for shader in chunk:
                measure(way, effort, [shader])

        ways = {
            "a process each, the paper's recipe": (each, RECIPE),
            "a process each, the campaign's effort": (each, CAMPAIGN),
            "a campaign": (measure, CAMPAIGN),
        }
        order = list(ways)
        for start in range(0, len(shaders), CHUNK):
            for way in order:
                run, effort = ways[way]
                begun = time.monotonic()
                run(way, effort, shaders[start : start + CHUNK])
                seconds[way] += time.monotonic() - begun
            order.append(order.pop(0))
        for way in ways:
            with Store(folder / way) as opened:
                recorded = opened.stats().rows
            print(
                f"{way}: {recorded} of {len(shaders)} recorded, "
                f"{len(shaders) / seconds[way]:.3f} shaders/s, the campaign takes "
                f"{seconds[way] / seconds['a campaign']:.1f} times less"
            )


if __name__ == "__main__":
    main()
