"""Starts a program under RenderDoc and captures a frame of it, as a program of its own.

    renderdoc_capture.py TEMPLATE DELAY FRAME FOLDER PROGRAM [ARGUMENT …]

TEMPLATE: path that RenderDoc adds a name to; DELAY: seconds after the start when the frame is
taken, or `-`: when a line arrives on stdin; FRAME: its number instead, or `-`.  Writes one JSON
object a line to stdout: `started`, then `captured` with the path, or `error`.  Run by a Python that
has RenderDoc's module, so it imports nothing of shaderlab.
"""

import json
import os
import shlex
import sys
import threading
import time

import renderdoc as rd  # pyright: ignore[reportMissingImports]

_CONNECT_S = 20.0


def main():
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def emit(**record):
        stream.write(json.dumps(record) + "\n")
        stream.flush()

    template, delay, frame, folder, program, *arguments = sys.argv[1:]
    try:
        found = capture(template, delay, frame, folder, program, arguments, emit)
    except Exception as error:  # noqa: BLE001  nobody reads stderr
        found = {"kind": "error", "message": f"{type(error).__name__}: {error}"[:500]}
    emit(**found)
    stream.flush()
    os._exit(0)


def capture(template, delay, frame, folder, program, arguments, emit):
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    line = " ".join(shlex.quote(each) for each in arguments)
    started = rd.ExecuteAndInject(
        program, folder, line, [], template, rd.GetDefaultCaptureOptions(), False
    )
    if started.result != rd.ResultCode.Succeeded:
        return {"kind": "error", "message": "it did not start: " + message(started.result)}
    target = connected(started.ident)
    if target is None:
        return {"kind": "error", "message": "RenderDoc got no connection to it"}
    emit(kind="started")
    asked = threading.Event()
    begin = time.monotonic()
    if frame != "-":
        target.QueueCapture(int(frame), 1)
    elif delay == "-":
        threading.Thread(target=lambda: (sys.stdin.readline(), asked.set()), daemon=True).start()
    is_pending, presents = frame == "-", {}
    while target.Connected():
        due = asked.is_set() if delay == "-" else time.monotonic() - begin >= float(delay)
        if is_pending and due:
            target.TriggerCapture(1)
            is_pending = False
        if not is_pending and presents and all(presents.values()):
            name, why = next(iter(presents.items()))
            return {"kind": "error", "message": f"RenderDoc cannot capture its {name}: {why}"}
        found = target.ReceiveMessage(None)
        if found.type == rd.TargetControlMessageType.NewCapture:
            return {"kind": "captured", "path": found.newCapture.path}
        if found.type == rd.TargetControlMessageType.RegisterAPI and found.apiUse.presenting:
            presents[found.apiUse.name] = refusal(found.apiUse)
        if found.type == rd.TargetControlMessageType.Disconnected:
            break
    return {"kind": "error", "message": "it ended before a frame was captured"}


def connected(ident):
    end = time.monotonic() + _CONNECT_S
    while time.monotonic() < end:
        target = rd.CreateTargetControl("", ident, "shaderlab", True)
        if target is not None and target.Connected():
            return target
        time.sleep(0.1)
    return None


def refusal(use):
    """Why RenderDoc does not capture an API as the program uses it; empty if it does."""
    if use.supported:
        return ""
    lines = [each.strip(" -") for each in getattr(use, "supportMessage", "").splitlines()]
    if not any(lines):
        return "it does not support how the program uses it"
    return f"{lines[0]} {', '.join(each for each in lines[1:] if each)}"[:500]


def message(result):
    return str(result.Message() if hasattr(result, "Message") else result)[:500]


if __name__ == "__main__":
    main()
