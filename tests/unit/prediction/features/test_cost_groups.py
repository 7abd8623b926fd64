from __future__ import annotations

import pytest

from shaderlab import locations
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.features.cost_groups import COST_GROUPS, cost_group_of


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("varying:OpFMul:constant", "arithmetic"),
        ("uniform:OpFMul", "arithmetic"),
        ("varying:OpIAdd", "arithmetic"),
        ("varying:FMix", "arithmetic"),
        ("varying:Sin", "transcendental"),
        ("varying:OpLoad", "memory"),
        ("varying:OpImageSampleImplicitLod", "texture"),
        ("varying:OpFOrdLessThan:jump", "control"),
        ("varying:OpSLessThan", "control"),
        ("varying:OpConvertSToF", "conversion"),
        ("varying:OpCompositeConstruct", "conversion"),
        ("waiting:carried:Sin", "dependency latency"),
        ("other", "other"),
    ],
)
def test_a_kind_is_of_the_group_that_saves_it(kind, group):
    assert cost_group_of(kind) == group


def test_every_priced_kind_has_a_group_and_few_are_other():
    folders = locations.models().glob("*-additive*")
    kinds = {kind for each in folders for kind in bundle.read(each).card.methods[0].features}
    groups = {kind: cost_group_of(kind) for kind in kinds}
    assert set(groups.values()) <= set(COST_GROUPS)
    strange = sorted(kind for kind, group in groups.items() if group == "other")
    assert len(strange) < 0.02 * len(kinds), strange
