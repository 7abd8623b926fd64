"""The window that `kills_run` kills: it types, saves now and then, and says what it did.

    python kills_window.py FOLDER SEED

Prints a line per deed: its name, the SHA-256 of the text, and the monotonic clock after it.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import edits
from soak.hostile_run import settings
from soak.rig import Rig


def say(deed: str, text: str) -> None:
    print(deed, digest(text), monotonic(), flush=True)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    shader = folder / "shader.frag"
    rig = Rig(folder, settings(2.0, 4.0, 4.0))
    rig.wait(lambda: rig.window.documents.document.name != "untitled", "a document")
    kept = list(rig.recovery.kept)
    if kept:
        rig.window.recovery_presenter.restore(kept[0])
        say("restored", rig.editor.text)
    else:
        rig.window.documents.open(shader)
        say("opened", rig.editor.text)
    for text in edits.stream(seed):
        rig.put(text)
        say("edited", text)
        due = monotonic() + 0.2
        while monotonic() < due:
            rig.turn()
        if chance.random() < 0.03:
            say("saving", text)
            rig.window.documents.save()
            say("saved", text)


if __name__ == "__main__":
    main()
