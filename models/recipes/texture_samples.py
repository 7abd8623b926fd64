"""Make the data set that texture reads are priced by, without the shaders' texts.

    python -m models.recipes.texture_samples CORPUS [--campaigns models/datasets]
        [--out models/datasets/model-samples/textures]

CORPUS: the one that the campaigns in `models/datasets/textures` were over.  Their shaders are
compiled again and counted as those campaigns counted them, as written and after `spirv-opt -O`.
Times are on the clock of the first campaign of the device without textures, by the shaders without
textures that each campaign here also timed.  Writes `shaders.parquet`, `optimized.parquet` and
`times.parquet`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from models.laboratory import campaign_times
from models.recipes import shared
from models.recipes.model_samples import divides_by_zero, scaled
from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.samples.traces import bound_textures, counted
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.training import shader_data
from shaderlab.training.shader_data import TimedShader

FORMS = (Form.WRITTEN, Form.OPTIMIZED)
"""Those that a campaign counts."""


def counted_forms(sample: Sample, text: str) -> dict[Form, CountedShader]:
    """The sample's shader in the forms it has counts of.  Raises what compiling it does."""
    shader_id = sample.program.id or ""
    written = compile_text(text, shader_id, None)
    programs = {Form.WRITTEN: written, Form.OPTIMIZED: optimized(written)}
    records = {Form.WRITTEN: sample.trace, Form.OPTIMIZED: sample.optimized}
    textures = bound_textures(sample, written)
    traces = {
        form: counted(records[form], sample.inputs, programs[form], textures) for form in FORMS
    }
    unset = bool(
        uninitialised_reads(
            written.module, written.entry_point, traces[Form.WRITTEN].executed_blocks
        )
    )
    divides = divides_by_zero(programs, traces)
    return {form: scaled(programs[form], trace, unset, divides) for form, trace in traces.items()}


def times(campaigns: Path, sets: list[Path]) -> list[TimedShader]:
    """Of the shaders with textures, on one clock."""
    names = {path.stem for path in sets}
    by_device = campaign_times.on_one_clock([*campaign_times.files(campaigns), *sets])
    return [
        each
        for visits in by_device.values()
        for name, timed in visits.items()
        if name in names
        for each in timed.values()
    ]


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--campaigns", type=Path, default=shared.DATA_SETS)
    parser.add_argument("--out", type=Path, default=shared.TEXTURES)
    options = parser.parse_args()
    sets = campaign_times.files(options.campaigns / shared.TEXTURE_SETS.name)
    texts = {each.origin.id: each.text for each in corpus.read(options.corpus)}

    made: dict[str, dict[Form, CountedShader]] = {}
    for path in sets:
        for sample in exchange.accepted(path):
            shader_id = sample.program.id or ""
            text = texts.get(shader_id)
            if not sample.textures or shader_id in made or text is None:
                continue
            try:
                made[shader_id] = counted_forms(sample, text)
            except ShaderlabError as error:
                print(f"  {shader_id}: {error}", file=sys.stderr)
    for form in FORMS:
        path = options.out / shader_data.FORMS[form]
        shader_data.write_shaders(path, [each[form] for each in made.values()])
    timed = [each for each in times(options.campaigns, sets) if each.id in made]
    shader_data.write_times(options.out, timed)
    print(f"{len(made)} shaders, {len(timed)} times")


if __name__ == "__main__":
    main()
