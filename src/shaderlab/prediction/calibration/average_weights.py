"""`average`: what GPUs have in common, as weights of the additive model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shaderlab.prediction.features.kinds import nearest
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.additive import Weights


def average(weights: Sequence[Weights]) -> Weights:
    """Weights between all those given, at least one; a faster GPU counts as much as a slower one.

    Prices are geometric means once each GPU's own scale, its median over the kinds all have, is
    taken out.  Context networks stand side by side, each with its share of the output.
    """
    first = weights[0]
    kinds = tuple(sorted({kind for each in weights for kind in each.kinds}))
    logs = [
        dict(zip(each.kinds, np.log(np.maximum(each.prices, 1e-30)).tolist(), strict=True))
        for each in weights
    ]
    logs = [
        {kind: each[found] for kind in kinds if (found := nearest(kind, each))} for each in logs
    ]
    shared = [kind for kind in kinds if all(kind in each for each in logs)]
    middle = np.mean([[each[kind] for kind in shared] for each in logs], axis=0)
    scales = [float(np.median([each[kind] for kind in shared] - middle)) for each in logs]
    prices = [
        np.mean(
            [each[kind] - scale for each, scale in zip(logs, scales, strict=True) if kind in each]
        )
        for kind in kinds
    ]
    executions = {each.execution for each in weights}
    hidden, out, bias = [], [], 0.0
    for each in weights:
        # The same network for inputs scaled as the first one's are.
        slopes = each.hidden[:-1] * (first.scale / each.scale)[:, None]
        shift = ((first.mean - each.mean) / each.scale) @ each.hidden[:-1]
        hidden.append(np.vstack([slopes, each.hidden[-1] + shift]))
        out.append(each.out[:-1] / len(weights))
        bias += float(each.out[-1]) / len(weights)
    return replace(
        first,
        kinds=kinds,
        prices=np.exp(prices),
        floor_s=float(np.exp(np.mean([np.log(each.floor_s) for each in weights]))),
        exponent=float(np.mean([each.exponent for each in weights])),
        bound=float(np.mean([each.bound for each in weights])),
        low=np.min([each.low for each in weights], axis=0),
        high=np.max([each.high for each in weights], axis=0),
        hidden=np.column_stack(hidden),
        out=np.append(np.concatenate(out), bias),
        late=None,
        execution=executions.pop() if len(executions) == 1 else Execution.JUMPING,
    )
