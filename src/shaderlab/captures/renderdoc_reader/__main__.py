"""Reads a RenderDoc capture, as a program of its own: `renderdoc_reader CAPTURE PACK LIMIT DONE N`.

Run by a Python that has RenderDoc's module, which is seldom ours, so nothing of shaderlab is
imported; Python runs the folder, and finds its modules in it.  Bytes go to the file PACK, at most
LIMIT of them, in pieces that are each written once.  DONE: how many draws another process read
before it crashed, which are left out, -1 for none; N: how many pieces it wrote.  Everything else
goes to stdout as one JSON object a line, whose fields `captures.schema` describes:

- `capture`: API, RenderDoc's version, and all draws of the frame by event;
- `draw`: what one draw reads and writes, or the reason why it cannot be replayed;
- `counters`: RenderDoc's times and invocations by event;
- `progress`: only a sign of life, where the others are far apart;
- `end`, or `error`.

Contents are lists of piece numbers; a line's `pieces` gives digest, place and length of those that
are new.  RenderDoc's API: https://renderdoc.org/docs/python_api, versions 1.24 to 1.32.
"""

import json
import os
import pathlib
import sys
import time

import renderdoc as rd  # pyright: ignore[reportMissingImports]
from draws import Reader  # pyright: ignore[reportMissingImports]
from pack import Pack, Refused  # pyright: ignore[reportMissingImports]
from recorded import Recorded  # pyright: ignore[reportMissingImports]

MOST_LOG_BYTES = 16 << 20


class Progress:
    """Tells that reading goes on, a few times a second."""

    def __init__(self, emit, ends):
        """`ends`: called with the reason if going on is pointless."""
        self._emit = emit
        self._ends = ends
        self._told = 0.0
        self._reached = -1.0

    def made(self):
        now = time.monotonic()
        if now > self._told + 0.2:
            self._told = now
            self._emit({"kind": "progress"})
            self._look_at_log()

    def reached(self, share):
        """RenderDoc's own; one that damage keeps at the same place makes none."""
        if share > self._reached:
            self._reached = share
            self.made()

    def _look_at_log(self):
        """Past the end of damaged contents RenderDoc reads empty chunks and logs an error for each:
        259 MB and ten seconds for contents of 160 MB (seen with 1.24)."""
        log = pathlib.Path(rd.GetLogFile())
        if log.is_file() and log.stat().st_size > MOST_LOG_BYTES:
            self._ends("its contents are damaged: RenderDoc reports error after error")


def replay(path, pack, emit, progress, done):
    if not hasattr(rd.PipeState, "GetReadOnlyResources") or not hasattr(rd, "BindType"):
        raise Refused(
            f"RenderDoc {rd.GetVersionString()} is newer than 1.32, the last that is read"
        )
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    progress.made()
    capture = rd.OpenCaptureFile()
    try:
        result = capture.OpenFile(path, "", None)
        if result != rd.ResultCode.Succeeded:
            raise Refused(str(result.Message() if hasattr(result, "Message") else result))
        if capture.DriverName() != "Vulkan":
            Recorded(capture, pack, emit).read(done)
            return
        progress.made()
        result, controller = capture.OpenCapture(rd.ReplayOptions(), progress.reached)
        if result != rd.ResultCode.Succeeded:
            raise Refused(str(result.Message() if hasattr(result, "Message") else result))
        try:
            Reader(controller, pack, emit).read(done)
        finally:
            controller.Shutdown()
    finally:
        capture.Shutdown()
        rd.ShutdownReplay()


def main():
    # What RenderDoc and drivers print must not reach the stream.
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def emit(record):
        stream.write(json.dumps(record, separators=(",", ":")) + "\n")

    path, pack = sys.argv[1:3]
    limit, done, pieces = map(int, sys.argv[3:])

    def ends(why):
        # RenderDoc's call that this interrupts cannot be left otherwise.
        emit({"kind": "error", "message": why})
        stream.flush()
        os._exit(0)

    progress = Progress(emit, ends)
    try:
        replay(path, Pack(pack, limit, progress.made, pieces), emit, progress, done)
    except Refused as why:
        emit({"kind": "error", "message": str(why)})
    else:
        emit({"kind": "end"})
    stream.flush()
    os._exit(0)  # drivers' threads may hang in their own clean-up


if __name__ == "__main__":
    main()
