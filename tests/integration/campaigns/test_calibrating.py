"""A calibration of the software driver, with shaders cheap enough to time in a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.campaigns.calibrating import Calibration, Options, Progress
from shaderlab.campaigns.measuring import Effort
from shaderlab.errors import Abandoned, CalibrationFailed, NoTimestamps, WrongUse
from shaderlab.frontend import calibration_shaders
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import discover
from shaderlab.prediction.calibration.fitting import FEWEST
from shaderlab.prediction.catalogue import targets, user_targets
from shaderlab.prediction.forms import Form
from tests.radv import why_no_listing

pytestmark = pytest.mark.timeout(300)

QUICK = Effort(trials=2, trial_s=0.02, draws=2, shader_s=1.0, fewest_trials=2, deadline_s=60.0)
BODY = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {{
    vec3 c = vec3(fragCoord / iResolution.xy, 0.5);
    for (int i = 0; i < {rounds}; i++) {{
        {work}
    }}
    fragColor = vec4(c, 1.0);
}}
"""
WORK = ("c = c * 0.9 + c.yzx * 0.05;", "c = sin(c) + 0.1;", "c = normalize(c + 0.2);")


def shaderlab(*words: object) -> dict | list:
    run = subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words), "--json"],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def device() -> DeviceInfo:
    return discover().choose("llvmpipe")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("shaders")
    found = []
    for number in range(13):
        path = folder / f"own{number}.frag"
        path.write_text(BODY.format(rounds=1 + 2 * number, work=WORK[number % len(WORK)]))
        found.append(path)
    return found


@pytest.fixture(scope="module")
def store(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples of the first three files; of the first at another size as well."""
    path = tmp_path_factory.mktemp("samples") / "store"
    quick = ("--device", "llvmpipe", "--trials", 2, "--draws", 2, "--to", path)
    assert shaderlab("record", *files[:3], *quick)["recorded"] == 3
    assert shaderlab("record", files[0], "--size", "64x48", *quick)["recorded"] == 1
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return user_targets.folder()


def test_timed_and_recorded_shaders_make_a_target(device, files, store, home, tmp_path):
    broken = tmp_path / "broken.frag"
    broken.write_text("void mainImage(out vec4 c, in vec2 p) { nonsense }")
    unset = tmp_path / "unset.frag"
    unset.write_text(
        "void mainImage(out vec4 c, in vec2 p) { float x; for (int i = 0; i < 3; i++) x += p.x; "
        "c = vec4(x); }"
    )
    options = Options(
        shaders=1,
        textures=False,
        files=(*files, broken, unset),
        samples=store,
        slug="trial",
        effort=QUICK,
    )
    told: list[Progress] = []
    outcome = Calibration(device, options).run(told.append)

    assert (outcome.timed, outcome.recorded) == (11, 3)
    reasons = dict(outcome.skipped)
    assert "nonsense" in reasons["broken.frag"]
    assert "uninitialised" in reasons["unset.frag"]
    assert any("another run (64x48" in reason for reason in reasons.values())
    assert len(reasons) == 3
    assert [each.done for each in told] == [*range(17), 16]
    assert told[-1].last == "fitting"

    card, *others = outcome.cards
    (method,) = card.methods
    assert method.training_samples == method.validation.n == 14
    assert 0 < method.validation.median_ape < 3
    assert card.configuration["calibrated_on"] == "llvmpipe"
    assert card.configuration["base"] in user_targets.bases()
    compiled = 0 if why_no_listing() else 14
    assert outcome.traced == {Form.WRITTEN: 14, Form.OPTIMIZED: 14, Form.COMPILED: compiled}
    errors = [each.methods[0].validation.median_ape for each in (card, *others)]
    assert errors == sorted(errors, reverse=True)
    mine = next(each for each in targets.installed() if each.target == "trial")
    assert mine.user
    assert (home / "trial" / "card.json").is_file()
    assert len(list(home.iterdir())) == len(outcome.cards)
    (forecast,) = shaderlab("predict", files[7], "--device", "llvmpipe", "--target", "trial")[
        "targets"
    ]
    assert 0 < forecast["low_s"] <= forecast["time_s"] <= forecast["high_s"]
    assert forecast["method"] == others[-1].methods[0].name if others else "additive"
    (reason, *_) = mine.reasons.values()
    assert "Calibrated on 14 shaders on llvmpipe" in reason
    assert "held-out median error" in reason


def test_shaders_made_for_it_price_texture_reads(device, files, home, tmp_path, monkeypatch):
    chosen = calibration_shaders.reading_textures()[:FEWEST]
    monkeypatch.setattr(calibration_shaders, "reading_textures", lambda: chosen)
    options = Options(shaders=1, files=tuple(files), slug="reader", effort=QUICK)
    outcome = Calibration(device, options).run()
    assert outcome.reading == FEWEST
    for card in outcome.cards:
        textures = card.methods[0].textures
        if card.methods[0].name == "additive-compiled":
            continue  # nothing that RADV leaves of a texture read is replayed
        assert textures is not None
        assert textures.training_samples == outcome.reading
    shader = tmp_path / "reads.frag"
    shader.write_text(
        "void mainImage(out vec4 c, vec2 p) { c = vec4(0.0);"
        "for (int i = 0; i < 9; i++) c += texture(iChannel0, p / 99.0 + float(i)); }"
    )
    (forecast,) = shaderlab(
        "predict", shader, "--texture", "iChannel0=noise", "--device", "llvmpipe",
        "--target", "reader",
    )["targets"]  # fmt: skip
    assert forecast["textures"]["price"] == "fitted"
    assert forecast["status"] == "ok"
    assert not any("texture" in each for each in forecast["warnings"])


def test_too_few_shaders_save_nothing(device, files, home):
    with pytest.raises(
        CalibrationFailed, match=f"3 of 3 shaders could be timed, {FEWEST} are needed"
    ):
        Calibration(
            device, Options(shaders=1, textures=False, files=tuple(files[:2]), effort=QUICK)
        ).run()
    assert not home.exists()


def test_a_stopped_one_saves_nothing(device, files, home):
    seen: list[Progress] = []
    options = Options(shaders=1, textures=False, files=tuple(files), effort=QUICK)
    with pytest.raises(Abandoned, match="stopped"):
        Calibration(device, options).run(seen.append, lambda: len(seen) > 2)
    assert len(seen) == 3
    assert not home.exists()


def test_a_device_without_timestamps_is_refused(device):
    from dataclasses import replace

    with pytest.raises(NoTimestamps):
        Calibration(replace(device, timestamps=False)).run()


def test_a_name_that_is_none_is_refused(device):
    with pytest.raises(WrongUse, match="not a target's name"):
        Calibration(device, Options(slug="../../etc"))
