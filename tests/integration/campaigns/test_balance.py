"""`campaign --balance` on the software driver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.campaigns import balance, corpus
from shaderlab.gpu import discovery
from shaderlab.samples import exchange
from tests.integration.campaigns.shaders import write

CHEAP = {
    f"cheap{n}": f"void mainImage(out vec4 c, in vec2 p) {{ c = vec4(fract(p.x * {n + 2}.0)); }}\n"
    for n in range(40)
}
DEAR = {
    f"dear{n}": f"""\
void mainImage(out vec4 c, in vec2 p) {{
    float s = 0.0;
    for (int i = 0; i < {600 + n}; i++) {{ s += sin(float(i) * p.x); }}
    c = vec4(s, p.x, p.y, 1.0);
}}
"""
    for n in range(3)
}
LIMIT = balance.FIRST + 6


@pytest.fixture(scope="module", autouse=True)
def llvmpipe():
    if not any(each.slug == "llvmpipe" for each in discovery.discover().devices):
        pytest.skip("lavapipe is not installed")


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", "campaign", *map(str, words)],
        capture_output=True,
        text=True,
    )


def test_slow_shaders_are_chosen_where_the_corpus_has_few(tmp_path: Path):
    shaders = write(tmp_path / "made-up.jsonl", CHEAP | DEAR)
    read = corpus.read(shaders)
    seed = next(
        seed
        for seed in range(100)
        if not any(each.name in DEAR for each in corpus.drawn(read, seed=seed, limit=LIMIT))
    )
    store = tmp_path / "store"
    options = (
        "--balance", "--seed", seed, "--device", "llvmpipe", "--size", "64x48", "--trials", 2,
        "--trial", 0.005, "--slowest", 0.5, "--limit", LIMIT, "--plain", "--json",
    )  # fmt: skip
    done = run(shaders, "--to", store, *options)
    assert done.returncode == 0, done.stderr
    assert "of the same shaders" not in done.stderr
    (device,) = json.loads(done.stdout)["devices"]
    assert device["recorded"] + device["rejected"] <= LIMIT
    ids = {sample.program.id for sample in exchange.accepted(store)}
    assert set(DEAR) <= ids, "a plain campaign of this seed has none of them"

    # Samples that there are already count as they were this campaign's own, and are not repeated.
    other = tmp_path / "other"
    again = run(shaders, "--to", other, *options, "--beside", store)
    assert again.returncode == 0, again.stderr
    assert "only if both have 30 of the same shaders. The store has 0 of them" in again.stderr
    assert not ids & {sample.program.id for sample in exchange.accepted(other)}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--to", "s", "--beside", "x.parquet"), "--beside needs --balance"),
        (("--bundle", "b.parquet", "--balance"), "it has no use with --bundle"),
    ],
)
def test_options_that_do_not_go_together_are_refused(tmp_path: Path, words, sentence):
    shaders = write(tmp_path / "made-up.jsonl", CHEAP)
    done = run(shaders, *(tmp_path / each if each == "s" else each for each in words))
    assert done.returncode == 2
    assert sentence in done.stderr
