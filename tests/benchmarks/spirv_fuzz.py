"""Mutate real modules and see that each is taken or refused with one clear line.  Run by hand:

    python -m tests.benchmarks.spirv_fuzz FOLDER_OF_SPV --cases 100000

Prints the cases, how many were still countable, and the slowest and its milliseconds.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from pathlib import Path

import numpy as np

from tests.unit.spirv.hostility import mutated, survives


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", type=Path, help="folder of .spv files to start from")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-words", type=int, default=4000, help="leave longer modules out")
    arguments = parser.parse_args()
    seeds = [np.fromfile(path, "<u4").tolist() for path in sorted(arguments.modules.glob("*.spv"))]
    seeds = [words for words in seeds if len(words) <= arguments.most_words]
    if not seeds:
        parser.error(f"no .spv files of at most {arguments.most_words} words in that folder")
    rng = random.Random(arguments.seed)
    countable, slowest = 0, 0.0
    for case in range(arguments.cases):
        data = mutated(rng.choice(seeds), rng)
        start = time.perf_counter()
        try:
            countable += survives(data)
        except BaseException:
            Path("hostile.spv").write_bytes(data)
            print(f"case {case} broke; its module is in hostile.spv")
            raise
        slowest = max(slowest, time.perf_counter() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{arguments.cases} mutations of {len(seeds)} modules: {countable} countable, the rest "
        f"refused; slowest {slowest * 1e3:.1f} ms, peak memory {memory} MiB"
    )


if __name__ == "__main__":
    main()
