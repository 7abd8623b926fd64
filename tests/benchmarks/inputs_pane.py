"""What the inputs pane adds to a keystroke: with and without it, in turns, in one run.

    xvfb-run -a python tests/benchmarks/inputs_pane.py [--rounds N] [--inputs N]

A real window with real workers and a shader of many inputs, the pane in front.  Each round types
one character that changes the program.  In every other round the pane gets no updates.  Printed
are medians in milliseconds: the last keystroke to the new picture, and the time the interface's
thread spends on the pane, of rounds in which a number in the code changed, and of rounds in which
an input came or went.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
from pathlib import Path
from time import monotonic, perf_counter

from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start

KINDS = ("float", "vec3", "int", "vec4", "mat4")


def shader(inputs: int, *, more: bool, number: int) -> str:
    members = [f"    {KINDS[n % len(KINDS)]} value{n};" for n in range(inputs + more)]
    return "\n".join([
        "#version 450",
        "layout(location = 0) out vec4 colour;",
        "layout(set = 0, binding = 0) uniform Many {",
        *members,
        "} many;",
        "layout(set = 0, binding = 1) uniform sampler2D wood;",
        f"void main() {{ colour = texture(wood, gl_FragCoord.xy) * {number}.5 + many.value0; }}",
        "",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--inputs", type=int, default=40)
    arguments = parser.parse_args()
    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings(preview_size="320x180"))
        session = window.session
        _wait(app, lambda: session.complete)
        window.layout_.show_tab(window.inputs_panel)
        session.on_device.pictures.playback.pause()
        spent: list[float] = []
        refresh = window.inputs.refresh
        told = True

        def timed() -> None:
            began = perf_counter()
            if told:
                refresh()
            spent.append(perf_counter() - began)

        window.inputs.refresh = timed
        print(f"{platform.machine()}, {os.cpu_count()} cores, {arguments.inputs} inputs")
        print(f"{'':24}{'picture':>12}{'in the pane':>14}")
        session.open_text(shader(arguments.inputs, more=False, number=0), "many", None)
        _wait(app, lambda: session.complete)
        for title, moves in (("a number changes", False), ("an input comes or goes", True)):
            figures: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
            for number in range(2 * arguments.rounds):
                told = number % 2 == 0
                spent.clear()
                more = moves and number // 2 % 2 == 0
                session.edit(shader(arguments.inputs, more=more, number=number + 1))
                _wait(app, lambda: session.latency.picture is not None)
                picture_s = session.latency.picture
                _wait(app, lambda: session.complete)
                figures[told].append((picture_s * 1e3, sum(spent) * 1e3))
            for told, rows in figures.items():
                picture, pane = (statistics.median(column) for column in zip(*rows, strict=True))
                name = f"{title}, {'with' if told else 'without'}"
                print(f"{name:32}{picture:8.1f}{pane:10.2f}", flush=True)
        window.close()


def _wait(app, ready) -> None:
    end = monotonic() + 120
    while not ready():
        if monotonic() > end:
            raise SystemExit("no answer in time")
        start.process_events(app)


if __name__ == "__main__":
    main()
