"""Values as golden files hold them; `python -m tests.golden` freezes what the commands answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum


def rounded(value: object) -> str:
    """Its fields, numbers to six digits: other libraries may differ in the last."""

    def plain(each: object) -> object:
        if isinstance(each, float):
            return float(f"{each:.6g}")
        if isinstance(each, Mapping):
            return {str(name): plain(inner) for name, inner in each.items()}
        if isinstance(each, list | tuple | frozenset):
            return [plain(inner) for inner in each]
        if hasattr(each, "__dict__") and not isinstance(each, Enum):
            return plain(vars(each))
        return each

    return json.dumps(plain(value), default=str)
