"""A pair of the user's own judged in a child, which needs packages that the window must not load.

The child is `shaderlab pairs --json`: it ends after its one answer, so it has no server.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from shaderlab.errors import WrongUse
from shaderlab.prediction.catalogue.pair_tables import PairTable, parse_one
from shaderlab.system import process_group
from shaderlab.system.scratch import TemporaryFolder

_LOOK_S = 0.2
_MOST_BYTES = 8 << 20
_MOST_SAID = 64 << 10


def judged(
    host: Path, target: Path, report: Callable[[str], None], stopped: Callable[[], bool]
) -> PairTable | None:
    """The study of two data sets of one device each; None where it was `stopped`.

    `report` hears the method under way.  Raises WrongUse with what the child said, and InvalidModel
    for an answer that cannot be read.
    """
    command = process_group.python(
        "shaderlab", "pairs", "--host", str(host.absolute()), "--target", str(target.absolute()),
        "--rank", "--json",
    )  # fmt: skip
    with TemporaryFolder() as folder:
        answer, said = Path(folder, "answer"), Path(folder, "said")
        with (
            answer.open("wb") as out,
            said.open("wb") as notes,
            process_group.started(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=notes
            ) as child,
        ):
            while child.poll() is None:
                if stopped():
                    return None
                if lines := _read(said, _MOST_SAID).splitlines():
                    report(lines[-1].decode(errors="replace")[:80])
                time.sleep(_LOOK_S)
        found = _read(answer, _MOST_BYTES)
    if child.returncode != 0:
        raise WrongUse(_error(found, child.returncode))
    return parse_one(found)


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


def _error(answer: bytes, code: int) -> str:
    """The sentences in what a failed command prints with --json."""
    try:
        found = json.loads(answer.decode())
        said = [found.get(name) for name in ("error", "remedy")]
    except (ValueError, AttributeError, RecursionError):
        said = []
    sentences = ". ".join(each for each in said if isinstance(each, str) and each)
    return sentences[:500] or f"shaderlab pairs ended with code {code}"
