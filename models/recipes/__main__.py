"""Rebuild the models, their report and every table, in the order in which they build on each other.

    python -m models.recipes [RECIPE...] [--figures FOLDER] [--corpus FILE]
        [--inputs FILE] [--traces FOLDER] [--tokens FILE] [--run FOLDER] [--grammar FOLDER]
        [--ray ADDRESS] [--list] [--dry-run]

Without names: all of them.  Each recipe also runs separately and has options: `python -m
models.recipes.RECIPE --help`.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.recipes import shared
from shaderlab.system import process_group

EXTERNAL = {
    "figures": "folder with the published figures (libreliu/ShaderPerFormer, collected as data)",
    "corpus": ".jsonl.zst of shaders with `id` and `code`",
    "inputs": ".jsonl.zst of Shadertoys that have inputs",
    "traces": "folder that keeps traces between runs",
    "tokens": "file of ShaderPerFormer's token sequences; holds the shaders' code",
    "run": "folder that keeps ShaderPerFormer's training run",
    "grammar": "folder of spirv.core.grammar.json",
}
"""What is not committed, by option."""


@dataclass(frozen=True)
class Recipe:
    """One step: a module of this package and what goes in and out of it, apart by spaces."""

    name: str
    makes: str
    """Paths from the repository's root, or names of `EXTERNAL`."""
    reads: str = ""
    arguments: str = ""
    """For its command line; `{figures}` and the like stand for the paths given."""
    on_ray: bool = False
    """Whether its fits can run on a cluster."""

    @property
    def external(self) -> list[str]:
        """What it needs that is not committed."""
        return [name for name in EXTERNAL if f"{{{name}}}" in self.arguments]

    def command(self, places: Mapping[str, Path], ray: str | None = None) -> list[str]:
        arguments = [each.format(**places) for each in self.arguments.split()]
        if ray is not None and self.on_ray:
            arguments += ["--ray", ray]
        return [sys.executable, "-m", f"models.recipes.{self.name}", *arguments]


_SAMPLES = "models/datasets/model-samples"
_TARGETS = "--target rtx3060 --target rx6600xt --target llvmpipe --target swiftshader"
_ADDITIVE = f"{_SAMPLES} models/*-additive*"
_PREDICTIONS = "models/datasets/predictions"
_LEFT_OUT = "models/datasets/leave-out"
_CHANGES = "models/datasets/changes"
_BASELINES = f"models/*-pilr-refitted models/*-trees {_PREDICTIONS}"

