"""A campaign on a real Ray cluster of this machine, on the real software driver."""

from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="Ray is not installed")

from tests.benchmarks.cluster_campaign import killed, same_as_pool

pytestmark = pytest.mark.timeout(3600)  # against hangs; a busy machine starts nodes in minutes


def test_nodes_killed_at_random_lose_nothing_and_measure_nothing_twice():
    found = killed(shaders=12, kills=3, seed=1)
    assert found["kills"] == 3
    assert (found["recorded"], found["rejected"]) == (12, 0)
    assert (found["missing"], found["twice"]) == ([], [])
    assert found["streamed_is_kept"]


def test_the_cluster_gives_the_pools_set():
    found = same_as_pool(6)
    assert found["pool"] == found["ray"] == 6
    assert found["same_ids"]
    assert found["same_programs"]
    assert found["same_counts"]
