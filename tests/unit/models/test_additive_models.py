from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the training extra")

from models.recipes import additive_models
from models.recipes.shared import cohort
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of

TRAIN = [name for name in map(str, range(50)) if split_of(name) is Split.TRAIN][:3]
TEST = next(name for name in map(str, range(99)) if split_of(name) is Split.TEST)


def counted(shader_id: str, multiplications: float) -> CountedShader:
    spent = {each: {"fmul": multiplications} for each in Execution}
    return CountedShader(shader_id, {}, Example(spent, np.ones(len(CONTEXT))), False)


def test_a_shader_is_fitted_as_either_compiler_leaves_it_and_none_of_another_split(tmp_path):
    ids = [*TRAIN, TEST]
    times = {
        "rx6600xt": tuple(
            TimedShader(i, "rx6600xt", (1024, 768), 1e-3, None, None, None) for i in ids
        )
    }
    train = cohort("rx6600xt", {i: counted(i, 5.0) for i in ids}, times, Split.TRAIN)
    later = [counted(i, 3.0) for i in (*TRAIN[:2], TEST, "never timed")]
    shader_data.write_shaders(tmp_path / shader_data.COMPILED_LATER, later)

    found = additive_models.both("rx6600xt", train, tmp_path)

    assert found.ids == (*TRAIN, *TRAIN[:2])
    spent = [each.example.spent[Execution.JUMPING]["fmul"] for each in found.shaders]
    assert spent == [5.0, 5.0, 5.0, 3.0, 3.0]
    assert [each.id for each in found.shaders] == list(found.ids)
