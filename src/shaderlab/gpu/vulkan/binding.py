"""Vulkan's C interface for Python.  The only module that touches the `vulkan` package.

That package's own functions free nested structs too early (its `_new` keeps what a struct points
to in a weak dictionary, keyed by a temporary), so drivers read freed memory.  Here only its cffi
declarations, constants and loaded library are used: a `Struct` owns everything it points to for as
long as it lives, and so does every struct that contains it.

Names are Vulkan's own and are made when first asked for:

- `binding.VK_FORMAT_R8G8B8A8_UNORM`: a constant.
- `binding.VkSubmitInfo(pCommandBuffers=[commands])`: a `Struct`.  `sType` is filled in; a field
  ending in `Count` takes the length of the first list that follows it, unless given.
- `binding.vkCreateFence(device, info, None)`: a command.  With its last parameter left out, that
  is an output: one is allocated and returned (handles and numbers by value, structs by pointer).
  Otherwise its VkResult is returned (VK_TIMEOUT and the like; 0 for commands without a result).
  Errors are raised as `shaderlab.errors`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from shaderlab.errors import DeviceLost, NoVulkan, OutOfDeviceMemory, ShaderlabError

try:
    from vulkan import _vulkan
except OSError:
    raise NoVulkan(
        "the Vulkan loader is missing; install it with: apt install libvulkan1 mesa-vulkan-drivers"
    ) from None

ffi = _vulkan.ffi
_lib = _vulkan.lib

VK_WHOLE_SIZE = (1 << 64) - 1  # the package has -1, which no VkDeviceSize takes

_ERRORS: dict[str, tuple[type[ShaderlabError], str]] = {
    "VK_ERROR_DEVICE_LOST": (DeviceLost, "the driver reports the device lost"),
    "VK_ERROR_OUT_OF_HOST_MEMORY": (OutOfDeviceMemory, "out of host memory"),
    "VK_ERROR_OUT_OF_DEVICE_MEMORY": (OutOfDeviceMemory, "out of device memory"),
    "VK_ERROR_OUT_OF_POOL_MEMORY": (OutOfDeviceMemory, "out of pool memory"),
    "VK_ERROR_FRAGMENTED_POOL": (OutOfDeviceMemory, "out of pool memory"),
    "VK_ERROR_MEMORY_MAP_FAILED": (OutOfDeviceMemory, "device memory cannot be mapped"),
    "VK_ERROR_TOO_MANY_OBJECTS": (OutOfDeviceMemory, "too many allocations"),
    "VK_ERROR_INCOMPATIBLE_DRIVER": (NoVulkan, "no driver with a usable device"),
    "VK_ERROR_INITIALIZATION_FAILED": (NoVulkan, "the driver could not start"),
}


class VulkanError(ShaderlabError):
    """A VkResult that stands for no everyday failure (`errors` has those)."""


class Struct:
    """A C struct, with all the memory it points to."""

    __slots__ = ("_owned", "pointer")

    def __init__(self, type_name: str, **values: Any):
        """`values` by field name: numbers, handles, strings, bytes, Structs, or lists of them."""
        self.pointer: Any = ffi.new(f"{type_name} *")
        """The struct as an owning cffi pointer; fields can be read and set through it."""
        self._owned: list[Any] = []
        count_field = None
        for field, description in _fields(type_name):
            if field == "sType" and field not in values:
                self.pointer.sType = _structure_type(type_name)
            if field.endswith("Count"):
                count_field = field if values.get(field) is None else None
            value = values.pop(field, None)
            if value is None:
                continue
            converted, owner = _convert(value, description.type)
            self._owned.append(owner)
            setattr(self.pointer, field, converted)
            is_list = isinstance(value, list | tuple) and description.type.kind == "pointer"
            if is_list and count_field is not None:
                setattr(self.pointer, count_field, len(value))
                count_field = None
        if values:
            raise TypeError(f"{type_name} has no field {', '.join(values)}")


@cache
def _fields(type_name: str) -> tuple[tuple[str, Any], ...]:
    return tuple(ffi.typeof(type_name).fields)


@cache
def _structure_types() -> dict[str, int]:
    prefix = "VK_STRUCTURE_TYPE_"
    members = ffi.typeof("VkStructureType").relements
    return {
        name.removeprefix(prefix).replace("_", ""): value
        for name, value in members.items()
        if name.startswith(prefix)
    }


def _structure_type(type_name: str) -> int:
    """VK_STRUCTURE_TYPE_* of a struct: the same name in another spelling."""
    return _structure_types()[type_name.removeprefix("struct ").removeprefix("Vk").upper()]


def _convert(value: Any, target: Any) -> tuple[Any, Any]:
    """A value as cffi takes it for C type `target`, and the objects that must live as long as the
    result."""
    if target.kind == "pointer":
        if value is None:
            return ffi.NULL, None
        if isinstance(value, Struct):
            return ffi.cast(target, value.pointer), value
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            if target.item.cname == "char":
                value += b"\0"
            memory = ffi.new("char[]", value)  # aligned for any type, unlike `value` itself
            return ffi.cast(target, memory), memory
        if isinstance(value, list | tuple):
            pairs = [_convert(item, target.item) for item in value]
            array = ffi.new(f"{target.item.cname}[]", [item for item, _ in pairs])
            return array, (array, pairs)
        return value, value
    if isinstance(value, Struct):  # a struct inside a struct
        return value.pointer[0], value
    if target.kind == "array" and isinstance(value, list | tuple):
        pairs = [_convert(item, target.item) for item in value]
        return [item for item, _ in pairs], pairs
    return value, None


def check(command: str, result: int) -> int:
    """`result` if it is no error."""
    if result >= 0:
        return result
    name = ffi.typeof("VkResult").elements.get(result, f"VkResult {result}")
    kind, meaning = _ERRORS.get(name, (VulkanError, "the driver reports an error"))
    raise kind(f"{command}: {meaning} ({name})")


def _bind(name: str, function: Any) -> Callable[..., Any]:
    """A Python callable around a C function pointer."""
    signature = ffi.typeof(function)
    parameters = signature.args
    reports = signature.result.cname == "VkResult"

    def command(*arguments: Any) -> Any:
        pairs = [_convert(a, t) for a, t in zip(arguments, parameters, strict=False)]
        values = [value for value, _ in pairs]
        if len(values) < len(parameters) - 1 or len(values) == len(parameters):
            result = function(*values)
            return check(name, result) if reports else result
        item = parameters[-1].item
        output = ffi.new(f"{item.cname} *")
        result = function(*values, output)
        if reports:
            check(name, result)
        return output if item.kind in ("struct", "union") else output[0]

    command.__name__ = command.__qualname__ = name
    return command


def _struct_maker(name: str) -> Callable[..., Struct]:
    ffi.typeof(name)

    def make(**values: Any) -> Struct:
        return Struct(name, **values)

    make.__name__ = make.__qualname__ = name
    return make


def __getattr__(name: str) -> Any:
    """Make a constant, struct or command on first use (PEP 562)."""
    try:
        if name.startswith("VK_"):
            made = getattr(_vulkan, name)
        elif re.match(r"Vk[A-Z]", name):
            made = _struct_maker(name)
        elif re.match(r"vk[A-Z]", name):
            made = _bind(name, getattr(_lib, name))
        else:
            raise AttributeError
    except (AttributeError, ffi.error):
        raise AttributeError(f"Vulkan has no {name!r} here") from None
    globals()[name] = made
    return made


def enumerate_all(command: str, *arguments: Any) -> list[Any]:
    """The whole list of a command that answers in two calls (count, then items).

    Structs come as cffi references; they stay valid as long as any of them lives.
    """
    bound = globals().get(command) or __getattr__(command)
    return _two_calls(bound, ffi.typeof(getattr(_lib, command)).args[-1].item, arguments)


def _two_calls(bound: Callable[..., Any], item: Any, arguments: Iterable[Any]) -> list[Any]:
    count = ffi.new("uint32_t *")
    while True:
        bound(*arguments, count, None)
        if not count[0]:
            return []
        items = ffi.new(f"{item.cname}[]", count[0])
        if item.kind == "struct" and item.fields[0][0] == "sType":
            for index in range(count[0]):
                items[index].sType = _structure_type(item.cname)
        if bound(*arguments, count, items) != _vulkan.VK_INCOMPLETE:
            break
    found = items[0 : count[0]]
    if item.kind != "struct":
        return list(found)
    return [_Item(items, index) for index in range(count[0])]


class _Item:
    """One struct of an array, keeping the array alive."""

    __slots__ = ("_array", "_struct")

    def __init__(self, array: Any, index: int):
        self._array = array
        self._struct = array[index]

    def __getattr__(self, field: str) -> Any:
        return getattr(self._struct, field)


def device_command(device: Any, name: str) -> Callable[..., Any]:
    """A command of a device extension, which the loader does not export by name."""
    address = __getattr__("vkGetDeviceProcAddr")(device, name)
    if address == ffi.NULL:
        raise VulkanError(f"the device has no {name}")
    return _bind(name, ffi.cast(f"PFN_{name}", address))


def enumerate_device_command(device: Any, name: str, *arguments: Any) -> list[Any]:
    """`enumerate_all` for a command of a device extension, all whose arguments follow its name."""
    item = ffi.typeof(f"PFN_{name}").args[-1].item
    return _two_calls(device_command(device, name), item, arguments)


def text(characters: Any) -> str:
    """A C string or char array as str; bytes that are not UTF-8 are replaced."""
    contents = ffi.string(characters)
    assert isinstance(contents, bytes)  # of char, not of wchar_t
    return contents.decode("utf-8", "replace")
