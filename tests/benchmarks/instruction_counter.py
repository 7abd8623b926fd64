"""Instructions and cycles a process spent in user mode, all threads, by Linux's perf_event_open(2).

Only for benchmarks: many machines do not allow it, and instructions are no time.
"""

from __future__ import annotations

import ctypes
import os
import struct

_SYSCALL = 298
"""perf_event_open on x86-64."""
_CYCLES, _INSTRUCTIONS = 0, 1
_INHERIT, _EXCLUDE_KERNEL, _EXCLUDE_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
_ATTRIBUTE_BYTES = 112
_CLOSE_ON_EXEC = 8


class InstructionCounter:
    """Counts from its making on, threads made later included.  Raises OSError where refused."""

    def __init__(self) -> None:
        self._files = [_opened(event) for event in (_CYCLES, _INSTRUCTIONS)]

    def read(self) -> tuple[int, int]:
        """Cycles, instructions so far."""
        return tuple(struct.unpack("Q", os.read(file, 8))[0] for file in self._files)


def _opened(event: int) -> int:
    flags = _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR
    fields = struct.pack("IIQQQQQ", 0, _ATTRIBUTE_BYTES, event, 0, 0, 0, flags)
    attribute = ctypes.create_string_buffer(fields, _ATTRIBUTE_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.syscall(_SYSCALL, attribute, 0, -1, -1, _CLOSE_ON_EXEC)
    if file < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return file
