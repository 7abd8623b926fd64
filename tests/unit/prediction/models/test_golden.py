"""What models made by hand say of shaders made by hand: read it in golden/forecasts.txt.

To accept a deliberate change, run the test with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.frontend.program import Dialect, Program
from shaderlab.prediction.bundles.accuracy import BandCard, TextureCard
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import refitted, trees
from shaderlab.prediction.models.additive import Late, Weights
from shaderlab.prediction.models.additive_model import EXECUTIONS, AdditiveModel
from shaderlab.prediction.models.matched import MatchedModel
from shaderlab.prediction.models.model import CountedShader, Model
from shaderlab.prediction.models.refitted import RefittedModel
from shaderlab.prediction.models.regressions import RegressionModel
from shaderlab.prediction.models.trees import Forest, TreesModel
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.trace import BlockCount, Trace
from tests.golden import rounded

GOLDEN = Path(__file__).parent / "golden/forecasts.txt"
BANDS = (
    BandCard(0.0, 1e-4, 0.5, 1.5, 0.8, 50, 0.8),
    BandCard(1e-4, None, 0.7, 1.3, 0.8, 40, 0.79),
)
ONE = BandCard(0.0, None, 0.4, 2.0, 0.8, 30, 0.8)
INPUTS = len(CONTEXT)


def shader(name: str, scale: int) -> TracedProgram:
    """A committed module, with counts that follow from the number of the block."""
    path = locations.resources() / "gpu" / f"{name}.frag.spv"
    program = Program(name, Dialect.SPIRV, "", path.read_bytes(), "main")
    module = program.module
    counts = []
    for function in reachable_functions(module, module.entry_points[0]):
        for n, block in enumerate(function.blocks):
            opcodes: dict[str, int] = {}
            for each in block:
                opcodes[each.name] = opcodes.get(each.name, 0) + 1
            times = scale * (1 + 3 * n % 7)
            made = BlockCount(function.id, function.name, block.label, times, (), opcodes)
            counts.append(replace(made, lane_groups=times // 20 + 1))
    return TracedProgram(program, Trace("hand", (1024, 768), 1.0, 1, tuple(counts), 0.5))


def shaders() -> Mapping[str, TracedProgram]:
    both = {f"{name} x{scale}": shader(name, scale) for name in ("loops", "constant")
            for scale in (1000, 786_432)}  # fmt: skip
    plain, other = both["loops x786432"], both["constant x786432"]
    forms = {Form.OPTIMIZED: other, Form.COMPILED: both["loops x1000"]}
    return {**both, "in all forms": TracedProgram(plain.program, plain.trace, forms)}


def weights(execution: str, **changes) -> Weights:
    kinds = ("other", "varying:OpFMul", "varying:OpFAdd", "uniform:OpFAdd", "varying:Sin")
    made = Weights(
        kinds=kinds,
        prices=np.array([2e-13, 3e-12, 1e-12, 5e-13, 9e-12]),
        floor_s=1e-5,
        exponent=2.5,
        bound=1.2,
        mean=np.linspace(0, 1, INPUTS),
        scale=np.linspace(1, 2, INPUTS),
        low=np.zeros(INPUTS),
        high=np.full(INPUTS, 10.0),
        hidden=np.sin(np.arange(2.0 * (INPUTS + 1))).reshape(INPUTS + 1, 2) / 3,
        out=np.array([0.3, -0.2, 0.1]),
        execution=EXECUTIONS[execution],
    )
    return replace(made, **changes)


def models(card: Card, tensors: Mapping[str, np.ndarray]) -> Iterator[tuple[str, Model]]:
    def additive(name: str, architecture: str = "additive-lane-work", **more) -> Card:
        only = replace(card.methods[0], name=name, features=("other",), bands=BANDS, **more)
        return replace(card, architecture=architecture, methods=(only,), preference=10)

    yield "regressions", RegressionModel.from_bundle(Bundle("toy", card, dict(tensors)))
    written = AdditiveModel(additive("additive"), weights("additive-lane-work"))
    yield "additive", written
    for architecture in EXECUTIONS:
        late = Late(4e-5, 0.3, 6.0)
        own = weights(architecture, late=late)
        yield architecture, AdditiveModel(additive("additive", architecture), own)
    optimized = AdditiveModel(additive("additive-optimized"), weights("additive-lane-work"))
    yield "additive-optimized", optimized
    textures = TextureCard(30, "command", Validation(0.4, 0.8, 30, "those that read"), (ONE,))
    compiled = AdditiveModel(
        additive("additive-compiled", textures=textures),
        weights("additive-hoisted-work"),
        (optimized, written),
    )
    yield "additive-compiled", compiled
    only = replace(card.methods[0], name="matched", features=("toy",), bands=(ONE,))
    knots = np.array([1e-5, 1e-4, 1e-3])
    target = replace(card.target, slug="other", name="Other GPU")
    yield (
        "matched",
        MatchedModel(
            replace(card, methods=(only,), target=target), (optimized, written), knots, knots**0.9
        ),
    )
    both = [
        replace(each, name=name, bands=BANDS)
        for each, name in zip(card.methods, ("pilr-refit", "sh-nonneg"), strict=True)
    ]
    fits = {
        "pilr-refit.intercept": [2e-5], "pilr-refit.coefficients": [1e-11, -2e-11],
        "sh-nonneg.intercept": [3e-6], "sh-nonneg.coefficients": [5e-12], "floor": [8e-6],
    }  # fmt: skip
    named = replace(card, architecture=refitted.ARCHITECTURE, methods=tuple(both))
    arrays = {name: np.array(value, np.float32) for name, value in fits.items()}
    yield "refitted", RefittedModel.from_bundle(Bundle("toy", named, arrays))
    names = ("context:coherence", "OpFAdd", "varying:OpFMul", "OpLabel")
    forest = Forest(
        base=-8.0,
        roots=np.array([0, 3]),
        feature=np.array([1, -1, -1, 3, 2, -1, -1, -1]),
        threshold=np.array([9, 0, 0, 12, 3, 0, 0, 0], np.float32),
        left=np.array([1, 1, 2, 4, 5, 5, 6, 7]),
        right=np.array([2, 1, 2, 7, 6, 5, 6, 7]),
        value=np.array([0, -0.5, 0.25, 0, 0, -1.5, 0.75, 1.0]),
    )
    only = replace(card.methods[0], name="trees", features=names, bands=BANDS)
    planted = replace(card, architecture=trees.ARCHITECTURE, methods=(only,))
    yield "trees", TreesModel.from_bundle(Bundle("toy", planted, trees.tensors_of(forest, 9e-6)))


class Table:
    """Shaders of a data set."""

    def __init__(self, traced: Mapping[str, TracedProgram]):
        self._traced = [*traced.values()]
        self.shaders = [
            CountedShader(str(n), each.executed, each.example, n == 1)
            for n, each in enumerate(self._traced)
        ]

    def of_form(self, form: Form):
        forms = [each.form(form) for each in self._traced]
        return [
            None if other is None else replace(own, example=other.example)
            for own, other in zip(self.shaders, forms, strict=True)
        ]


def told(card: Card, tensors: Mapping[str, np.ndarray]) -> Iterator[str]:
    traced = shaders()
    for name, model in models(card, tensors):
        yield f"{name}: fixed {model.fixed_s:.6g}, looks at {sorted(model.looks_at)}"
        for what, each in traced.items():
            if any(each.form(form) is None for form in ({model.form} if model.HAS_FORMS else ())):
                continue
            for method in model.methods:
                found = model.forecast(each, method.name)
                yield f"  {what} by {method.name}: {rounded(vars(found))}"
            yield f"  gives way: {model.gives_way(each)}"
            stage = model.stage_cost(each)
            yield f"  as a stage: {rounded(stage and tuple(vars(stage).values()))}"
        for method in model.methods:
            many = model.predict(method.name, Table(traced))
            if many is None:
                continue
            yield f"  many by {method.name}: " + rounded(
                [None if each is None else each.tolist() for each in vars(many).values()]
            )


def test_models_say_what_is_written_down(card, tensors):
    text = "".join(f"{line}\n" for line in told(card, tensors))
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")
