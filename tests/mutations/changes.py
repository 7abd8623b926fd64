"""What may be changed on one line, and which changes are tried."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Collection, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

SOURCE, UNIT = Path("src/shaderlab"), Path("tests/unit")

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NUMERIC = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.BinOp, ast.UnaryOp),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
_NEIGHBOURS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_COMMUTATIVE = frozenset(("min", "max", "math.hypot", "np.minimum", "np.maximum"))


class Mutant(NamedTuple):
    room: str
    path: str
    line: int
    kind: str
    before: str
    after: str
    """The line, without its indentation."""


KINDS = (
    "arguments", "boolean", "comparison", "function", "not", "number", "operator", "removed"
)  # fmt: skip
CHOSEN = "chosen"
"""A number in the declaration of a constant or of a field's default that is nothing but a number:
how long something waits, where a bound is, how much of an effort is made.  A test could only repeat
such a declaration; what the value does is for other lines.  Drawn as numbers, reported apart."""


def room_of(path: Path, root: Path) -> str:
    """The innermost package around a module that has unit tests of its own."""
    inner = path.parent.relative_to(root / SOURCE)
    rooms = (each for each in (inner, *inner.parents) if (root / UNIT / each).is_dir())
    return next(rooms).as_posix()


def mutants(room: str, root: Path) -> Iterator[Mutant]:
    """All there are in a room's files."""
    for path in sorted((root / SOURCE / room).rglob("*.py")):
        if room_of(path, root) != room:
            continue
        text = path.read_text("utf-8")
        lines = text.encode().splitlines()
        tree = ast.parse(text)
        chosen = set(_chosen_lines(tree))
        for node, kind, changed in _changes(tree):
            if node.lineno in chosen:
                kind = CHOSEN
            line = lines[node.lineno - 1]
            inner = ast.unparse(changed)
            if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Name):
                inner = f"({inner})"
            after = line[: node.col_offset] + inner.encode() + line[node.end_col_offset :]
            yield Mutant(
                room,
                str(path.relative_to(root)),
                node.lineno,
                kind,
                line.decode().strip(),
                after.decode().strip(),
            )


def _changes(  # noqa: C901, one case per kind of mutation
    tree: ast.Module,
) -> Iterator[tuple[ast.stmt | ast.expr, str, ast.AST]]:
    """Nodes of one line, and what may stand in their place."""
    for node in _own(tree):
        if not isinstance(node, ast.stmt | ast.expr) or node.lineno != node.end_lineno:
            continue
        if isinstance(node, ast.Compare):
            for at, operator in enumerate(node.ops):
                changed = copy.deepcopy(node)
                changed.ops[at] = _SWAPPED[type(operator)]()
                yield node, "comparison", changed
        elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign):
            if type(node.op) in _SWAPPED and not _is_text(node):
                changed = copy.deepcopy(node)
                changed.op = _SWAPPED[type(node.op)]()
                yield node, "operator", changed
            if isinstance(node, ast.AugAssign):
                yield node, "removed", ast.Pass()
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, "not", node.operand
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            for step in (-1, 1) if isinstance(node.value, int) else (1.0,):
                yield node, "number", ast.Constant(abs(node.value + step))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, "boolean", ast.Constant(not node.value)
        elif isinstance(node, ast.Call):
            of_two = len(node.args) > 1 and ast.unparse(node.func) not in _COMMUTATIVE
            differ = of_two and ast.dump(node.args[0]) != ast.dump(node.args[1])
            if differ and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
                changed = copy.deepcopy(node)
                changed.args[:2] = changed.args[1], changed.args[0]
                yield node, "arguments", changed
            if isinstance(node.func, ast.Name) and node.func.id in _NEIGHBOURS:
                changed = copy.deepcopy(node)
                changed.func = ast.Name(_NEIGHBOURS[node.func.id])
                yield node, "function", changed
        elif _can_go(node):
            yield node, "removed", ast.Pass()


def _chosen_lines(tree: ast.Module) -> Iterator[int]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for node in (each for scope in (tree, *classes) for each in scope.body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            parts = list(ast.walk(node.value))
            if all(isinstance(each, _NUMERIC) for each in parts):
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _can_go(node: ast.stmt | ast.expr) -> bool:
    """Whether the statement is an action, and no binding that others need."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    action = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return action or isinstance(node, ast.Raise | ast.Break | ast.Continue)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose change could matter: no annotations, messages, logging or assertions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_for_people(child):
                continue
            yield child
            yield from _own(child)


def _is_for_people(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True  # of zip: holds unless something else is wrong
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, ast.Expr):
        node = node.value
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")


def _is_text(node: ast.AST) -> bool:
    parts = ast.walk(node)
    return any(isinstance(p, ast.Constant) and isinstance(p.value, str | bytes) for p in parts)


def drawn(
    rooms: list[str], root: Path, seed: int, wanted: Collection[str] = KINDS
) -> Iterator[Mutant]:
    """Mutants of the rooms in turn; of each, kinds of change equally often, and lines once.

    What is drawn of a line follows from its text, so another tree has the same, but for the lines
    that are others there.
    """

    def place(mutant: Mutant) -> bytes:
        return blake2b(repr((seed, mutant.path, mutant.before, mutant.after)).encode()).digest()

    left: dict[str, dict[str, list[Mutant]]] = {}
    for room in rooms:
        kinds: dict[str, list[Mutant]] = {}
        for each in mutants(room, root):
            kind = "number" if each.kind == CHOSEN else each.kind
            if kind in wanted:
                kinds.setdefault(kind, []).append(each)
        for group in kinds.values():
            group.sort(key=place)
        left[room] = kinds
    dice = {room: random.Random(f"{seed} {room}") for room in rooms}
    seen: set[tuple[str, int]] = set()
    while any(left.values()):
        for room in rooms:
            kinds = left[room]
            while kinds:
                kind = dice[room].choice(sorted(kinds))
                each = kinds[kind].pop()
                if not kinds[kind]:
                    del kinds[kind]
                if (each.path, each.line) not in seen:
                    seen.add((each.path, each.line))
                    yield each
                    break
