"""The report's table of what the papers' figures came to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from models.laboratory import measured_figures
from models.laboratory.acceptance import ABSENT, MISSED, REACHED, ByTest, Figures, Goal, Row
from models.recipes import acceptance, shared
from shaderlab.errors import InvalidModel

ROWS = [row for _, rows in acceptance.PAPERS for row in rows]
NODES = [
    node for row in ROWS if isinstance(row.evidence, ByTest) for node in row.evidence.nodes
]  # fmt: skip


@pytest.mark.parametrize("node", NODES)
def test_every_test_that_is_named_is_there(node):
    file, _, name = node.partition("::")
    tree = ast.parse((Path("tests") / file).read_text(encoding="utf-8"))
    names = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    assert name in names if name else names


def test_every_entry_of_the_log_that_is_named_is_there():
    heads = re.findall(r"^## (.*)$", (shared.MODELS / "LOG.md").read_text("utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
    named = {each for row in ROWS for each in re.findall(r"LOG\.md#([^)]*)\)", row.why)}
    assert named
    assert named <= anchors


def test_what_is_kept_is_shown_and_what_is_shown_was_measured():
    kept = measured_figures.read(shared.MODELS)
    asked = {row.evidence.kept for row in ROWS if type(row.evidence) is Figures}
    assert kept.keys() <= asked
    for row in ROWS:
        *_, outcome, by = row.cells(shared.MODELS)
        assert by or outcome == ABSENT, row.says
        assert outcome not in (MISSED, ABSENT) or row.why or type(row.evidence) is Figures, row.says


def test_the_committed_report_has_the_section_of_the_committed_figures():
    report = (shared.MODELS / "REPORT.md").read_text(encoding="utf-8")
    assert acceptance.section(shared.MODELS) in report


def test_the_section_is_put_into_its_place():
    once = acceptance.placed("# A\n\n## B\n\nb\n", f"{acceptance.TITLE}\n\nold")
    assert once == f"# A\n\n## B\n\nb\n\n{acceptance.TITLE}\n\nold\n"
    between = f"# A\n\n{acceptance.TITLE}\n\nold\n\n## B\n\nb\n"
    found = acceptance.placed(between, f"{acceptance.TITLE}\n\nnew")
    assert found == f"# A\n\n{acceptance.TITLE}\n\nnew\n\n## B\n\nb\n"


@pytest.mark.parametrize(
    ("goal", "value", "reached"),
    [
        (Goal("x", most=0.05), 0.05, True),
        (Goal("x", most=0.05), 0.051, False),
        (Goal("x", least=0.95), 0.94, False),
        (Goal("x", near=100.0, is_share=False), 109.0, True),
        (Goal("x", near=100.0, is_share=False), 89.0, False),
        (Goal("x"), 7.0, True),
    ],
)
def test_a_goal_is_reached_or_missed(goal, value, reached, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/home/a/tests/benchmarks/b.py", "--keep", "models"])
    measured_figures.keep(tmp_path, "b", {"x": value})
    *_, outcome, by = Row("says", Figures("b", (goal,))).cells(tmp_path)
    assert outcome == (REACHED if reached else MISSED)
    assert by.startswith("`python -m tests.benchmarks.b`, load ")


def test_what_was_not_kept_is_not_measured(tmp_path):
    assert Row("says", Figures("b", (Goal("x", most=1.0),)), "why").cells(tmp_path)[3] == ABSENT


def test_a_command_has_no_path_of_the_machine():
    argv = ["/x/tests/a/b.py", "/secret/c.jsonl.zst", "--rows", "/secret/r.jsonl", "--n", "3"]
    assert measured_figures.command(argv) == "python -m tests.a.b CORPUS --rows FILE --n 3"


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / measured_figures.FILE).write_text('{"a": {"figures": 1}}')
    with pytest.raises(InvalidModel, match=r"acceptance\.json"):
        measured_figures.read(tmp_path)
