"""RenderDoc's EventGPUDuration of each draw, measured again and again in one replay.

    /usr/bin/python3 tests/benchmarks/renderdoc_times.py F.rdc [REPEATS]

For a Python that has RenderDoc's module.  Prints milliseconds by event: the least, a quarter and
the median of REPEATS (60).
"""

import os
import sys

import renderdoc as rd  # pyright: ignore[reportMissingImports]


def main():
    path, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    capture = rd.OpenCaptureFile()
    capture.OpenFile(path, "", None)
    result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        sys.exit(f"RenderDoc cannot open {path}: {result}")
    times: dict[int, list[float]] = {}
    for _ in range(repeats):
        for each in controller.FetchCounters([rd.GPUCounter.EventGPUDuration]):
            times.setdefault(each.eventId, []).append(each.value.d * 1e3)
    for event, found in sorted(times.items()):
        found.sort()
        least, quarter, middle = (found[len(found) * n // 4] for n in (0, 1, 2))
        sys.stdout.write(f"{event:6} {least:9.3f} {quarter:9.3f} {middle:9.3f}\n")
    sys.stdout.flush()
    os._exit(0)  # drivers' threads may hang in their own clean-up


if __name__ == "__main__":
    main()
