"""Text or file -> `Program`: the steps of the front end in order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files
from shaderlab.errors import CompileFailed, InvalidModule, ShaderlabError, WrongUse
from shaderlab.frontend import binary, diagnostics, includes, scanner, source_text
from shaderlab.frontend.dialects import registry, unreadable
from shaderlab.frontend.dialects.family import Attempt, Family, Text, not_included
from shaderlab.frontend.initial_values import IGNORED, initial_values, parameters
from shaderlab.frontend.kernel_checks import checked
from shaderlab.frontend.program import Diagnostic, Given, Program, Severity
from shaderlab.frontend.reading import RECOGNISED, Language, Reading
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.language import syntax
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes import opaque_members
from shaderlab.spirv.trace import SourceLine

_UPPER_LEFT = re.compile(
    r"\blayout\s*\([^()]*\borigin_upper_left\b[^()]*\)\s*in\s+vec4\s+gl_FragCoord\b"
)
_EMPTY_LIST = re.compile(r"=\s*\{\s*\}")
"""No initialiser of GLSL 4.60 (section 4.1.14); glslang crashes on that of a struct."""
_OPAQUE_MEMBERS = "OpTypeStruct must not contain an opaque type"
"""The validator's words for a struct with a sampler in it."""
_HAVE_ENTRIES = frozenset({None, Language.HLSL, Language.OBS, Language.SLANG, Language.WGSL})


def load_program(path: Path, reading: Reading = RECOGNISED) -> Program:
    """The shader in a file, of any dialect; SPIR-V is recognised by its first word.

    Raises WrongUse (unreadable), CompileFailed, InvalidModule, MissingTool, ShaderTimeout.
    """
    data = files.read_bytes(path, binary.MAX_BYTES)
    if binary.is_spirv(data):
        return binary.load(data, path.name, reading.stage, reading.entry)
    if len(data) > source_text.MAX_BYTES:
        raise source_text.failure(
            path.name,
            f"{len(data):,} bytes of source, the limit is {source_text.MAX_BYTES:,}",
        )
    return compile_text(source_text.decode(data, path.name), path.name, path.parent, reading)


def compile_text(
    text: str, name: str, folder: Path | None, reading: Reading = RECOGNISED
) -> Program:
    """Compile a shader of any dialect to unoptimised SPIR-V with line information.

    `name` is its file's, or for display; `#include` is looked up in `folder` and the folders of
    `reading`, and nowhere without one.  Where its dialect can be compiled in more than one way
    (a Shadertoy body that fails under `#version 310 es`, as 450), a note says which was taken.
    Raises CompileFailed with every diagnostic, MissingTool, and ShaderTimeout if glslang hangs.
    """
    source_text.check(text, name)
    unified = source_text.unify_line_ends(text)
    reason = unreadable.reason(
        Text(name, unified, reading), lambda each: includes.is_found(each, folder, reading.search)
    )
    if reason:
        raise source_text.failure(name, reason)
    expansion = includes.expand(unified, folder, reading.search)
    if not scanner.blank(expansion.text).strip():
        raise source_text.failure(name, f"nothing to compile; start with {diagnostics.MAIN_IMAGE}")
    known = Text(name, expansion.text, reading, _beside(name, folder))
    family = registry.family(known)
    if reading.stage is None and (stage := family.stage(known)) is not known.stage:
        known = replace(known, reading=replace(reading, stage=stage))
    is_glsl = family.language not in _HAVE_ENTRIES
    if is_glsl and (empty := _EMPTY_LIST.search(scanner.blank(unified))):
        says = "an initialiser has no values: write one for every member"
        raise source_text.failure(name, says, *source_text.position(unified[: empty.start()]))
    if (
        reading.entry not in ("", "main")
        and is_glsl
        and reading.entry not in family.entry_points(known)
    ):
        raise WrongUse(f"{name}: GLSL begins with main, not {reading.entry} (--entry)")
    outcome, notes = _compile(family, known, expansion)
    left_out = None
    if not reading.whole:
        left_out = family.left_out(known) or _other_entries(family, known, outcome.attempt)
    if left_out:
        notes = (left_out, *notes)
    initial = initial_values(outcome.attempt)
    made = Program(
        name,
        outcome.attempt.dialect,
        text,
        outcome.spirv,
        outcome.attempt.entry,
        (*notes, *(each for each in outcome.diagnostics if not _is_answered(each, initial))),
        expansion.paths,
        known.stage,
        {**initial, **parameters(known.text), **family.given(known)},
        left_out.message if left_out else "",
        family.is_part(known) and not reading.whole,
        origin_upper_left=bool(_UPPER_LEFT.search(known.code)),
    )
    return checked(made)


def entry_points(
    shader: str | Path, name: str, folder: Path | None, reading: Reading
) -> tuple[str, ...]:
    """Functions that the stage of a text, or of the SPIR-V module at a path, may begin with.

    Empty in languages that have no choice.  Raises as `compile_text` and `load_program` do.
    """
    stage = reading.stage or Stage.FRAGMENT
    if isinstance(shader, Path):
        module = Module.parse(files.read_bytes(shader, binary.MAX_BYTES))
        model = stage.execution_model
        return tuple(e.name for e in module.entry_points if e.execution_model == model)
    source_text.check(shader, name)
    expansion = includes.expand(source_text.unify_line_ends(shader), folder, reading.search)
    text = Text(name, expansion.text, reading)
    return registry.family(text).entry_points(text)


