"""What is added to model samples that are there."""

from __future__ import annotations

import numpy as np

from models.recipes.model_samples import Found, Held
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data


def counted(shader_id: str, adds: int = 3) -> CountedShader:
    spent = {each: {"alu": float(adds)} for each in Execution}
    return CountedShader(shader_id, {"OpFAdd": adds}, Example(spent, np.ones(len(CONTEXT))), False)


def made(shader_id: str, *forms: Form) -> Found:
    return Found({form: counted(shader_id) for form in forms}, counted(shader_id, 1))


def test_what_a_folder_holds_stays_beside_what_is_added(tmp_path):
    Held(None).write(tmp_path, [made("a", *FITTED), made("b", Form.WRITTEN)])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    Held(tmp_path).write(tmp_path, [])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

    Held(tmp_path).write(tmp_path, [made("c", Form.WRITTEN, Form.OPTIMIZED)])
    of = {form: shader_data.read_shaders(tmp_path / shader_data.FORMS[form]) for form in FITTED}
    assert {form: set(of[form]) for form in FITTED} == {
        Form.WRITTEN: set("abc"), Form.OPTIMIZED: set("ac"), Form.COMPILED: {"a"},
    }  # fmt: skip
    assert set(shader_data.read_shaders(tmp_path / shader_data.UNTRACED)) == set("abc")


def test_without_a_folder_nothing_is_held(tmp_path):
    Held(None).write(tmp_path, [made("a", Form.WRITTEN)])
    Held(None).write(tmp_path, [made("b", Form.WRITTEN)])
    assert set(shader_data.read_shaders(tmp_path / shader_data.SHADERS)) == {"b"}
