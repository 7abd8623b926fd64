"""What a campaign on a Ray cluster does: nodes killed at random, throughput, the same set as the
pool, and what eight machines would take.

    python -m tests.benchmarks.cluster_campaign [--only kills|pool|throughput|projection]

Needs Ray (`pip install 'shaderlab[cluster]'`); the nodes are processes of this machine, each with
llvmpipe, so they share its cores: throughput says what handing out costs, not what more machines
bring.  That is projected (`project`) from the measured times of shaders.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import os
import queue
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.campaigns import corpus
from shaderlab.campaigns.campaign import Campaign, Progress
from shaderlab.campaigns.cluster import Cluster
from shaderlab.campaigns.cluster_host import PROCESSOR, SOFTWARE
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.station import Options
from shaderlab.campaigns.streaming import Stream
from shaderlab.gpu.discovery import discover
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store
from shaderlab.scene.draw import CANONICAL

# Ray gives up on processes that a busy machine starts slowly, and its workers yield to everything
# else.  A process that was killed is noticed at once all the same.
PATIENCE = {
    "RAY_worker_niceness": "0",
    "RAY_worker_register_timeout_seconds": "900",
    "RAY_gcs_server_request_timeout_seconds": "900",
    "RAY_health_check_timeout_ms": "900000",
    "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "900",
}
os.environ.update({name: os.environ.get(name, value) for name, value in PATIENCE.items()})

DEVICE = "llvmpipe"
RESOURCES = {f"{SOFTWARE}{DEVICE}": 1, PROCESSOR: 1}
SHADER = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {{
    float sum = 0.0;
    for (int i = 0; i < {loops}; i++) sum += sin(float(i) * fragCoord.x);
    fragColor = vec4(sin(vec3(sum) + iTime), 1.0);
}}
"""


def write_corpus(path: Path, shaders: int) -> list[corpus.Shader]:
    lines = (
        json.dumps({"id": f"loop{n}", "code": SHADER.format(loops=4 + 3 * n)})
        for n in range(shaders)
    )
    path.write_text("\n".join(lines) + "\n")
    return corpus.read(path)


def options(trials: int = 4) -> Options:
    attachments = replace(CANONICAL.attachments, size=(64, 48))
    state = replace(CANONICAL, attachments=attachments)
    return Options(state, Effort(trials=trials, trial_s=0.02, draws=4, shader_s=1.0))


@contextmanager
def nodes(count: int) -> Iterator[tuple]:
    """A head without devices and so many nodes with one each; the cluster and the connection."""
    from ray.cluster_utils import Cluster as Nodes

    made = Nodes(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "resources": {"head": 1}, "object_store_memory": 80 << 20},
    )
    try:
        for _ in range(count):
            add_node(made)
        with Cluster(made.address) as cluster:
            yield made, cluster
    finally:
        made.shutdown()


def add_node(made):
    # Not waited for: Ray would give up after 30 s, and the campaign has more patience.
    return made.add_node(wait=False, num_cpus=1, resources=RESOURCES, object_store_memory=80 << 20)


