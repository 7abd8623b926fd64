"""Fitting one target's additive model (`prediction.models.additive_model`) to measured times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.kinds import coarser, nearest, operation_table, priced_kinds
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Late, Weights

_LATE_FLOOR_S, _LATE_SLOPE, _SHARPNESS = 4e-4, 0.3, 5.0
"""Where the search for `Late` starts."""
_SHARPEST = 50.0
"""A sharper bend is the same to any sample, and no end to the search."""


@dataclass(frozen=True)
class Recipe:
    """Choices of a fit; the defaults won five-fold cross-validation on the committed samples."""

    steps: int = 1200
    learning_rate: float = 0.03
    huber: float = 0.1
    """Errors of log time beyond this count linearly, so that the heavy tail does not lead."""
    hidden: int = 4
    bound: float = 1.0
    weight_decay: float = 0.003
    """On the context network."""
    price_decay: float = 0.01
    """On log prices, towards the nearest coarser kind's, else one for all."""
    base_decay: float = 0.01
    """The same where there is a base, whose prices go before."""
    least_shaders: int = 8
    """A kind seen in fewer training shaders gets no price; it counts as the coarser kind."""
    late: bool = False
    """Whether the clock rises with the load (`additive.Late`)."""
    execution: Execution = Execution.JUMPING
    seed: int = 0


_RECIPES = {
    "rx6600xt": Recipe(late=True, huber=0.05, base_decay=0.03),
    "rtx3060": Recipe(execution=Execution.HOISTING),
    "h200": Recipe(execution=Execution.HOISTING),
    "llvmpipe": Recipe(execution=Execution.PREDICATING),
    "swiftshader": Recipe(execution=Execution.PREDICATING),
}
"""Of targets whose clock rises with the load or that do not branch like GPUs."""
_OF_COMPILED = {"rtx3060": {"weight_decay": 0.01}, "h200": {"weight_decay": 0.01}}
"""What is otherwise where compiled programs are priced."""


def recipe_of(target: str, form: Form = Form.WRITTEN) -> Recipe:
    """What cross-validation chose for a target and a form of the programs."""
    recipe = _RECIPES.get(target, Recipe())
    return replace(recipe, **_OF_COMPILED.get(target, {})) if form is Form.COMPILED else recipe


def teaching(target: str) -> Recipe:
    """How a target is fitted whose prices are to teach a GPU: as if it ran its work as GPUs do.

    A device that predicates has its latency priced separately (`dependency_chains`), so its other
    prices mean less than a GPU's, which include it.
    """
    recipe = recipe_of(target)
    predicates = recipe.execution is Execution.PREDICATING
    return replace(recipe, execution=Execution.JUMPING) if predicates else recipe


