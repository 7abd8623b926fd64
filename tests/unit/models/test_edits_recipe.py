from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.laboratory.edits import Edit
from models.recipes import edits
from models.recipes.model_samples import Found
from shaderlab.errors import ShaderlabError
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data, timed_edits
from shaderlab.training.timed_edits import TimedEdit

TEXT = """\
void mainImage(out vec4 c, in vec2 p) {
    float t = 0.0;
    for (int i = 0; i < 8; i++) { t += sin(iTime); }
    if (t > 2.0) t = 2.0;
    c = vec4(t);
}
"""


def timed(shader_id: str, edit: Edit, device: str = "llvmpipe") -> TimedEdit:
    return TimedEdit(shader_id, edit.value, device, 1e-3, 2e-3, 0.01)


def counted(shader_id: str) -> CountedShader:
    spent = {each: {"alu": 3.0} for each in Execution}
    return CountedShader(shader_id, {"OpFAdd": 3}, Example(spent, np.ones(len(CONTEXT))), False)


def test_kinds_of_which_fewer_are_held_come_first_and_no_shader_twice():
    done = [timed(f"old{n}", edit) for n, edit in enumerate(Edit) if edit is not Edit.SAMPLES]
    texts = dict.fromkeys(["a", "old0", "b"], TEXT)
    chosen = list(edits.chosen_edits(list(texts), texts, done))
    assert [shader_id for shader_id, _, _ in chosen] == ["a", "b"]
    assert chosen[0][1] is Edit.SAMPLES


@pytest.fixture
def made(monkeypatch):
    """What was counted of an edited shader, in place of its traces; nothing of an empty one."""

    def found(text, shader_id, _counts, _forms):
        one = counted(shader_id)
        return Found({Form.WRITTEN: one}, one) if text else None

    monkeypatch.setattr(edits, "found", found)


@pytest.mark.usefixtures("made")
def test_what_is_measured_is_added_to_what_is_held(tmp_path):
    out = tmp_path / "changes"
    first, second, third = (timed(i, Edit.TERM) for i in "abc")
    edits.write([first], {first.edited_id: TEXT}, tmp_path, out)
    texts = {second.edited_id: TEXT, third.edited_id: ""}
    kept = edits.write([second, third], texts, tmp_path, out)
    assert kept == [first, second] == timed_edits.read(out), "the third has no counts"
    there = shader_data.read_shaders(out / shader_data.SHADERS)
    assert set(there) == {first.edited_id, second.edited_id}


def test_on_another_device_the_edits_are_timed_that_it_lacks():
    done = [
        timed("a", Edit.TRIPS), timed("a", Edit.TRIPS, "swiftshader"), timed("b", Edit.CONSTANT),
    ]  # fmt: skip
    (wanted,) = edits.again(done, "swiftshader", dict.fromkeys("ab", TEXT))
    assert wanted == ("b", Edit.CONSTANT, f"#define iTime 1.0\n{TEXT}")
    both = edits.again(done, "swiftshader", dict.fromkeys("ab", TEXT), anew=True)
    assert [each[0] for each in both] == ["a", "b"]


def test_new_times_replace_those_of_the_same_edit_on_the_same_device():
    old = [timed("a", Edit.TRIPS), timed("a", Edit.TRIPS, "swiftshader"), timed("b", Edit.TRIPS)]
    new = replace(old[0], after_s=5e-3)
    kept = edits.replaced(old, [new])
    assert sorted(kept, key=str) == sorted([new, *old[1:]], key=str)


class Times:
    """Times every edit but those of one shader."""

    def __init__(self, but: str):
        self._but = but

    def of(self, shader_id, edit, before, text):
        assert before.name == shader_id
        if shader_id == self._but:
            raise ShaderlabError("no device")
        return timed(shader_id, edit, "swiftshader")


def test_each_edit_is_tried_once_up_to_the_limit(tmp_path):
    texts = dict.fromkeys("abcd", TEXT)
    wanted = [(each, Edit.TERM, TEXT) for each in texts]
    log = edits.Log(tmp_path / "log.jsonl")
    edits.measure(wanted, texts, log, Times("a"), float("inf"), 2)
    assert [each.id for each in log.timed] == ["b", "c"]
    again = edits.Log(tmp_path / "log.jsonl")
    assert again.holds("a")
    edits.measure(wanted, texts, again, Times(""), float("inf"), 3)
    assert [each.id for each in again.timed] == ["b", "c", "d"]
