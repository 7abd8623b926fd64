"""Texts for a captured shader: the source that its module carries, or one decompiled from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import shaderlab.frontend.tools as tools
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

DECOMPILER = "spirv-cross"
MOST_CHARACTERS = 2_000_000
_TIMEOUT_S = 20.0
_GLSL, _HLSL = 2, 5
"""SPIR-V specification, section 3.2, source languages."""
_HLSL_SUFFIX = ".hlsl"
_DECOMPILED = {Stage.FRAGMENT: ("frag", ".frag"), Stage.COMPUTE: ("comp", ".comp")}
"""The decompiler's word for a stage, and the suffix of its texts."""
_DEBUG_SET = "NonSemantic.Shader.DebugInfo.100"
_DEBUG_SOURCE, _DEBUG_SOURCE_CONTINUED = 35, 102
"""NonSemantic.Shader.DebugInfo.100, instruction numbers."""


class Origin(StrEnum):
    """Where a shader's text is from, as it is said on screen."""

    SOURCE = "source text in the capture"
    DECOMPILED = "decompiled by spirv-cross"
    ASSEMBLY = "assembly"


@dataclass(frozen=True)
class ShaderText:
    """A text that may compile to a module with the same bindings."""

    text: str
    suffix: str
    """Of a file that holds it: `.frag`, `.comp` or `.hlsl`."""
    origin: Origin


def texts(module: Module, entry_point: str, stage: Stage = Stage.FRAGMENT) -> Iterator[ShaderText]:
    """Those that can be had, the best first.

    A decompiler that is missing or fails is passed over: a shader without text is shown as
    assembly.  Waits for the decompiler.
    """
    written = source_text(module, entry_point, stage)
    if written is not None:
        yield written
    with_decompiler = decompiled(module.to_bytes(), entry_point, stage)
    if with_decompiler is not None:
        yield with_decompiler


def source_text(
    module: Module, entry_point: str, stage: Stage = Stage.FRAGMENT
) -> ShaderText | None:
    """The text that defines the entry point, where the module carries it in GLSL or HLSL."""
    found = list(_carried(module))
    begins = re.compile(rf"\b(?:main|{re.escape(entry_point)})\s*\(")
    for language, text in found:
        suffix = {_GLSL: _DECOMPILED[stage][1], _HLSL: _HLSL_SUFFIX}.get(language)
        if suffix is not None and begins.search(text) and len(text) <= MOST_CHARACTERS:
            return ShaderText(_without_preamble(text), suffix, Origin.SOURCE)
    return None


def decompiled(spirv: bytes, entry_point: str, stage: Stage = Stage.FRAGMENT) -> ShaderText | None:
    """Vulkan GLSL of a fragment or compute stage; None without the decompiler or where it refuses.

    The text calls the entry point `main`.
    """
    if tools.find(DECOMPILER) is None:
        return None
    word, suffix = _DECOMPILED[stage]
    command = (
        DECOMPILER, "-", "-V", "--version", "450", "--no-es", "--entry", entry_point,
        "--stage", word, "--output", tools.OUTPUT,
    )  # fmt: skip
    try:
        result = tools.run(command, spirv, timeout_s=_TIMEOUT_S)
    except ShaderlabError:
        return None
    text = result.binary.decode("utf-8", "replace")
    if result.returncode or not text.strip() or len(text) > MOST_CHARACTERS or "\0" in text:
        return None
    return ShaderText(text, suffix, Origin.DECOMPILED)


def _carried(module: Module) -> Iterator[tuple[int, str]]:
    """Language and text of each source that the module carries, in its order."""
    language = 0
    for index in module.indices(Op.Source):
        words = module.instruction_words(index)
        language = words[1]
        if len(words) > 4:
            parts = [module.string(index, 4)]
            following = index + 1
            while following < len(module.opcodes) and (
                int(module.opcodes[following]) == Op.SourceContinued
            ):
                parts.append(module.string(following, 1))
                following += 1
            yield language, "".join(parts)
    for text in _in_debug_information(module):
        yield language or (_HLSL if "SV_" in text else _GLSL), text


def _in_debug_information(module: Module) -> Iterator[str]:
    sets = {
        module.instruction_words(i)[1]
        for i in module.indices(Op.ExtInstImport)
        if module.string(i, 2) == _DEBUG_SET
    }
    strings = {
        module.instruction_words(i)[1]: module.string(i, 2) for i in module.indices(Op.String)
    }
    parts: list[str] = []
    for index in module.indices(Op.ExtInst):
        words = module.instruction_words(index)
        if len(words) < 6 or words[3] not in sets:
            continue
        if words[4] == _DEBUG_SOURCE:
            if parts:
                yield "".join(parts)
            parts = [strings.get(words[6], "")] if len(words) > 6 else []
        elif words[4] == _DEBUG_SOURCE_CONTINUED and parts:
            parts.append(strings.get(words[5], ""))
    if parts:
        yield "".join(parts)


def _without_preamble(text: str) -> str:
    """Without the lines that glslang puts before the user's."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("// OpModuleProcessed"):
        _, mark, rest = text.partition("#line 1\n")
        return rest if mark else text
    return text
