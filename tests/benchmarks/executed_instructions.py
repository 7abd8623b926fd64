"""How many instructions does a software device execute per draw?  Run by hand:

    python -m tests.benchmarks.executed_instructions CORPUS --to FILE [--shaders 4000]
    python tests/benchmarks/additive_model.py --optimized --target llvmpipe --labels FILE

Unlike its time, the number is the same on a loaded machine and on a quiet one, to a part in a
thousand: what a model of prices gets wrong of it is the model's own fault.  Shaders that models are
fitted to or validated on, in random order, one JSON line each in FILE, which a later run continues.
A shader that kills its process or takes over a minute is passed by.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from models.laboratory import published_samples
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import discover
from shaderlab.scene.draw import Draw
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.splits import Split, split_of
from tests.benchmarks.instruction_counter import InstructionCounter

SEED = 3
DRAWS = 3
"""The least of so many: the first may still compile."""
_LONGEST_S = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--shaders", type=int, default=4000)
    parser.add_argument("--device", default="llvmpipe")
    options = parser.parse_args()
    info = discover().choose(options.device)
    ids = _ids(info.slug)[: options.shaders]
    done = set()
    if options.to.exists():
        done = {json.loads(line)["id"] for line in options.to.read_text().splitlines()}
    texts = published_samples.texts(options.corpus, set(ids) - done)
    with options.to.open("a") as file:
        for shader_id, count in _counted(
            info, [(each, texts[each]) for each in ids if each in texts]
        ):
            file.write(json.dumps({"id": shader_id, "instructions": count}) + "\n")
            file.flush()


def _ids(device: str) -> list[str]:
    _, times = shader_data.read(data_folder())
    ids = sorted(each.id for each in times[device] if split_of(each.id) is not Split.TEST)
    random.Random(SEED).shuffle(ids)
    return ids


def _counted(info: DeviceInfo, shaders: Sequence[tuple[str, str]]):
    """Ids and instructions per draw, None where there is no telling."""
    context = multiprocessing.get_context("spawn")
    child, pipe = None, None
    for shader_id, text in shaders:
        if child is None:
            pipe, other = context.Pipe()
            child = context.Process(target=_serve, args=(info, other), daemon=True)
            child.start()
            other.close()
        count = None
        try:
            pipe.send(text)
            if pipe.poll(_LONGEST_S):
                count = pipe.recv()
            else:
                raise EOFError
        except (EOFError, OSError):
            child.kill()
            child = None
        yield shader_id, count


def _serve(info: DeviceInfo, pipe: Connection) -> None:
    counter = InstructionCounter()
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device
    from shaderlab.gpu.vulkan.profiling import TimedDraws

    with Device.open(info) as device:
        while True:
            text = pipe.recv()
            count = None
            try:
                program = compile_text(text, "counted", None)
                with TimedDraws(device, Draw.of(program, (512, 384))) as timed:
                    count = min(_one(timed, counter) for _ in range(DRAWS))
            except ShaderlabError as error:
                print(f"left out: {error}")
            pipe.send(count)


def _one(timed, counter: InstructionCounter) -> int:
    before = counter.read()[1]
    timed.trial(1)
    return counter.read()[1] - before


if __name__ == "__main__":
    main()
