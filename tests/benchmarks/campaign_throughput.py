"""How much faster is a campaign than a process per shader?  Run by hand:

    python -m tests.benchmarks.campaign_throughput CORPUS --shaders 200

Measures the same shaders three ways on one device: with `shaderlab record`, a process per shader,
by the paper's recipe (10 trials of 30 draws); the same with the campaign's trials and draws; and as
a campaign.  The order of the ways is turned for every chunk of shaders, so that none has the quiet
machine for itself.  Prints shaders per second and the ratios.
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
from shaderlab.samples.store import Store
from tests.integration.campaigns.shaders import write

CHUNK = 50
RECIPE = ("10", "30")
CAMPAIGN = ("5", "5")
TRIAL_S = "0.02"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=200)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--size", default="512x384")
    arguments = parser.parse_args()
    common = ["--device", arguments.device, "--size", arguments.size, "--deadline", "60"]
    shaders = corpus.drawn(corpus.read(arguments.corpus), seed=1, limit=arguments.shaders)
    seconds: dict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def each(way: str, trials: str, draws: str, chunk: list) -> None:
            for shader in chunk:
                path = folder / "shader.frag"
                path.write_text(shader.text)
                run("record", path, "--to", folder / way, "--trials", trials, "--draws", draws)

        def together(chunk: list) -> None:
            lines = write(folder / "chunk.jsonl", {s.name: s.text for s in chunk})
            run("campaign", lines, "--to", folder / "campaign", "--plain", "--trials", CAMPAIGN[0],
                "--draws", CAMPAIGN[1], "--trial", TRIAL_S)  # fmt: skip

        def run(*words: object) -> None:
            command = [sys.executable, "-m", "shaderlab", *map(str, words), *common]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        ways = [
            ("a process each, the paper's recipe", lambda c: each("recipe", *RECIPE, c)),
            ("a process each, the campaign's effort", lambda c: each("each", *CAMPAIGN, c)),
            ("a campaign", together),
        ]
        for number, start in enumerate(range(0, len(shaders), CHUNK)):
            turn = number % len(ways)
            for what, measure in ways[turn:] + ways[:turn]:
                begun = time.monotonic()
                measure(shaders[start : start + CHUNK])
                seconds[what] += time.monotonic() - begun
        for store in ("recipe", "each", "campaign"):
            with Store(folder / store) as opened:
                print(f"{store}: {opened.stats().rows} of {len(shaders)} recorded")
    for what, _ in ways:
        print(
            f"{what}: {len(shaders) / seconds[what]:.3f} shaders/s, the campaign takes "
            f"{seconds[what] / seconds['a campaign']:.1f} times less"
        )


if __name__ == "__main__":
    main()
