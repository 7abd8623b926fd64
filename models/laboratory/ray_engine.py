"""Recipes' fits on a Ray cluster: independent ones as tasks, choices by Ray Tune, a network by Ray
Train.

Every node needs this repository in the same place and version, with the extras `training` and
`cluster`.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from models.laboratory.engine import Engine, Figures, R, T
from models.laboratory.peers import Peers
from models.laboratory.shaderperformer import BEST, LOG, STATE, Run
from shaderlab.campaigns.ray_connection import connect
from shaderlab.errors import ShaderlabError

_RETRIES = 3
"""Times that a fit or a training is started again after its node was lost."""
_NAME = "shaderlab"


class OnRay(Engine):
    """A connection to a cluster.  A context manager; one per process."""

    def __init__(
        self,
        address: str,
        workers: int = 1,
        storage: str = "",
        *,
        gpus: bool = False,
        **more: Any,
    ):
        """`workers` train one network together, each on a GPU if `gpus`.

        `storage` keeps where a training stands: a folder that all nodes share, or an address that
        pyarrow knows (`s3://…`).  Without one it is beside the run, which suffices on one machine.

        Raises MissingTool without Ray, WrongUse where no cluster answers.
        """
        self._ray, self.dashboard = connect(address, **more)
        self._workers, self._storage, self._gpus = workers, storage, gpus

    def __enter__(self) -> OnRay:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._ray.shutdown()

    def each(self, fit: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        # Stored once, however many items there are.
        stored = self._ray.put(fit)
        task = self._ray.remote(_alone).options(num_cpus=1, max_retries=_RETRIES)
        for answer in [task.remote(stored, item) for item in items]:
            yield self._get(answer)

    def tried(
        self, judge: Callable[[T], Iterator[Figures]], choices: Sequence[T]
    ) -> Iterator[Figures]:
        tune = import_module("ray.tune")
        with tempfile.TemporaryDirectory() as folder:
            results = tune.Tuner(
                tune.with_resources(tune.with_parameters(_trial, judge=judge), {"cpu": 1}),
                param_space={"choice": tune.grid_search(list(choices))},
                run_config=tune.RunConfig(
                    storage_path=folder,
                    name=_NAME,
                    verbose=0,
                    failure_config=tune.FailureConfig(max_failures=_RETRIES),
                ),
            ).fit()
        for result in results:
            if result.error is not None:
                raise ShaderlabError(f"a trial failed on the cluster: {_last_line(result.error)}")
            found = result.metrics or {}
            if refused := found.get("refused"):
                raise ShaderlabError(f"a trial failed on the cluster: {refused}")
            yield found["figures"]

    def train(
        self,
        run: Callable[[Path, Peers], Run],
        folder: Path,
        report: Callable[[dict], None],
    ) -> None:
        train, torch_train = import_module("ray.train"), import_module("ray.train.torch")
        storage = self._storage or str((folder / "ray").resolve())
        lines = import_module("ray.util.queue").Queue()
        reporting = threading.Thread(target=_pass_on, args=(lines, report), daemon=True)
        reporting.start()
        trainer = torch_train.TorchTrainer(
            _worker,
            train_loop_config={"run": self._ray.put(run), "kept": _kept(folder), "lines": lines},
            scaling_config=train.ScalingConfig(num_workers=self._workers, use_gpu=self._gpus),
            run_config=train.RunConfig(
                storage_path=storage,
                name=_NAME,
                failure_config=train.FailureConfig(max_failures=_RETRIES),
                checkpoint_config=train.CheckpointConfig(num_to_keep=1),
            ),
        )
        try:
            result = trainer.fit()
        except train.TrainingFailedError as error:
            raise ShaderlabError(f"training failed on the cluster: {_last_line(error)}") from None
        finally:
            lines.put(None)
            reporting.join()
        if result.checkpoint is not None:
            result.checkpoint.to_directory(folder)
        if not self._storage:
            shutil.rmtree(storage)

    def _get(self, answer: Any) -> Any:
        try:
            return self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            raise ShaderlabError(f"a fit failed on the cluster: {_last_line(error)}") from None


def _alone(fit: Callable[[Any], Any], item: Any) -> Any:
    """One task.  On one thread, as recipes are everywhere, so that sums keep their order."""
    torch.set_num_threads(1)
    return fit(item)


def _trial(config: dict[str, Any], judge: Callable[[Any], Iterator[Figures]]) -> None:
    """One trial of Tune's."""
    tune = import_module("ray.tune")
    torch.set_num_threads(1)
    try:
        for figures in judge(config["choice"]):
            tune.report({"figures": dict(figures)})
    except ShaderlabError as error:  # would be raised again: only a lost node is worth a retry
        tune.report({"refused": str(error)})


def _worker(config: dict[str, Any]) -> None:
    """One worker of Train's: the run where it stood, in a folder of this node's own."""
    ray, train = import_module("ray"), import_module("ray.train")
    context, checkpoint = train.get_context(), train.get_checkpoint()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if checkpoint is not None:
            checkpoint.to_directory(folder)
        else:
            for file, content in config["kept"].items():
                (folder / file).write_bytes(content)
        peers = Peers(context.get_world_rank(), context.get_world_size())
        for line in ray.get(config["run"])(folder, peers).epochs():
            kept = train.Checkpoint.from_directory(name) if peers.leads else None
            train.report({"score": line["score"]}, checkpoint=kept)
            if peers.leads:
                config["lines"].put(line)


def _kept(folder: Path) -> dict[str, bytes]:
    """The files of a run that was begun, by name."""
    return {
        name: (folder / name).read_bytes()
        for name in (STATE, BEST, LOG)
        if (folder / name).is_file()
    }


def _pass_on(lines: Any, report: Callable[[dict], None]) -> None:
    while (line := lines.get()) is not None:
        report(line)


def _last_line(error: BaseException) -> str:
    """Of what Ray says, which is a whole traceback."""
    return next((line for line in reversed(str(error).splitlines()) if line.strip()), "no reason")
