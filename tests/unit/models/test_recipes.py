from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models import recipes
from models.recipes import shared, texture_prices
from models.recipes.__main__ import EXTERNAL, RECIPES, chosen, main
from shaderlab.training import methods


def test_every_recipe_is_in_the_table_and_can_run():
    folder = Path(recipes.__path__[0])
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__", "shared"}
    assert {each.name for each in RECIPES} == modules
    for each in RECIPES:
        spec = find_spec(f"models.recipes.{each.name}")
        assert spec is not None
        assert spec.origin is not None
        assert '__name__ == "__main__"' in Path(spec.origin).read_text(encoding="utf-8")


def test_nothing_is_read_before_it_is_made():
    made_anywhere = {path for each in RECIPES for path in each.makes.split()}
    made: set[str] = set()
    for each in RECIPES:
        early = set(each.reads.split()) & made_anywhere - made
        assert not early, f"{each.name} reads {early} before it is made"
        made |= set(each.makes.split())


def test_what_is_read_is_made_committed_or_given():
    made = {path for each in RECIPES for path in each.makes.split()} | set(EXTERNAL)
    root = Path(__file__).parents[3]
    for path in (path for each in RECIPES for path in each.reads.split()):
        assert path in made or any(root.glob(path)), path


def test_a_dry_run_shows_the_commands_in_order(capsys, tmp_path):
    code = main(["matched_models", "published_models", "--figures", str(tmp_path), "--dry-run"])
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert [line.split()[2].rpartition(".")[2] for line in lines] == [
        "published_models",
        "matched_models",
    ]
    assert all(str(tmp_path) in line for line in lines)


def test_a_cluster_is_named_to_the_recipes_that_can_use_one(capsys):
    assert main(["domain", "leave_out", "--ray", "head:6379", "--dry-run"]) == 0
    domain, leave_out = capsys.readouterr().out.splitlines()
    assert "head" not in domain
    assert leave_out.endswith("recipes.leave_out --ray head:6379")
    for each in RECIPES:
        spec = find_spec(f"models.recipes.{each.name}")
        assert spec is not None
        text = Path(str(spec.origin)).read_text(encoding="utf-8")
        assert each.on_ray is ("shared.offer_cluster(" in text)


def test_an_address_where_no_cluster_answers_ends_a_recipe(capsys):
    pytest.importorskip("torch", reason="needs the training extra")
    parser = shared.parser("Fit.")
    shared.offer_cluster(parser)
    with (
        pytest.raises(SystemExit) as left,
        shared.engine(parser, parser.parse_args(["--ray", "127.0.0.1:1"])),
    ):
        pytest.fail("there is a cluster")
    said = capsys.readouterr().err
    assert (left.value.code == 2 and "127.0.0.1:1" in said) or "shaderlab[cluster]" in said


def test_the_list_says_what_each_reads_and_makes(capsys):
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(chosen(()))
    (static,) = (line for line in lines if line.startswith("static_counts: "))
    assert "corpus models/*-additive* models/datasets/model-samples ->" in static


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["static_counts"], "--corpus"), (["no_such"], "no recipe 'no_such'")],
)
def test_what_is_missing_is_said_before_anything_runs(arguments, reason, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert reason in capsys.readouterr().err


def test_prices_of_textures_are_fitted_to_every_shader_that_reads_one():
    def shader(*operations: str) -> Any:
        return SimpleNamespace(example=SimpleNamespace(operations=operations))

    reads = "fragment:OpImageSampleImplicitLod"
    shaders = (shader("OpFAdd", reads), shader("OpFAdd"), shader(reads))
    cohort = methods.Cohort("x", shaders, tuple("abc"))  # type: ignore[arg-type]
    assert texture_prices.reading(cohort).timed == ("a", "c")


def test_every_script_has_its_line_in_the_readme():
    folder = Path(__file__).parents[3] / "models"
    rows = set(re.findall(r"^\| `(\w+)` \|", (folder / "README.md").read_text(), re.M))
    scripts = {each.stem for each in folder.glob("*/*.py")} - {"__main__"}
    assert rows == scripts
