from __future__ import annotations

from collections import Counter

from shaderlab.training.splits import Split, split_of


def test_known_ids_stay_where_they_are():
    """Computed with sha1sum; a change here would leak training shaders into tests."""
    known = {"MdGcWW": "test", "7slfRH": "validation", "MsjXRd": "train", "dsBGzW": "train"}
    assert {name: split_of(name) for name in known} == known


def test_a_tenth_each_is_held_out():
    counts = Counter(split_of(f"shader{i}") for i in range(20_000))
    assert abs(counts[Split.TEST] / 20_000 - 0.1) < 0.01
    assert abs(counts[Split.VALIDATION] / 20_000 - 0.1) < 0.01
