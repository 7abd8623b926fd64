"""Make the data set that models are fitted to and judged on, without the shaders' texts.

    python -m models.recipes.model_samples FIGURES CORPUS --traces FOLDER [--jobs N]
        [--campaigns models/datasets] [--out models/datasets/model-samples] [--add]

FIGURES holds `measured_samples.jsonl`, times the paper's authors printed (libreliu/
ShaderPerFormer, collected as data); CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.
Their shaders and those of the campaigns' Parquet files are compiled again, put through
`spirv-opt -O`, and through RADV's compiler.  How often their blocks ran is what a campaign counted;
what none counted, being too slow for its limits or what RADV left, is traced on llvmpipe and kept
in FOLDER, with N traces side by side.  Every shader that has counts keeps its times.  Writes
`shaders.parquet`, `untraced.parquet`, `optimized.parquet`, `compiled.parquet`, `times.parquet`.
`--add`: keep the shaders that `--out` holds and make only those it lacks; all times are written
again.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from models.laboratory import campaign_times, published_samples, untraced
from models.laboratory.campaign_counts import CampaignCounts
from models.laboratory.program_store import ProgramStore
from models.laboratory.trace_store import TraceStore
from models.recipes import shared
from shaderlab.errors import ShaderlabError, ShaderTimeout, StartFailed
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.features.example import example
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.undefined_results import undefined_results
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.spirv.trace import Trace
from shaderlab.training import shader_data
from shaderlab.training.shader_data import SIZE, UNTRACED, TimedShader
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits

TARGETS = {"RTX3060": "rtx3060", "RX6600XT": "rx6600xt"}
SLOW = (256, 192)
"""Width, height of the frames traced here: what campaigns left out is slow."""
USUAL = (512, 384)
"""The same of what no campaign counts."""
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Found:
    """One shader, of each kind of counts."""

    forms: Mapping[Form, CountedShader]
    """Without those that cannot be made or traced; there is `Form.WRITTEN`."""
    untraced: CountedShader


class Held:
    """What a folder holds of each shader; without a folder, of none."""

    def __init__(self, folder: Path | None):
        read = shader_data.read_shaders
        self.untraced = read(folder / UNTRACED) if folder else {}
        self.forms = {
            form: read(folder / name) if folder else {} for form, name in shader_data.FORMS.items()
        }

    def write(self, folder: Path, more: Collection[Found]) -> None:
        """What is held and what is new, each shader once."""
        untraced_ = self.untraced | {each.untraced.id: each.untraced for each in more}
        shader_data.write_shaders(folder / UNTRACED, list(untraced_.values()))
        for form, name in shader_data.FORMS.items():
            fresh = [each.forms[form] for each in more if form in each.forms]
            of_form = self.forms[form] | {each.id: each for each in fresh}
            shader_data.write_shaders(folder / name, list(of_form.values()))
            print(f"{len(of_form)} shaders as {form}")


class Forms:
    """Makes the forms of programs; what RADV leaves is kept."""

    def __init__(self, left: ProgramStore):
        self._left = left

    def of(self, text: str, shader_id: str) -> dict[Form, Program]:
        """As far as they can be made, those of RADV as far as they were made before."""
        found: dict[Form, Program] = {}
        try:
            found[Form.WRITTEN] = written = compile_text(text, shader_id, None)
            if (left := self._left.get(written)) is not None:
                found[Form.COMPILED] = left
            found[Form.OPTIMIZED] = optimized(written)
        except ShaderlabError as error:
            print(f"  {shader_id}: {error}", file=sys.stderr)
        return found

    def compile(self, written: Program, compilers: CompiledWorkers) -> Program:
        """What RADV leaves of it, which is kept.  Raises as `CompiledWorkers.program`."""
        left = compilers.program(written, REFERENCE).result()
        self._left.put(written, left)
        return left


def scaled(
    program: Program, trace: Trace, reads_uninitialised: bool, divides_by_zero: bool
) -> CountedShader:
    pixels = SIZE[0] * SIZE[1]
    scale = pixels // (trace.size[0] * trace.size[1])
    return CountedShader(
        program.name,
        {name: n * scale for name, n in TracedProgram(program, trace).executed.items()},
        example(program.module, trace, pixels),
        reads_uninitialised,
        divides_by_zero,
    )


def divides_by_zero(programs: Mapping[Form, Program], traces: Mapping[Form, Trace | None]) -> bool:
    """In the program as written, or as `spirv-opt` leaves it, where more constants show."""
    forms = [form for form in (Form.WRITTEN, Form.OPTIMIZED) if form in programs]
    return any(
        undefined_results(programs[form].module, trace.executed_blocks)
        for form in forms
        if (trace := traces[form]) is not None
    )


def found(text: str, shader_id: str, counts: CampaignCounts, forms: Forms) -> Found | None:
    programs = forms.of(text, shader_id)
    traces = {form: counts.of(shader_id, program, form) for form, program in programs.items()}
    trace = traces.get(Form.WRITTEN)
    if trace is None:
        return None
    written = programs[Form.WRITTEN]
    uninitialised = bool(
        uninitialised_reads(written.module, written.entry_point, trace.executed_blocks)
    )
    divides = divides_by_zero(programs, traces)
    shaders = {
        form: scaled(programs[form], trace, uninitialised, divides)
        for form, trace in traces.items()
        if trace
    }
    return Found(shaders, untraced.shader(written, shaders[Form.WRITTEN]))


def trace_missing(
    texts: Mapping[str, str], ids: Collection[str], counts: CampaignCounts, forms: Forms, jobs: int
) -> None:
    """Trace what of these shaders has no counts and was not tried before, as far as it can be."""
    info = discovery.discover().choose("llvmpipe")
    targets = compiled.choose(compiled.amd().result(), [REFERENCE])
    limits = Limits(trace=DEADLINE_S, compile=DEADLINE_S)

    def job(number: int) -> None:
        with (
            closing(DeviceWorker(info, limits)) as device,
            closing(CompiledWorkers(targets, limits)) as compilers,
        ):
            for shader_id in sorted(ids)[number::jobs]:
                try_forms(texts[shader_id], shader_id, counts, forms, device, compilers)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(job, range(jobs)))


def traced(device: DeviceWorker, program: Program, sizes: Sequence[tuple[int, int]]) -> Trace:
    """At the first of the sizes at which it ends in time.  Raises as `DeviceWorker.trace`."""
    for size in sizes[:-1]:
        with contextlib.suppress(ShaderTimeout):
            return device.trace(Draw.of(program, size)).result()
    return device.trace(Draw.of(program, sizes[-1])).result()


def try_forms(
    text: str,
    shader_id: str,
    counts: CampaignCounts,
    forms: Forms,
    device: DeviceWorker,
    compilers: CompiledWorkers,
    sizes: Sequence[tuple[int, int]] = (SLOW,),
) -> None:
    """`sizes`: of the frames in which a program as written or optimised is counted."""
    programs = forms.of(text, shader_id)
    for form in FITTED:
        program = programs.get(form)
        known = program is not None and counts.of(shader_id, program, form) is not None
        if known or counts.tried(shader_id, form) or Form.WRITTEN not in programs:
            continue
        outcome: Trace | ShaderlabError
        try:
            if form is Form.COMPILED:
                program = program or forms.compile(programs[Form.WRITTEN], compilers)
            if program is None:
                continue
            outcome = traced(device, program, [USUAL, SLOW] if form is Form.COMPILED else sizes)
        except ShaderlabError as error:
            print(f"  {shader_id}, {form}: {error}", file=sys.stderr)
            if isinstance(error, StartFailed):  # the machine's fault, not the shader's
                continue
            outcome = error
        counts.keep(shader_id, outcome, form)


def published_times(figures: Path) -> Iterator[TimedShader]:
    for platform, by_id in published_samples.read(figures).items():
        for each in by_id.values():
            yield TimedShader(
                each.shader_id, TARGETS[platform], published_samples.SIZE, each.time_s,
                each.pilr_s, each.transformer_s, each.black,
            )  # fmt: skip


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--campaigns", type=Path, default=shared.DATA_SETS)
    parser.add_argument("--out", type=Path, default=shared.SAMPLES)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    # What --jobs was called before.
    parser.add_argument(
        "--lanes", dest="jobs", type=int, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    campaigns = campaign_times.files(options.campaigns)
    times = [*published_times(options.figures)]
    times += campaign_times.united(campaigns)
    held = Held(options.out if options.add else None)
    wanted = {each.id for each in times} - held.untraced.keys()
    texts = published_samples.texts(options.corpus, wanted)
    counts = CampaignCounts(campaigns, TraceStore(options.traces))
    forms = Forms(ProgramStore(options.traces / "compiled"))

    def make(ids: Collection[str]) -> dict[str, Found | None]:
        ids = sorted(ids)
        with ThreadPoolExecutor(2) as pool:
            made = pool.map(lambda i: found(texts[i], i, counts, forms), ids)
            return dict(zip(ids, made, strict=True))

    made = make(texts)
    missing = [i for i, each in made.items() if each is None or len(each.forms) < len(FITTED)]
    print(f"{len(texts) - len(missing)} shaders have all counts; {len(missing)} to trace")
    trace_missing(texts, missing, counts, forms, options.jobs)
    shaders = [each for each in {**made, **make(missing)}.values() if each is not None]

    known = {each.untraced.id for each in shaders} | held.untraced.keys()
    times = [each for each in times if each.id in known]
    shader_data.write_times(options.out, times)
    held.write(options.out, shaders)
    print(f"{len(times)} times")


if __name__ == "__main__":
    main()