def run(
    shaders: Sequence[corpus.Shader],
    store: Path,
    chosen: Options,
    cluster: Cluster | None,
    jobs: int = 1,
    stream: Stream | None = None,
    report: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    with Store(store) as opened:
        recorded = stream.add if stream else lambda _: None
        if cluster is None:
            info = discover().choose(DEVICE)
            measuring = Campaign(shaders, info, opened, chosen, stations=jobs, recorded=recorded)
        else:
            info, made = cluster.stations(DEVICE, chosen, jobs)
            count = jobs * cluster.devices()[DEVICE]
            measuring = Campaign(
                shaders, info, opened, chosen, stations=count, made=made, recorded=recorded
            )
        return measuring.run(report)


def killed(shaders: int, kills: int, seed: int) -> dict:
    """Three nodes, one of which is killed and replaced again and again while shaders are measured;
    with a stream of Parquet beside the store.  However fast the machine is, one to three shaders
    come to an end between two kills: then the campaign is held up until the next kill."""
    assert shaders > 3 * kills
    with tempfile.TemporaryDirectory() as folder, nodes(3) as (made, cluster):
        place = Path(folder)
        listed = write_corpus(place / "loops.jsonl", shaders)
        alive, chance, lost = list(made.worker_nodes), random.Random(seed), 0
        turnstile = _Turnstile()
        with closing(Stream(str(place / "parts"), part=8)) as stream, ThreadPoolExecutor(1) as pool:
            work = pool.submit(
                run,
                listed,
                place / "store",
                options(),
                cluster,
                jobs=2,
                stream=stream,
                report=turnstile.passed,
            )
            try:
                # Ray makes nodes in the main thread alone.
                while lost < kills and turnstile.let(chance.randrange(1, 4), work):
                    time.sleep(chance.uniform(0.0, 1.0))
                    made.remove_node(alive.pop(chance.randrange(len(alive))), allow_graceful=False)
                    alive.append(add_node(made))
                    lost += 1
            finally:
                turnstile.open(shaders)
            progress = work.result()
        samples = list(exchange.accepted(place / "store"))
        streamed = [
            each.id
            for part in (place / "parts").glob("part-*.parquet")
            for each in exchange.accepted(part)
        ]
    ids = Counter(each.program.id for each in samples)
    return {
        "kills": lost,
        "shaders": shaders,
        "recorded": progress.recorded,
        "rejected": progress.rejected,
        "missing": sorted({f"loop{n}" for n in range(shaders)} - ids.keys()),
        "twice": sorted(id for id, n in ids.items() if n > 1),
        "streamed": len(streamed),
        "streamed_is_kept": Counter(streamed) == Counter(each.id for each in samples),
        "seconds": progress.elapsed_s,
    }


class _Turnstile:
    """Lets a campaign end so many shaders and no more."""

    def __init__(self) -> None:
        self._allowed = threading.Semaphore(0)
        self._through: queue.SimpleQueue[None] = queue.SimpleQueue()

    def passed(self, _: Progress) -> None:
        """A shader has ended; waits for its turn."""
        self._allowed.acquire()
        self._through.put(None)

    def let(self, shaders: int, work: Future) -> bool:
        """Wait until so many more have ended; False where the campaign ends first."""
        self._allowed.release(shaders)
        while shaders and not work.done():
            with suppress(queue.Empty):
                self._through.get(timeout=0.1)
                shaders -= 1
        return not work.done()

    def open(self, shaders: int) -> None:
        self._allowed.release(shaders)


def same_as_pool(shaders: int) -> dict:
    """The set of the pool and that of two nodes: programs, counts, and times.  The pool measures
    again after that, which shows what times differ by on a machine with other things to do."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        listed = write_corpus(place / "loops.jsonl", shaders)
        chosen = options(trials=10)
        run(listed, place / "pool", chosen, None)
        with nodes(2) as (_, cluster):
            run(listed, place / "ray", chosen, cluster)
        run(listed, place / "again", chosen, None)
        pool, ray, again = (
            {each.program.id: each for each in exchange.accepted(place / name)}
            for name in ("pool", "ray", "again")
        )
    both = [(pool[id], ray[id]) for id in pool.keys() & ray.keys()]
    return {
        "pool": len(pool),
        "ray": len(ray),
        "same_ids": pool.keys() == ray.keys(),
        "same_programs": all(a.program.digest == b.program.digest for a, b in both),
        "same_counts": all((a.trace, a.optimized) == (b.trace, b.optimized) for a, b in both),
        "ray_to_pool": _times(both),
        "pool_to_pool": _times([(pool[id], again[id]) for id in pool.keys() & again.keys()]),
    }


def _times(pairs: list[tuple[Sample, Sample]]) -> dict:
    ratios = np.array([b.timing.time_s / a.timing.time_s for a, b in pairs])
    return {
        "intervals_meet": float(np.mean([_meet(a, b) for a, b in pairs])),
        "ratio_median": float(np.median(ratios)),
        "ratio_range": [float(ratios.min()), float(ratios.max())],
    }


def _meet(one: Sample, other: Sample) -> bool:
    """Whether the ranges of trials have a time in common."""
    a, b = one.timing.cpu_trials_s, other.timing.cpu_trials_s
    return max(min(a), min(b)) <= min(max(a), max(b))


def throughput(shaders: int) -> list[dict]:
    """Shaders per second on 1, 2 and 4 nodes of this machine, and in the pool."""
    found = []
    for count in (0, 1, 2, 4):
        with tempfile.TemporaryDirectory() as folder:
            listed = write_corpus(Path(folder) / "loops.jsonl", shaders)
            marks: list[float] = []
            report = lambda _, m=marks: m.append(time.monotonic())  # noqa: E731
            if count:
                with nodes(count) as (_, cluster):
                    run(listed, Path(folder) / "store", options(), cluster, report=report)
            else:
                run(listed, Path(folder) / "store", options(), None, report=report)
        # From the second quarter on, when every station has come up.
        steady = marks[len(marks) // 4 :]
        rate = (len(steady) - 1) / (steady[-1] - steady[0])
        found.append({"workers": count or "pool", "shaders_per_s": rate})
    return found


def project(
    task_s: Sequence[float],
    handing_s: float,
    machines: int,
    samples: int,
    seed: int = 0,
    lost_per_hour: float = 0.0,
    restart_s: float = 60.0,
) -> float:
    """Hours that so many samples take: tasks drawn from measured ones, handed out one after the
    other, a machine lost at random losing the task it held and `restart_s`."""
    generator = np.random.default_rng(seed)
    drawn = generator.choice(np.asarray(task_s), samples)
    ready = [0.0] * machines
    heapq.heapify(ready)
    desk = end = 0.0
    for task in drawn:
        start = heapq.heappop(ready)
        desk = max(desk, start) + handing_s
        finish = desk + float(task)
        while lost_per_hour and generator.random() < lost_per_hour * task / 3600:
            finish += restart_s + float(task) / 2
        end = max(end, finish)
        heapq.heappush(ready, finish)
    return end / 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--shaders", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--handing",
        type=float,
        default=0.05,
        help="seconds to hand out and keep one, for `projection`",
    )
    parser.add_argument("--only", choices=("kills", "pool", "throughput", "projection"))
    arguments = parser.parse_args()
    only = arguments.only
    if only in (None, "kills"):
        print(json.dumps(killed(arguments.shaders, arguments.kills, arguments.seed)), flush=True)
    if only in (None, "pool"):
        print(json.dumps(same_as_pool(min(arguments.shaders, 20))), flush=True)
    if only in (None, "throughput"):
        for each in throughput(min(arguments.shaders, 40)):
            print(json.dumps(each), flush=True)
    if only in (None, "projection"):
        print(json.dumps(projected(arguments.handing)), flush=True)


def projected(handing_s: float, samples: int = 54_667) -> dict:
    """Hours on up to eight machines like this one with llvmpipe, from the wall-clock seconds that
    each calibration shader takes here: compiled, timed with the default effort at 512x384, counted
    in both forms, kept."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        listed = corpus.read(locations.resources() / "calibration")
        attachments = replace(CANONICAL.attachments, size=(512, 384))
        marks = [time.monotonic()]
        chosen = Options(replace(CANONICAL, attachments=attachments))
        run(listed, place / "store", chosen, None, report=lambda _: marks.append(time.monotonic()))
    tasks = [b - a for a, b in itertools.pairwise(marks)][1:]  # the first starts the child as well
    hours = {n: round(project(tasks, handing_s, n, samples), 2) for n in (1, 2, 4, 8)}
    lossy = project(tasks, handing_s, 8, samples, lost_per_hour=0.5)
    return {
        "tasks": len(tasks),
        "task_s": {
            "mean": float(np.mean(tasks)),
            "median": float(np.median(tasks)),
            "most": float(max(tasks)),
        },
        "samples": samples,
        "hours": hours,
        "hours_8_losing_one_every_two_hours_each": round(lossy, 2),
    }


if __name__ == "__main__":
    main()
