"""Edit shaders as developers do, time them before and after on llvmpipe, count what they execute.

    python -m models.recipes.edits CORPUS --log FOLDER [--seconds S] [--limit N]
        [--device D] [--anew] [--data models/datasets/model-samples] [--out models/datasets/changes]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`; edited are those of the test and
validation splits that llvmpipe was timed with, but for the slowest, each once, with the edit
(`models.laboratory.edits`) that was taken least so far of those that its text has room for.  Both
versions are timed in turns, the edited one is traced in every form.  Shaders of which `--out` holds
an edit are not edited again; what is made is added there, until it holds `--limit`.  Every edit is
kept in FOLDER, which holds programs made from the shaders' texts: run again, it goes on where it
was.  `--seconds`: no further edit is begun after so long.  Written is what `training.timed_edits`
reads.

`--device`: time the edits that `--out` holds of llvmpipe on another software device.  What both
versions execute is known, so nothing is counted again.  `--anew`: also time those again that
`--device` was timed with before; the new times replace the old ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from models.laboratory import published_samples
from models.laboratory.campaign_counts import CampaignCounts
from models.laboratory.edits import Edit, edited
from models.laboratory.program_store import ProgramStore
from models.laboratory.trace_store import TraceStore
from models.recipes import shared
from models.recipes.model_samples import DEADLINE_S, USUAL, Forms, found, try_forms
from shaderlab.campaigns.comparing import ComparingWorker
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.forms import FITTED
from shaderlab.scene.draw import Draw
from shaderlab.training import shader_data, timed_edits
from shaderlab.training.splits import Split, split_of
from shaderlab.training.timed_edits import TimedEdit, edited_id
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits

TARGET = "llvmpipe"
"""Shaders are chosen by their time on it, and counted on it."""
SLOWEST_S = 0.8
"""Shaders that take longer, at 1024x768, are left out: nine tenths take less."""
_COMPARING_S = 6.0
"""Wall seconds of timing for a pair; the fewest turns may take longer."""


def shaders_to_edit(data: Path) -> list[str]:
    """Ids in the order they are taken, which a hash of the id decides."""
    _, times = shader_data.read(data)
    ids = [
        each.id
        for each in times[TARGET]
        if split_of(each.id) is not Split.TRAIN and each.full_s <= SLOWEST_S
    ]
    return sorted(ids, key=lambda i: hashlib.sha256(f"edit {i}".encode()).digest())


def chosen_edits(
    ids: Sequence[str], texts: Mapping[str, str], done: Sequence[TimedEdit] = ()
) -> Iterator[tuple[str, Edit, str]]:
    """Id, edit and edited text of each shader that any edit has room in and none is `done` of."""
    taken = Counter(Edit(each.edit) for each in done)
    edited_before = {each.id for each in done}
    for shader_id in ids:
        if shader_id in edited_before:
            continue
        there = {each: edited(texts[shader_id], each, shader_id) for each in Edit}
        possible = [each for each, text in there.items() if text is not None]
        if possible:
            edit = min(possible, key=lambda each: taken[each])
            taken[edit] += 1
            yield shader_id, edit, there[edit] or ""


class Log:
    """What became of each edit, one line of JSON each."""

    def __init__(self, path: Path):
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._rows = [json.loads(line) for line in lines]

    def holds(self, shader_id: str) -> bool:
        return any(row["id"] == shader_id for row in self._rows)

    def add(self, row: Mapping[str, object]) -> None:
        self._rows.append(dict(row))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    @property
    def timed(self) -> list[TimedEdit]:
        return [TimedEdit(**row) for row in self._rows if "error" not in row]


class Timing:
    """The worker that times one edit after another on a device; close it."""

    def __init__(self, device: str):
        self._target = device
        self._times = ComparingWorker(discovery.discover().choose(device))

    def of(self, shader_id: str, edit: Edit, before: Program, text: str) -> TimedEdit:
        """Raises the error that leaves the edit without times."""
        after = compile_text(text, edited_id(shader_id, edit), None)
        if after.digest == before.digest:
            raise ShaderlabError("the edit leaves the same program")
        compared = self._times.compare(
            Draw.of(before, USUAL), Draw.of(after, USUAL), _COMPARING_S
        ).result()
        return TimedEdit(shader_id, edit.value, self._target, **asdict(compared))

    def close(self) -> None:
        self._times.close()


class Measuring:
    """The workers that time and count one edit after another; close it."""

    def __init__(self, folder: Path):
        info = discovery.discover().choose(TARGET)
        limits = Limits(trace=DEADLINE_S, compile=DEADLINE_S)
        targets = compiled.choose(compiled.amd().result(), [REFERENCE])
        self._timing = Timing(TARGET)
        self._device, self._compilers = DeviceWorker(info, limits), CompiledWorkers(targets, limits)
        self.counts = CampaignCounts((), TraceStore(folder))
        self.forms = Forms(ProgramStore(folder / "compiled"))

    def of(self, shader_id: str, edit: Edit, before: Program, text: str) -> TimedEdit:
        """Raises as `Timing.of`."""
        timed = self._timing.of(shader_id, edit, before, text)
        name = timed.edited_id
        try_forms(text, name, self.counts, self.forms, self._device, self._compilers, (USUAL,))
        return timed

    def close(self) -> None:
        for each in (self._timing, self._device, self._compilers):
            each.close()


class _Times(Protocol):
    """`Timing` or `Measuring`."""

    def of(self, shader_id: str, edit: Edit, before: Program, text: str) -> TimedEdit: ...


def measure(
    wanted: Sequence[tuple[str, Edit, str]], texts: Mapping[str, str], log: Log, times: _Times,
    end: float, most: int,
) -> None:  # fmt: skip
    """Until `end`, by the monotonic clock, or until `most` of them are in the log."""
    ids = {shader_id for shader_id, _, _ in wanted}
    for number, (shader_id, edit, text) in enumerate(wanted):
        if log.holds(shader_id):
            continue
        if time.monotonic() > end or sum(each.id in ids for each in log.timed) >= most:
            return
        try:
            before = compile_text(texts[shader_id], shader_id, None)
            timed = times.of(shader_id, edit, before, text)
        except ShaderlabError as error:
            log.add({"id": shader_id, "edit": edit, "error": str(error)})
            print(f"{number}: {shader_id}, {edit}: {error}", file=sys.stderr, flush=True)
        else:
            log.add(asdict(timed))
            print(f"{number}: {shader_id}, {edit}: {timed.change:+.3f}", flush=True)


def again(
    done: Sequence[TimedEdit], device: str, texts: Mapping[str, str], anew: bool = False
) -> list[tuple[str, Edit, str]]:
    """Id, edit and edited text of what `TARGET` timed and `device` did not; all of it if `anew`."""
    there = {each.edited_id for each in done if each.target == device and not anew}
    found = []
    for each in done:
        if each.target == TARGET and each.edited_id not in there:
            text = edited(texts[each.id], edit := Edit(each.edit), each.id)
            if text is not None:
                found.append((each.id, edit, text))
    return found


def write(
    timed: Sequence[TimedEdit], edits: Mapping[str, str], folder: Path, out: Path
) -> list[TimedEdit]:
    """Add those of which there are counts to what `out` holds, all of which is returned.

    `edits`: texts by id of the shader after the edit.
    """
    counts = CampaignCounts((), TraceStore(folder))
    forms = Forms(ProgramStore(folder / "compiled"))
    made = {
        each.edited_id: found(edits[each.edited_id], each.edited_id, counts, forms)
        for each in timed
    }
    kept = [*held(out), *(each for each in timed if made[each.edited_id] is not None)]
    timed_edits.write(out, kept)
    for form in FITTED:
        path = out / shader_data.FORMS[form]
        of_form = shader_data.read_shaders(path) if path.exists() else {}
        of_form |= {
            id: each.forms[form] for id, each in made.items() if each and form in each.forms
        }
        shader_data.write_shaders(path, list(of_form.values()))
        print(f"{len(of_form)} edited shaders as {form}")
    return kept


def time_elsewhere(options: argparse.Namespace, end: float) -> None:
    """On `--device`, the edits that `--out` holds of `TARGET`."""
    done = held(options.out)
    texts = published_samples.texts(options.corpus, {each.id for each in done})
    known = [each for each in done if each.id in texts]
    wanted = again(known, options.device, texts, options.anew)
    log = Log(options.log / f"edits-{options.device}{'-anew' if options.anew else ''}.jsonl")
    with closing(Timing(options.device)) as timing:
        measure(wanted, texts, log, timing, end, options.limit)
    ids = {edited_id(shader_id, edit) for shader_id, edit, _ in wanted}
    timed = [each for each in log.timed if each.edited_id in ids]
    timed_edits.write(options.out, replaced(done, timed))
    print(f"{len(timed)} edits timed on {options.device}")


def replaced(done: Sequence[TimedEdit], timed: Sequence[TimedEdit]) -> list[TimedEdit]:
    """All of both, of the same edit on the same device the one of `timed`."""
    return list({(each.target, each.edited_id): each for each in (*done, *timed)}.values())


def held(out: Path) -> list[TimedEdit]:
    """The edits that were made before."""
    return timed_edits.read(out) if (out / timed_edits.TABLE).exists() else []


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.CHANGES)
    parser.add_argument("--device", default=TARGET)
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    options.log.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.seconds
    if options.device != TARGET or options.anew:
        time_elsewhere(options, end)
        return

    ids = shaders_to_edit(options.data)
    texts = published_samples.texts(options.corpus, set(ids))
    done = [each for each in held(options.out) if each.target == TARGET]
    wanted = list(chosen_edits([i for i in ids if i in texts], texts, done))
    log = Log(options.log / "edits.jsonl")
    with closing(Measuring(options.log)) as measuring:
        measure(wanted, texts, log, measuring, end, options.limit - len(done))
    edits = {edited_id(i, edit): text for i, edit, text in wanted}
    timed = [each for each in log.timed if each.edited_id in edits]
    print(f"{len(write(timed, edits, options.log, options.out))} edits with times and counts")


if __name__ == "__main__":
    main()