@dataclass(frozen=True)
class _Outcome:
    """What became of one attempt to compile."""

    attempt: Attempt
    spirv: bytes
    """Empty when it failed."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        return not self.spirv

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


def _other_entries(family: Family, text: Text, taken: Attempt) -> Diagnostic | None:
    """A note on which of several functions is run, where the user did not choose."""
    names = [] if text.reading.entry else family.entry_points(text)
    others = [name for name in names if name != taken.rules.entry]
    if len(names) < 2 or not others:
        return None
    line = text.text[: max(text.code.find(f"{others[0]}("), 0)].count("\n") + 1
    says = (
        f"Only {taken.rules.entry} is run and costed, of {len(names)} entry points; "
        f"{not_included(others)} (--entry NAME runs another)"
    )
    return Diagnostic(line, 0, Severity.NOTE, says)


def _is_answered(each: Diagnostic, initial: Mapping[str, Given]) -> bool:
    """Whether it says of a value that it is ignored, which is not."""
    name = re.match(r"'(\w+)'", each.message)
    return (
        IGNORED in each.message
        and name is not None
        and any(path.partition(".")[0] == name[1] for path in initial)
    )


def _compile(
    family: Family, text: Text, expansion: includes.Expansion
) -> tuple[_Outcome, tuple[Diagnostic, ...]]:
    """The first attempt that succeeds, and notes on those before.

    Raises CompileFailed with the errors of the attempt that has the fewest.
    """
    best: _Outcome | None = None
    for attempt in family.attempts(text):
        outcome = _attempted(attempt, expansion)
        if not outcome.failed:
            if best is None or not attempt.remark:
                return outcome, ()
            return outcome, (_remark(attempt, best.errors[0]),)
        if best is None or len(outcome.errors) < len(best.errors):
            best = outcome
    # What an include lacks may be all that is missing.
    hint = "" if expansion.faults else family.hint(text)
    if best is None:
        raise source_text.failure(text.name, hint or next(iter(expansion.faults), ""))
    if hint and hint == unreadable.other_stage(text):
        raise _misread(text.name, best, hint)
    raise _failure(text, best, hint)


def _attempted(attempt: Attempt, expansion: includes.Expansion) -> _Outcome:
    made = attempt.compiled()
    spirv, fault = made.spirv, Diagnostic(0, 0, Severity.ERROR, made.fault)
    if spirv and attempt.is_checked:
        spirv, fault = _validated(spirv)
    language = syntax.Language.HLSL if attempt.rules.is_hlsl else syntax.Language.GLSL
    found = diagnostics.parse(made.log, expansion, attempt.source, language)
    if not spirv and not any(d.severity is Severity.ERROR for d in found):
        found = (*found, fault)
    return _Outcome(attempt, spirv, found)


def _validated(spirv: bytes) -> tuple[bytes, Diagnostic]:
    """The module, or what is valid in its place; else empty.  With what is wrong with it then."""
    line, says = SourceLine("", 0), ""
    try:
        toolchain().validate(spirv)
    except InvalidModule as error:
        if _OPAQUE_MEMBERS in str(error):
            try:
                return _validated(opaque_members.split(Module.parse(spirv)))
            except opaque_members.NotSplit as reason:
                line, says = reason.line or line, f"a struct holds a sampler: {reason}"
        else:
            says = f"the compiler made a module that is {error}"
        spirv = b""
    return spirv, Diagnostic(line.line, 0, Severity.ERROR, says, line.file)


def _beside(name: str, folder: Path | None) -> bytes:
    """Contents of the JSON file that may hold the shader's values; empty where there is none."""
    path = Path(name)
    if folder is None or path.name != name or path.suffix in ("", ".json"):
        return b""
    with suppress(ShaderlabError, ValueError):
        beside = folder / path.with_suffix(".json")
        there = files.looked_for(beside, source_text.MAX_BYTES)
        return files.read_bytes(beside, source_text.MAX_BYTES) if there else b""
    return b""


def _remark(attempt: Attempt, error: Diagnostic) -> Diagnostic:
    message = f"{attempt.remark}{error.message}"
    return Diagnostic(error.line, error.column, Severity.NOTE, message, error.file)


def _misread(name: str, outcome: _Outcome, cause: str) -> CompileFailed:
    """All errors have one cause, which comes first."""
    found = (Diagnostic(0, 0, Severity.ERROR, cause), *outcome.diagnostics)
    return CompileFailed(f"{name}: {cause} (and {len(outcome.errors)} errors that follow)", found)


def _failure(text: Text, outcome: _Outcome, hint: str) -> CompileFailed:
    first, *others = outcome.errors
    found = outcome.diagnostics
    if text.stage is not Stage.FRAGMENT:
        found = (*found, Diagnostic(0, 0, Severity.NOTE, f"read as a {text.stage.shown} shader"))
    if hint and not first.line and not others:
        # Of a whole text one sentence can say both.
        first = replace(first, message=f"{first.message}; {hint}")
        found = tuple(first if each is outcome.errors[0] else each for each in found)
    elif hint:
        found = (*found, Diagnostic(0, 0, Severity.NOTE, hint))
    place = ":".join(
        part
        for part in (first.file or text.name, str(first.line or ""), str(first.column or ""))
        if part
    )
    more = f" (and {len(others)} more)" if others else ""
    return CompileFailed(f"{place}: {first.message}{more}", found)
