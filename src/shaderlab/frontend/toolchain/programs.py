"""The tool chain as programs, one process for each call: glslangValidator, spirv-val and so on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property

from shaderlab import locations
from shaderlab.errors import InvalidModule
from shaderlab.frontend import tools
from shaderlab.frontend.toolchain.cache import ResultCache
from shaderlab.frontend.toolchain.interface import (
    REGISTER_BINDINGS,
    VULKAN,
    Compilation,
    Rules,
    Toolchain,
    first_line,
    universal_environment,
    vulkan_environment,
)

_GLSLANG = "glslangValidator"
_FLAGS = ("--target-env", "vulkan1.2", "-g", "--quiet", "-o", tools.OUTPUT)
_RELAXED = ("-R", "--aml", "--amb")
_HLSL = ("-D", "--aml", "--amb")
_SHIFTS = {"b": ("ubo",), "t": ("texture",), "s": ("sampler",), "u": ("image", "ssbo", "uav")}
# glslang stops at the first error unless asked to go on; it costs nothing where there is none.
_ALL_ERRORS = "-C"
_COLUMNS = "--error-column"


class Programs(Toolchain):
    """Bounded in time and memory each, and a crash is the program's.

    What glslang answered is kept on disk by the source and by which glslang it was: starting it
    takes 50 times as long as compiling.
    """

    def compile(self, source: str, rules: Rules = VULKAN) -> Compilation:
        base = _flags(rules)
        digest = hashlib.sha256()
        for part in (tools.identity(_GLSLANG), *base, source):
            digest.update(part.encode() + b"\0")
        key = digest.hexdigest()
        known = self._cache.get(key)
        if known is not None:
            return known
        flags = (*base, _COLUMNS) if self._prints_columns else base
        # Its HLSL parser can run on without end after an error.
        more = () if rules.is_hlsl else (_ALL_ERRORS,)
        result = tools.run([_GLSLANG, *flags, *more], source.encode())
        if result.returncode < 0:
            # Going on after an error can crash it; the first error alone is the safer answer.
            result = tools.run([_GLSLANG, *flags], source.encode())
        made = _compilation(result)
        self._cache.put(key, made)
        return made

    def validate(self, spirv: bytes, *, universal: bool = False) -> None:
        rules = universal_environment(spirv) if universal else vulkan_environment(spirv)
        result = tools.run(
            ["spirv-val", "--scalar-block-layout", "--target-env", rules, "-"], spirv
        )
        if result.returncode != 0:
            raise InvalidModule(f"not valid SPIR-V: {first_line(result.text)}")

    def disassemble(self, spirv: bytes) -> str:
        result = tools.run(["spirv-dis", "--no-color", "-o", tools.OUTPUT, "-"], spirv)
        if result.returncode != 0:
            raise InvalidModule(f"spirv-dis: {first_line(result.text)}")
        return result.binary.decode("utf-8", errors="replace")

    def optimize(self, spirv: bytes, passes: Sequence[str]) -> bytes:
        result = tools.run(["spirv-opt", *passes, "-o", tools.OUTPUT, "-"], spirv)
        if result.returncode != 0:
            raise InvalidModule(first_line(result.text))
        return result.binary

    def versions(self) -> Mapping[str, str]:
        return {
            library: f"{tools.version(program) or 'unknown'}, program"
            for library, program in (("glslang", _GLSLANG), ("SPIRV-Tools", "spirv-val"))
            if tools.find(program) is not None
        }

    def missing(self) -> Mapping[str, str]:
        return {n: package for n, package in tools.DEBIAN_PACKAGES.items() if tools.find(n) is None}

    def warm_up(self) -> None:
        """Nothing lasts from one process to the next."""

    @cached_property
    def _cache(self) -> ResultCache:
        return ResultCache(locations.user_cache() / "compiled")

    @cached_property
    def _prints_columns(self) -> bool:
        """Whether this glslang knows `--error-column` (version 13 does not)."""
        return tools.run([_GLSLANG, _COLUMNS, "--version"]).returncode == 0


def _flags(rules: Rules) -> tuple[str, ...]:
    flags = ["--stdin", "-S", rules.stage.value, *_FLAGS]
    if rules.is_hlsl:
        flags += [*_HLSL, "-e", rules.entry]
        if not rules.is_legalized:
            flags.append("-Od")
        if rules.has_dx9_samplers:
            flags.append("--hlsl-dx9-compatible")
        if rules.are_registers_apart:
            for register, kinds in _SHIFTS.items():
                for kind in kinds:
                    flags += [f"--shift-{kind}-binding", str(REGISTER_BINDINGS[register])]
    elif rules.is_relaxed:
        flags += _RELAXED
    return tuple(flags)


def _compilation(result: tools.ToolResult) -> Compilation:
    if result.returncode == 0:
        return Compilation(result.binary, result.text)
    how = (
        f"crashed on this text (signal {-result.returncode})"
        if result.returncode < 0
        else f"failed without a message (exit status {result.returncode})"
    )
    return Compilation(b"", result.text, f"{_GLSLANG} {how}")
