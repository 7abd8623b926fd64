"""`Form`: which version of a program was counted, since a driver does not run what is written."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.spirv.trace import Trace


class Form(StrEnum):
    """The later ones take more to have, and are nearer to what a GPU runs."""

    WRITTEN = "written"
    """The program's own module, as the compiler of the language made it."""
    OPTIMIZED = "optimized"
    """After `spirv-opt -O` (`frontend.optimizing`)."""
    COMPILED = "compiled"
    """As Mesa's compiler leaves it, which is a driver's (`gpu.radv.compiled_program`)."""
    UNROLLED = "unrolled"
    """The same, had its loops of constant bounds been unrolled before, as NVIDIA's compiler does:
    in place of the compiled one, where it is another program.  No prices are fitted to it."""


FITTED = (Form.WRITTEN, Form.OPTIMIZED, Form.COMPILED)
"""Those that prices are fitted to."""

FORMS = {
    "additive": Form.WRITTEN,
    "additive-optimized": Form.OPTIMIZED,
    "additive-compiled": Form.COMPILED,
}
"""By method: of what form of the program it prices the work, which asks for a trace of that."""

METHODS = {form: method for method, form in FORMS.items()}
"""The other way round."""

OtherForms = Mapping[Form, "tuple[Program, Trace]"]
"""A program's other forms, as far as there are any, and traces of the same frame of them."""

_SHOWN = {
    "pilr": "PILR",
    "sh": "SH",
    "pilr-refit": "PILR, refitted",
    "pilr-nonneg": "PILR, refitted, non-negative",
    "sh-refit": "SH, refitted",
    "sh-nonneg": "SH, refitted, non-negative",
    "additive": "fitted prices",
    "additive-optimized": "fitted prices on optimised code",
    "additive-compiled": "fitted prices on compiled code",
    "trees": "boosted trees",
}
"""Methods whose short name does not say it all."""


def method_name(method: str) -> str:
    """`PILR` of `pilr`; what follows a comma stays."""
    name, comma, rest = method.partition(",")
    return f"{_SHOWN.get(name, name)}{comma}{rest}"
