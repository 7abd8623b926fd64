"""Every failure a user can meet, as one family of exceptions.

Each carries a one-line message that says what is wrong and where.  They are pickled to cross
process boundaries, so each is built from positional arguments only.
"""

from __future__ import annotations

from typing import Self


class ShaderlabError(Exception):
    """Base of the errors a user may see that are not bugs; `str()` is the line shown."""

    exit_code = 1
    """Exit code of a command that ends with it: 1 the shader or device failed, 2 wrong use."""
    remedy: str = ""
    """What the user can do about it, as a sentence; empty where the message is enough."""

    def with_remedy(self, remedy: str) -> Self:
        """Set the remedy, which pickling keeps, and return this error."""
        self.remedy = remedy
        return self


class WrongUse(ShaderlabError):
    """The command was called wrongly: an unknown option value, an unreadable file."""

    exit_code = 2


class InvalidModule(ShaderlabError):
    """A word stream that is not a valid SPIR-V module."""


class MissingTool(ShaderlabError):
    """A program shaderlab needs (glslangValidator, spirv-val, …) is not installed."""


class CompileFailed(ShaderlabError):
    """The text does not compile.  `diagnostics` says where (`frontend.program.Diagnostic`)."""

    def __init__(self, message: str, diagnostics: tuple = ()):
        super().__init__(message, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return self.args[0]


class NoDisplay(ShaderlabError):
    """There is no screen to open a window on."""


class NoVulkan(ShaderlabError):
    """No Vulkan loader, no driver, or no device that can run a fragment shader."""


class UnknownDevice(WrongUse):
    """The named device is not among those found; the message lists them."""


class UnknownTarget(WrongUse):
    """The named prediction target is not among those installed; the message lists them."""


class NoTargets(ShaderlabError):
    """No target can be predicted: no model is installed that can be read."""


class NoTimestamps(ShaderlabError):
    """The device's queue cannot write timestamps, so nothing can be profiled on it."""


class UnsupportedShader(ShaderlabError):
    """The module is valid but needs something that this device or our pipeline layout lacks."""


class OutOfDeviceMemory(ShaderlabError):
    """An allocation failed, or would exceed the memory budget."""


class DeviceLost(ShaderlabError):
    """The driver reported VK_ERROR_DEVICE_LOST, or the worker process died during a request."""


class StartFailed(DeviceLost):
    """A worker did not start: its driver is missing or broken, independent of the shader."""


class DeviceStuck(ShaderlabError):
    """The device no longer responds; the request is not to blame."""


class StuckDuring(DeviceStuck):
    """The same, of a request that was in flight then: its program may be the cause."""


class NodeStuck(StuckDuring):
    """The same of one of several devices: the others go on."""


class ShaderTimeout(ShaderlabError):
    """A request missed its deadline; the worker was killed and replaced."""


class OutOfMemory(ShaderlabError):
    """A worker grew past its memory limit and was killed, or an allocation in it failed."""


class Abandoned(ShaderlabError):
    """The request was stopped because its answer is no longer needed; its worker was replaced."""


class Quarantined(ShaderlabError):
    """The program killed a worker before and is not run again unless the user asks for it."""


class CounterOverflow(ShaderlabError):
    """A block ran more often in one invocation than its 32-bit counter can hold."""


class InvalidAsset(WrongUse):
    """An image or mesh file that is damaged, too large or of a kind that is not read."""


class InvalidModel(ShaderlabError):
    """A model file that is truncated, of another version, or out of range."""


class CalibrationFailed(ShaderlabError):
    """Too few shaders could be timed, or there is no model to start from."""


class InvalidSample(ShaderlabError):
    """A row of a data set that breaks the schema or contradicts itself."""


class InvalidDataset(WrongUse):
    """A store, data set or program bundle that is truncated, of another format or version."""


class NotWritten(InvalidDataset):
    """A store, data set or program bundle cannot be written: no space or no permission."""


class InternalError(ShaderlabError):
    """A bug of shaderlab's in a worker; its traceback is in the log."""
