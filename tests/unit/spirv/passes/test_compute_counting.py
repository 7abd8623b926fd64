"""Invocations of workgroups as warps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.passes.compute_counting import by_warps
from shaderlab.spirv.passes.counting import _by_lane


@given(st.integers(1, 100), st.integers(1, 5), st.integers(0, 1000))
def test_a_warp_is_32_consecutive_invocations_of_one_workgroup(per_group, groups, seed):
    raw = np.random.default_rng(seed).integers(0, 9, (2, groups * per_group)).astype(np.uint32)
    lanes = _by_lane(by_warps(raw, per_group))
    wanted = [
        group[:, first : first + 32]
        for group in np.split(raw, groups, axis=1)
        for first in range(0, per_group, 32)
    ]
    assert lanes.shape[2] == len(wanted)
    for number, warp in enumerate(wanted):
        assert (lanes[:, :, number].max(axis=1) == warp.max(axis=1)).all()
        assert (lanes[:, :, number].sum(axis=1) == warp.sum(axis=1)).all()
