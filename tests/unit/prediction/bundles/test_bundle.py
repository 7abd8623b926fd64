"""Model files as untrusted input: damage is named, and the other bundles keep working."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.bundle import CARD, WEIGHTS
from shaderlab.prediction.catalogue import targets


def change_card(folder, change):
    path = folder / "toy" / CARD
    raw = json.loads(path.read_text("utf-8"))
    change(raw)
    path.write_text(json.dumps(raw), "utf-8")


def put_weights(folder, data: bytes):
    """Weights whose size and hash the card vouches for, as an attacker would write them."""
    (folder / "toy" / WEIGHTS).write_bytes(data)

    def vouch(raw):
        raw["weights"] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    change_card(folder, vouch)


def safetensors_file(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_what_was_written_comes_back(folder, card, tensors):
    read = bundle.read(folder / "toy")
    assert replace(read.card, weights=card.weights) == card
    assert set(read.tensors) == set(tensors)
    for name, values in tensors.items():
        np.testing.assert_array_equal(read.tensors[name], values)
        assert not read.tensors[name].flags.writeable


def test_configuration_and_training_come_back_as_they_were(tmp_path, card, tensors):
    told = replace(
        card,
        configuration={"heads": 2, "counts": "exact"},
        training={"seed": 0, "tokens_per_s": 1234.5, "command": "make toys"},
    )
    bundle.write(tmp_path / "toy", told, tensors)
    read = bundle.read(tmp_path / "toy").card
    assert (read.configuration, read.training) == (told.configuration, told.training)


def test_the_same_bundle_gives_the_same_bytes(folder, tmp_path, card, tensors):
    bundle.write(tmp_path / "again", card, dict(reversed(tensors.items())))
    for name in (CARD, WEIGHTS):
        assert (tmp_path / "again" / name).read_bytes() == (folder / "toy" / name).read_bytes()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda raw: raw.update(format=2), "format 2"),
        (lambda raw: raw.pop("target"), "target: missing"),
        (lambda raw: raw.update(extra=1), "extra: unknown field"),
        (lambda raw: raw["target"].update(slug="../../etc"), "slug"),
        (lambda raw: raw["target"].update(kind="guessed"), "kind"),
        (lambda raw: raw["target"].update(floor_s=-1.0), "floor_s: out of range"),
        (lambda raw: raw["target"].update(floor_s=True), "floor_s: not a number"),
        (lambda raw: raw["target"].update(name="two\nlines"), "name: not a line of text"),
        (lambda raw: raw["target"].update(vendor="x" * 1000), "1000 characters"),
        (lambda raw: raw["canonical_run"].update(size=[1024]), "size"),
        (lambda raw: raw["canonical_run"].update(size=[1, 32769]), "size"),
        (lambda raw: raw.update(architecture=""), "architecture: 0 characters, 1 to 80"),
        (lambda raw: raw["methods"][0].update(training_samples=1.5), "not an integer"),
        (lambda raw: raw["methods"][0].update(features=["OpFAdd"] * 2), "two of one name"),
        (lambda raw: raw["methods"][0].update(features=[]), "features"),
        (lambda raw: raw["methods"][0]["validation"].update(spearman=2), "spearman: out of"),
        (lambda raw: raw["methods"][0]["validation"]["by_time"].clear(), "by_time"),
        (
            lambda raw: raw["methods"][0]["validation"]["by_time"][0].update(from_s=1.0),
            "not ascending",
        ),
        (lambda raw: raw["methods"][0]["validation"]["by_time"][0].update(mape=None), "no range"),
        (lambda raw: raw.update(methods=[raw["methods"][0]] * 2), "two of one name"),
        (lambda raw: raw.update(methods=[]), "methods"),
        (lambda raw: raw["weights"].update(sha256="0" * 64), "SHA-256"),
        (lambda raw: raw["weights"].update(bytes=99), "99"),
        (lambda raw: raw.update(configuration=[1]), "configuration: not an object"),
        (lambda raw: raw.update(configuration={"a\nb": 1}), r"'a\\nb': not a name"),
        (lambda raw: raw.update(configuration={"heads": None}), "heads: not a line of text"),
        (lambda raw: raw.update(configuration={"heads": 2**64}), "heads: out of range"),
        (lambda raw: raw.update(configuration={"heads": {"n": 1}}), "heads: not a line of text"),
        (lambda raw: raw.update(training={f"n{i}": i for i in range(65)}), "65 fields, at most 64"),
    ],
)
def test_a_wrong_card_is_refused_with_the_field(folder, change, reason):
    change_card(folder, change)
    with pytest.raises(InvalidModel, match=reason) as refused:
        bundle.read(folder / "toy")
    assert str(refused.value).startswith("toy: ")
    assert "\n" not in str(refused.value)


def test_the_largest_size_is_read(folder):
    change_card(folder, lambda raw: raw["canonical_run"].update(size=[1, 32768]))
    assert bundle.read(folder / "toy").card.run.size == (1, 32768)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"format": NaN}', b"[" * 100_000, b"{}" + b" " * 300_000],
)
def test_a_card_that_is_not_json_is_refused(folder, text):
    (folder / "toy" / CARD).write_bytes(text)
    with pytest.raises(InvalidModel, match=r"card\.json"):
        bundle.read(folder / "toy")


def test_missing_files_are_refused(folder):
    (folder / "toy" / WEIGHTS).unlink()
    with pytest.raises(InvalidModel, match=r"weights\.safetensors: missing"):
        bundle.read(folder / "toy")
    (folder / "toy" / CARD).unlink()
    with pytest.raises(InvalidModel, match=r"card\.json: missing"):
        bundle.read(folder / "toy")


def test_truncated_weights_are_refused(folder):
    path = folder / "toy" / WEIGHTS
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidModel, match="bytes, the card says"):
        bundle.read(folder / "toy")


def test_one_flipped_bit_in_the_weights_is_refused(folder):
    path = folder / "toy" / WEIGHTS
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(InvalidModel, match="SHA-256"):
        bundle.read(folder / "toy")


def test_weights_too_large_to_hold_are_not_read(folder, monkeypatch):
    monkeypatch.setattr(bundle, "MAX_WEIGHTS_BYTES", 100)
    with pytest.raises(
        InvalidModel, match=r"weights\.safetensors: it has 300 bytes, the limit is 100"
    ):
        bundle.read(folder / "toy")


F32 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "8"),
        (struct.pack("<Q", 2**63) + b"{}", "does not fit"),
        (struct.pack("<Q", 50) + b"{}", "does not fit"),
        (safetensors_file(b"not json"), "weights"),
        (safetensors_file({"a": F32}), "weights"),
        (safetensors_file({"a": F32 | {"data_offsets": [0, 2**62]}}, b"\0" * 4), "weights"),
        (safetensors_file({"a": F32 | {"shape": [2**62, 4]}}, b"\0" * 4), "weights"),
        (safetensors_file({"a": F32 | {"dtype": "I32"}}, b"\0" * 4), "type I32"),
        (safetensors_file({"a": F32}, struct.pack("<f", float("nan"))), "not finite"),
        (safetensors_file({"a": F32}, struct.pack("<f", float("inf"))), "not finite"),
    ],
)
def test_hostile_weights_the_card_vouches_for_are_refused(folder, data, reason):
    put_weights(folder, data)
    with pytest.raises(InvalidModel, match=reason):
        bundle.read(folder / "toy")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.integers(0, 10**6), value=st.integers(0, 255), keep=st.integers(0, 10**6))
def test_no_damage_to_vouched_weights_escapes_as_another_error(folder, where, value, keep):
    data = bytearray((folder / "toy" / WEIGHTS).read_bytes())
    data[where % len(data)] = value
    put_weights(folder, bytes(data[: max(8, keep % (2 * len(data)))]))
    try:
        read = bundle.read(folder / "toy")
    except InvalidModel:
        return
    assert all(np.isfinite(values).all() for values in read.tensors.values())


def test_a_refused_bundle_is_a_problem_and_the_others_work(folder, card, tensors):
    other = replace(card, target=replace(card.target, slug="other"))
    bundle.write(folder / "other", other, tensors)
    change_card(folder, lambda raw: raw.update(format=7))
    assert [info.target for info in targets.installed(folder)] == ["other"]
    (problem,) = targets.problems(folder)
    assert problem.bundle == "toy"
    assert "format 7" in problem.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda card, tensors: tensors.pop("sh.intercept"), "sh.intercept"),
        (lambda card, tensors: tensors.update(spare=np.zeros(1, np.float32)), "spare"),
        (
            lambda card, tensors: tensors.update({"pilr.coefficients": np.zeros(3, np.float32)}),
            "shape",
        ),
        (
            lambda card, tensors: tensors.update({"sh.intercept": np.array([5e3], np.float32)}),
            "over 1 s",
        ),
    ],
)
def test_weights_that_do_not_fit_their_card_are_a_problem(tmp_path, card, tensors, change, reason):
    change(card, tensors)
    bundle.write(tmp_path / "toy", card, tensors)
    assert targets.installed(tmp_path) == ()
    assert reason in targets.problems(tmp_path)[0].reason


def test_an_architecture_of_the_future_and_a_second_bundle_are_problems(folder, card, tensors):
    bundle.write(folder / "future", replace(card, architecture="telepathy"), tensors)
    bundle.write(folder / "toy-again", card, tensors)
    assert [info.target for info in targets.installed(folder)] == ["toy"]
    reasons = {problem.bundle: problem.reason for problem in targets.problems(folder)}
    assert "telepathy" in reasons["future"]
    assert "second bundle" in reasons["toy-again"]


def test_a_changed_bundle_is_read_again(folder, card, tensors):
    assert targets.installed(folder)[0].name == "Toy GPU"
    bundle.write(
        folder / "toy", replace(card, target=replace(card.target, name="Newer Toy")), tensors
    )
    assert targets.installed(folder)[0].name == "Newer Toy"


def test_a_missing_models_folder_is_a_problem(tmp_path):
    assert targets.installed(tmp_path / "none") == ()
    assert len(targets.problems(tmp_path / "none")) == 1
