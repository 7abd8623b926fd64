"""How long the editor's questions about a long text take.

    python tests/benchmarks/language.py [--lines N] [--rounds N]

The text is one of the examples many times over, its functions renamed.  Printed are median and
95th percentile in milliseconds: of an edit taken in, of completions, a definition, uses, the
outline.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np

from shaderlab.frontend.examples import examples
from shaderlab.language.completion import completions
from shaderlab.language.outline import outline
from shaderlab.language.references import definition, references
from shaderlab.language.syntax import Language, Place, Syntax

EXAMPLE = "still_life"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    text = long_text(arguments.lines)
    syntax = Syntax(text, Language.GLSL)
    lines = text.split("\n")
    step = max(len(lines) // arguments.rounds, 1)
    places = [
        Place(number + 1, len(lines[number]) - len(lines[number].lstrip()) + 1)
        for number in range(step, len(lines), step)
    ]
    print(f"{len(lines)} lines, {len(places)} places")
    questions: dict[str, Callable[[Syntax, Place], object]] = {
        "edit": _edited,
        "completions": completions,
        "definition": definition,
        "uses": references,
        "outline": lambda syntax, _place: outline(syntax),
    }
    for name, ask in questions.items():
        took = []
        for place in places:
            start = perf_counter()
            ask(syntax, place)
            took.append((perf_counter() - start) * 1e3)
        print(f"{name:12} {np.median(took):8.1f} {np.percentile(took, 95):8.1f} ms")


def long_text(lines: int) -> str:
    """At least so many lines."""
    (example,) = (each for each in examples() if each.path.stem == EXAMPLE)
    text = example.path.read_text("utf-8")
    copies = -(-lines // (text.count("\n") + 1))
    return "\n".join(
        text.replace("(", f"_{i}(", 1).replace("mainImage", f"main{i}") for i in range(copies)
    )


def _edited(syntax: Syntax, place: Place) -> Syntax:
    at = syntax.offset(place)
    source = syntax.source
    return syntax.edited((source[:at] + b"x" + source[at:]).decode())


if __name__ == "__main__":
    main()
