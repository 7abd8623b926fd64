"""Whether a process runs: of interest to whoever kills some, or counts on others having died."""

from __future__ import annotations

from pathlib import Path


def alive(pid: int) -> bool:
    """Whether the process runs; one that is dead but not yet reaped does not.

    One read, since a process can go between two: asking first whether it is there at all, then
    for its state, fails now and then.
    """
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
