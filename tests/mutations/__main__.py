"""Change one thing on one line, and see a test fail: which mistakes the tests would not notice.

    python -m tests.mutations --count 100 --seed 1 --log FILE [--room campaigns] [--quick | --slow]

Mutants are drawn by the seed from all rooms, in turn, and each is tried in a copy of the tree
against the tests of its room.  A log that exists is continued: what it holds is not tried again.
With `--again`, the survivors in the log are, and none is drawn: the tests may have grown since;
`--path PART --tests FILE...` tries those in files so named against these tests alone.
Tests that fail before anything is changed are left out, and named.  Survivors that change nothing a
test could notice are listed in `equivalent.json` with the reason, and reported apart.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from tests.mutations.changes import CHOSEN, KINDS, Mutant, drawn
from tests.mutations.trying import ROOMS, ROOT, Tree

EQUIVALENT = ROOT / "tests/mutations/equivalent.json"
"""By path: `before`, `after` and `why` of each."""


def judged_equivalent() -> dict[tuple[str, str, str], str]:
    """By path, line before and line after: why no test can notice.  Line numbers move."""
    listed = json.loads(EQUIVALENT.read_text("utf-8"))
    return {
        (path, each["before"], each["after"]): each["why"]
        for path, found in listed.items()
        for each in found
    }


def read_log(path: Path | None) -> dict[Mutant, str]:
    """The latest verdict on each mutant."""
    if path is None or not path.exists():
        return {}
    verdicts = {}
    for line in path.read_text("utf-8").splitlines():
        *fields, verdict = json.loads(line)
        verdicts[Mutant(*fields)] = verdict
    return verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--count", type=int, default=100, help="mutants, those in the log included, chosen apart"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", choices=sorted(ROOMS), help="all by default")
    parser.add_argument("--kind", action="append", choices=KINDS, help="all by default")
    parser.add_argument(
        "--quick", action="store_true", help="without the slow tests of survivors of the others"
    )
    parser.add_argument("--slow", action="store_true", help="with these alone")
    parser.add_argument("--log", type=Path, help="continued where it exists")
    parser.add_argument(
        "--again",
        action="store_true",
        help="the log's mutants, survivors tried again, instead of drawing",
    )
    parser.add_argument("--path", default="", help="only those whose file's path has this in it")
    parser.add_argument(
        "--tests", nargs="+", default=[], help="files of tests, instead of the room's"
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # with what the tests started
    rooms = arguments.room or list(ROOMS)
    verdicts = read_log(arguments.log)
    wanted: list[Mutant] = []
    with (
        tempfile.TemporaryDirectory(prefix="mutations-") as folder,
        closing(
            Tree(
                Path(folder),
                quick=not (arguments.slow or arguments.tests),
                slow=not arguments.quick,
                tests=arguments.tests,
            )
        ) as tree,
    ):
        kinds = arguments.kind or KINDS
        drawing = drawn(rooms, tree.folder, arguments.seed, kinds)
        for mutant in [*verdicts] if arguments.again else drawing:
            if mutant.room not in rooms or arguments.path not in mutant.path:
                continue
            if sum(each.kind != CHOSEN for each in wanted) == arguments.count:
                break
            wanted.append(mutant)
            if mutant not in verdicts or (arguments.again and verdicts[mutant] == "survived"):
                verdicts[mutant] = tree.verdict(mutant)
                if arguments.log:
                    with arguments.log.open("a", encoding="utf-8") as log:
                        log.write(json.dumps([*mutant, verdicts[mutant]]) + "\n")
            print(f"{verdicts[mutant]:8}  {mutant.path}:{mutant.line}  {mutant.after}", flush=True)
    _report(rooms, {mutant: verdicts[mutant] for mutant in wanted})


def _report(rooms: list[str], verdicts: dict[Mutant, str]) -> None:
    reasons = judged_equivalent()
    for mutant, verdict in verdicts.items():
        if verdict == "survived" and mutant[1:2] + mutant[4:] in reasons:
            verdicts[mutant] = "equivalent"
    judged = {mutant: verdict for mutant, verdict in verdicts.items() if mutant.kind != CHOSEN}
    columns = ("killed", "too long", "gone", "survived", "equivalent")
    print(f"\n{'room':20} {'mutants':>10}" + "".join(f" {each:>10}" for each in columns))
    for room in (*rooms, "all"):
        counts = Counter(v for m, v in judged.items() if room in (m.room, "all"))
        total = counts.total()
        noticed = counts["killed"] + counts["too long"]
        numbers = "".join(f" {counts[each]:10}" for each in columns)
        share = f"{noticed / total:6.0%}" if total else ""
        print(f"{room:20} {total:10}{numbers} {share}")
    chosen = [verdict for mutant, verdict in verdicts.items() if mutant.kind == CHOSEN]
    noticed = sum(verdict in ("killed", "too long") for verdict in chosen)
    print(f"besides, numbers that somebody chose: {noticed} of {len(chosen)} noticed")
    for mutant, verdict in verdicts.items():
        if verdict in ("survived", "equivalent"):
            why = reasons.get(mutant[1:2] + mutant[4:], "")
            print(f"\n{mutant.path}:{mutant.line} ({mutant.kind}) {why}")
            print(f"- {mutant.before}\n+ {mutant.after}")


if __name__ == "__main__":
    main()