RECIPES = (
    Recipe("grammar_table", "resources/spirv/grammar.json", "", "{grammar}"),
    Recipe("sample_schema", "models/datasets/SCHEMA.md models/datasets/sample.schema.json"),
    Recipe("published_models", "models/*-published", "", "{figures}"),
    Recipe(
        "model_samples", _SAMPLES, "models/datasets/*.parquet",
        "{figures} {corpus} --traces {traces}",
    ),
    Recipe("additive_models", "models/*-additive*", f"{_SAMPLES} models/*-published"),
    Recipe(
        "texture_samples", f"{_SAMPLES}/textures",
        "models/datasets/*.parquet models/datasets/textures/*.parquet", "{inputs}",
    ),
    Recipe("texture_prices", "models/*-additive*", f"{_SAMPLES}/textures models/*-additive*"),
    Recipe(
        "static_counts", f"models/static.json {_SAMPLES}/static.parquet", _ADDITIVE, "{corpus}"
    ),
    Recipe("baselines", _BASELINES, f"{_ADDITIVE} {_SAMPLES}/static.parquet"),
    Recipe("matched_models", "models/*-matched", f"{_ADDITIVE} models/*-published", "{figures}"),
    Recipe("laws", "models/laws.json", f"{_ADDITIVE} models/datasets/gpus", "{figures}"),
    Recipe("domain", "models/domain", _ADDITIVE),
    Recipe("leave_out", _LEFT_OUT, _SAMPLES, on_ray=True),
    Recipe("widths", "models/widths.json", f"{_ADDITIVE} {_LEFT_OUT}"),
    Recipe("witnesses", "models/witnesses.json", f"{_ADDITIVE} {_LEFT_OUT}"),
    Recipe("learning_curves", "models/learning.json", _SAMPLES),
    Recipe(
        "calibrations", "models/calibrations.json",
        f"{_SAMPLES} models/laws.json models/datasets/gpus",
    ),
    Recipe("pairs", "models/pairs.json", f"{_ADDITIVE} {_SAMPLES}"),
    Recipe("forks", f"{_CHANGES}/forks.parquet", _SAMPLES, "{corpus}"),
    Recipe("edits", f"{_CHANGES}/edits.parquet", _SAMPLES, "{corpus} --log {traces}/edits"),
    Recipe("change_bands", "models/changes.json", f"{_ADDITIVE} {_LEFT_OUT} {_CHANGES}/*"),
    Recipe("token_data", "tokens", _SAMPLES, "{corpus} --out {tokens} --traces {traces}"),
    Recipe(
        "train_shaderperformer", "run", "tokens", f"--data {{tokens}} --run {{run}} {_TARGETS}",
        on_ray=True,
    ),
    Recipe(
        "shaderperformer_models", f"models/*-shaderperformer {_PREDICTIONS}",
        f"tokens run {_ADDITIVE}", "--data {tokens} --run {run}",
    ),
    Recipe("calibration_order", "resources/calibration/order.json", "models/*-additive*"),
    Recipe("goals", "", f"{_ADDITIVE} {_CHANGES} models/compilers.json"),
    Recipe(
        "report", "models/REPORT.md models/report",
        f"{_ADDITIVE} {_BASELINES} models/*-published models/widths.json "
        "models/learning.json models/calibrations.json models/laws.json models/pairs.json",
        "--with-test",
    ),
    Recipe("acceptance", "models/REPORT.md", "models/pairs.json models/REPORT.md"),
)  # fmt: skip
"""What one reads, those before it make (a test checks it)."""


def chosen(names: Collection[str]) -> list[Recipe]:
    """The recipes named, or all, in order."""
    return [each for each in RECIPES if not names or each.name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 2 where something is missing, else that of the recipe that failed, or 0."""
    parser = shared.parser(__doc__)
    known = [each.name for each in RECIPES]
    parser.add_argument("recipe", nargs="*", help=f"all by default: {', '.join(known)}")
    for name, what in EXTERNAL.items():
        parser.add_argument(f"--{name}", type=Path, help=what)
    shared.offer_cluster(parser)
    parser.add_argument("--list", action="store_true", help="what each reads and makes")
    parser.add_argument("--dry-run", action="store_true", help="show the commands, run none")
    options = parser.parse_args(arguments)
    if strange := sorted(set(options.recipe) - set(known)):
        parser.error(f"no recipe {strange[0]!r}; there are {', '.join(known)}")
    recipes = chosen(options.recipe)
    if options.list:
        for each in recipes:
            reads = {*each.external, *each.reads.split()} - {*each.makes.split()}
            print(f"{each.name}: {' '.join(sorted(reads)) or '-'} -> {each.makes}")
        return 0
    places = _places(options)
    if missing := sorted({f"--{n}" for each in recipes for n in each.external if n not in places}):
        parser.error(f"needs {', '.join(missing)}, or the names of recipes that do not")
    for each in recipes:
        command = each.command(places, options.ray)
        print(shlex.join(["python", *command[1:]]), flush=True)
        if not options.dry_run and (code := process_group.run(command)):
            return code
    return 0


def _places(options: argparse.Namespace) -> dict[str, Path]:
    given = {name: getattr(options, name) for name in EXTERNAL}
    return {name: path for name, path in given.items() if path is not None}


if __name__ == "__main__":
    sys.exit(main())
