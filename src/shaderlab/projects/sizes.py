"""Sizes of passes that follow the frame's by an expression: `$WIDTH / 4.0`, `max($WIDTH, 16)`."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shaderlab.errors import WrongUse

LARGEST = 16384
"""Pixels along a side."""
_LONGEST, _DEEPEST = 400, 40
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: math.fmod,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
    "round": lambda x: float(round(x)),
    "abs": math.fabs,
    "min": lambda *each: min(each),
    "max": lambda *each: max(each),
    "sqrt": math.sqrt,
    "pow": math.pow,
    "mod": math.fmod,
}


@dataclass(frozen=True)
class SizeText:
    """One side as it is written."""

    text: str
    where: str
    """What errors begin with."""

    def pixels(self, names: Mapping[str, float]) -> int:
        """The side, rounded down.  Raises WrongUse as `value` does, and for what is no side."""
        side = self.value(names)
        if not 1 <= side < LARGEST + 1:
            raise WrongUse(f"{self.where}: {side:g} pixels; a side has 1 to {LARGEST:,}")
        return int(side)

    def value(self, names: Mapping[str, float]) -> float:
        """Raises WrongUse for what is no expression of numbers, these names and known functions."""
        written = re.sub(r"\$(\w+)", r"\1", self.text.strip())
        try:
            if len(written) > _LONGEST:
                raise WrongUse(f"{self.where}: the expression is too long")
            return float(self._of(ast.parse(written, mode="eval").body, names, 0))
        except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
            raise WrongUse(f'{self.where}: cannot compute "{self.text[:80]}"') from None

    def _of(self, node: ast.expr, names: Mapping[str, float], depth: int) -> float:
        if depth > _DEEPEST:
            raise ValueError
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._of(operand, names, depth + 1)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                sides = (self._of(each, names, depth + 1) for each in (left, right))
                return _BINARY[type(op)](*sides)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
                return _FUNCTIONS[name](*(self._of(each, names, depth + 1) for each in args))
        raise ValueError