def fit(
    examples: Sequence[Example],
    times_s: np.ndarray,
    recipe: Recipe | None = None,
    base: Weights | None = None,
) -> Weights:
    """Minimise the Huber loss of log time with Adam; the same seed gives the same weights.

    The floor starts at the fastest time.  `base`: what other targets' samples taught; its prices,
    times whatever factor suits, are where the search starts and what prices are drawn towards.
    Needs a handful of examples for every kind to be priced.
    """
    recipe = recipe or Recipe()
    seen = [each.spent[recipe.execution] for each in examples]
    kinds = priced_kinds(seen, recipe.least_shaders)
    operations = torch.tensor(operation_table(seen, kinds))
    contexts = torch.tensor(np.array([each.context for each in examples]))
    target = torch.tensor(np.log(np.asarray(times_s, np.float64)))
    mean, scale = contexts.mean(0), contexts.std(0, correction=0) + 1e-6
    scaled = (contexts - mean) / scale

    decay = recipe.price_decay if base is None else recipe.base_decay
    centre = _Centre(kinds, operations, target, base)
    generator = torch.Generator().manual_seed(recipe.seed)
    inputs = contexts.shape[1]
    log_prices = centre.start.clone().requires_grad_()
    log_floor = target.min().clone().requires_grad_()
    log_exponent = torch.tensor(np.log(2.0), requires_grad=True)
    hidden = torch.randn(inputs + 1, recipe.hidden, generator=generator, dtype=torch.float64)
    hidden = (hidden / inputs**0.5).requires_grad_()
    out = torch.zeros(recipe.hidden + 1, dtype=torch.float64, requires_grad=True)
    free = [log_prices, log_floor, log_exponent, centre.factor]
    late = torch.tensor([np.log(_LATE_FLOOR_S), np.log(_LATE_SLOPE), np.log(_SHARPNESS - 1)])
    if recipe.late:
        free.append(late.requires_grad_())
    optimizer = torch.optim.Adam([{"params": free}, {"params": [hidden, out]}])
    for step in range(recipe.steps):
        rate = recipe.learning_rate * 0.5 * (1 + np.cos(np.pi * step / recipe.steps))
        optimizer.param_groups[0]["lr"], optimizer.param_groups[1]["lr"] = rate, rate / 3
        work = torch.log(operations @ log_prices.exp() + 1e-30)
        factor = torch.tanh(scaled @ hidden[:-1] + hidden[-1]) @ out[:-1] + out[-1]
        work = work + recipe.bound * torch.tanh(factor)
        exponent = 1 + log_exponent.exp()
        predicted = torch.logaddexp(exponent * log_floor, exponent * work) / exponent
        if recipe.late:
            risen = torch.logaddexp(late[0], late[1] + work)
            sharpness = (1 + late[2].exp()).clamp(max=_SHARPEST)
            predicted = -torch.logaddexp(-sharpness * predicted, -sharpness * risen) / sharpness
        error = torch.nn.functional.huber_loss(predicted, target, delta=recipe.huber)
        off = log_prices - centre(log_prices)
        loss = (
            error / recipe.huber
            + recipe.weight_decay * (hidden.square().sum() + out.square().sum())
            + decay * off.square().mean()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Weights(
        kinds=kinds,
        prices=log_prices.detach().exp().numpy(),
        floor_s=float(log_floor.detach().exp()),
        exponent=1 + float(log_exponent.detach().exp()),
        bound=recipe.bound,
        mean=mean.numpy(),
        scale=scale.numpy(),
        low=contexts.min(0).values.numpy(),
        high=contexts.max(0).values.numpy(),
        hidden=hidden.detach().numpy(),
        out=out.detach().numpy(),
        late=_late(late.detach().numpy()) if recipe.late else None,
        execution=recipe.execution,
    )


def _late(found: np.ndarray) -> Late:
    floor_s, slope, sharpness = np.exp(found).tolist()
    return Late(floor_s, min(slope, 1.0), min(1 + sharpness, _SHARPEST))


class _Centre:
    """What log prices start at and are drawn towards."""

    def __init__(
        self,
        kinds: Sequence[str],
        operations: torch.Tensor,
        log_s: torch.Tensor,
        base: Weights | None,
    ):
        """`operations`: (examples, kinds); `log_s`: (examples,) logarithms of their seconds."""
        # One price for all kinds, or one factor for all of the base's, that explains the median
        # shader is where the search starts.
        self._one = float((log_s - operations.sum(1).clamp_min(1.0).log()).median())
        place = {kind: number for number, kind in enumerate(kinds)}
        pairs = [
            (place[kind], place[found])
            for kind in kinds
            if (above := next(coarser(kind), None)) and (found := nearest(above, place))
        ]
        self._refined, self._refines = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T
        prices = {} if base is None else dict(zip(base.kinds, base.prices.tolist(), strict=True))
        before = [prices.get(nearest(kind, prices) or "", 0.0) for kind in kinds]
        self._known = torch.tensor([price > 0 for price in before])
        self._before = torch.tensor(before, dtype=torch.float64).clamp_min(1e-30).log()
        work = operations[:, self._known] @ self._before[self._known].exp()
        factor = float((log_s - work.clamp_min(1e-30).log()).median())
        self.factor = torch.tensor(factor, dtype=torch.float64, requires_grad=True)
        """Log of what the base's prices are to be multiplied by."""
        self.start = self(torch.full((len(kinds),), self._one, dtype=torch.float64)).detach()

    def __call__(self, log_prices: torch.Tensor) -> torch.Tensor:
        """(kinds,) that of the base, else of the nearest coarser kind, else one for all."""
        coarse = torch.full((len(log_prices),), self._one, dtype=torch.float64)
        coarse = coarse.index_put((self._refined,), log_prices[self._refines])
        return torch.where(self._known, self._before + self.factor, coarse)
