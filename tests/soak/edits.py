"""Edits as a typing user makes them, and as no user would: tokens deleted, doubled, swapped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from shaderlab.frontend.examples import examples

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\s+|[^\w\s]")
_NEW_START = 40
"""After so many edits a text is as good as noise: begin again with a sound one."""


def mutated(text: str, chance: random.Random) -> str:
    """The text with one token deleted, doubled, swapped with another, or a number changed."""
    tokens = _TOKEN.findall(text)
    solid = [index for index, token in enumerate(tokens) if not token.isspace()]
    if len(solid) < 2:
        return text + ";"
    at, other = chance.sample(solid, 2)
    kind = chance.randrange(4)
    if kind == 0:
        tokens[at] = ""
    elif kind == 1:
        tokens[at] *= 2
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        numbers = [index for index in solid if tokens[index][0].isdigit()] or [at]
        place = chance.choice(numbers)
        tokens[place] = chance.choice(["0", "1", "3", "100000", "0.0", "1e9", "7.5"])
    return "".join(tokens)


def stream(seed: int) -> Iterator[str]:
    """Texts, each an edit of the one before; now and then another example whole again."""
    chance = random.Random(seed)
    sources = [example.path.read_text(encoding="utf-8") for example in examples()]
    while True:
        text = chance.choice(sources)
        yield text
        for _ in range(chance.randrange(1, _NEW_START)):
            # Two edits in three are taken back, so that most texts stay near to sound ones.
            changed = mutated(text, chance)
            yield changed
            if chance.random() < 2 / 3:
                yield text
            else:
                text = changed
