"""The network of `prediction.models.shaderperformer` in torch, as it is trained.

The names of its parameters are those of `shaderperformer.shapes`, so a state is a checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import NORM_EPSILON, TRACE_BITS, Configuration
from shaderlab.spirv import tokens as vocabulary

_SPREAD = 0.02
"""Standard deviation of initial weights, as in BERT."""


@dataclass(frozen=True)
class Batch:
    """Sequences padded on the left to one length."""

    tokens: Tensor
    """(shaders, length) int64."""
    counts: Tensor
    """(shaders, length) int64: as shown to the network (`shaderperformer.shown_counts`)."""
    pads: tuple[int, ...]
    """Padding of each."""

    def to(self, device: str) -> Batch:
        return Batch(self.tokens.to(device), self.counts.to(device), self.pads)


def collate(sequences: Sequence[tuple[np.ndarray, np.ndarray]]) -> Batch:
    """A batch of (tokens, shown counts), padded to the longest and a multiple of eight."""
    longest = max(len(tokens) for tokens, _ in sequences)
    length = longest + shaderperformer.padding(longest)
    tokens = np.full((len(sequences), length), vocabulary.PAD, np.int64)
    counts = np.zeros((len(sequences), length), np.int64)
    for row, (own, shown) in enumerate(sequences):
        tokens[row, length - len(own) :] = own
        counts[row, length - len(own) :] = shown
    pads = tuple(length - len(own) for own, _ in sequences)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(counts), pads)


class ShaderPerFormer(nn.Module):
    """Logarithms of seconds per draw on one or several targets."""

    def __init__(
        self,
        configuration: Configuration,
        targets: int = 1,
        dropout: float = 0.1,
        attention_dropout: float = 0.1,
    ):
        super().__init__()
        self.configuration = configuration
        hidden = configuration.hidden
        self.words = nn.Parameter(torch.empty(configuration.vocabulary, hidden))
        self.positions = nn.Parameter(torch.empty(configuration.positions, hidden))
        self.kind = nn.Parameter(torch.empty(hidden))
        self.embedded = nn.LayerNorm(hidden, NORM_EPSILON)
        self.layers = nn.ModuleList(
            _Layer(configuration, dropout, attention_dropout) for _ in range(configuration.layers)
        )
        self.head = _Head(hidden, targets)
        self.dropout = nn.Dropout(dropout)
        self._start()

    def _start(self) -> None:
        """BERT's initial weights: normal, biases zero; the row of padding stays zero for good.

        The released code gives the padding's row to the table of positions too, so position 1000
        has no vector.
        """
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() == 1 and name != "kind":
                nn.init.ones_(parameter)
            else:
                nn.init.normal_(parameter, std=_SPREAD)
        with torch.no_grad():
            for table in (self.words, self.positions):
                if len(table) > vocabulary.PAD:
                    table[vocabulary.PAD] = 0

    def forward(self, batch: Batch) -> Tensor:
        """(shaders, targets)"""
        length = batch.tokens.shape[1]
        places = torch.arange(length, device=batch.tokens.device)
        x = functional.embedding(batch.tokens, self.words, padding_idx=vocabulary.PAD)
        # The row padding_idx names takes no gradient; a shorter table has no such row.
        frozen = vocabulary.PAD if len(self.positions) > vocabulary.PAD else None
        x = x + functional.embedding(places, self.positions, padding_idx=frozen) + self.kind
        bits = batch.counts[..., None] >> torch.arange(TRACE_BITS, device=places.device) & 1
        x = x + functional.pad(bits.to(x.dtype), (0, x.shape[-1] - TRACE_BITS))
        x = self.dropout(self.embedded(x))
        for layer in self.layers[:-1]:
            x = layer(x, batch.pads)
        # Only position 0 is read, so the last layer need not answer for the others.
        x = self.layers[-1](x, batch.pads, first_only=True)[:, 0]
        x = torch.tanh(self.head.dense(self.dropout(x)))
        return self.head.out(self.dropout(x))


class _Head(nn.Module):
    def __init__(self, hidden: int, targets: int):
        super().__init__()
        self.dense = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, targets)


class _Layer(nn.Module):
    """Attention, then a feed-forward part, each normalised after its residual is added."""

    def __init__(self, configuration: Configuration, dropout: float, attention_dropout: float):
        super().__init__()
        hidden, inner = configuration.hidden, configuration.inner
        self.heads = configuration.heads
        self.attention_dropout = attention_dropout
        self.query, self.key, self.value, self.attended = (
            nn.Linear(hidden, hidden) for _ in range(4)
        )
        self.attended_norm = nn.LayerNorm(hidden, NORM_EPSILON)
        self.inner = nn.Linear(hidden, inner)
        self.outer = nn.Linear(inner, hidden)
        self.outer_norm = nn.LayerNorm(hidden, NORM_EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, pads: tuple[int, ...], *, first_only: bool = False) -> Tensor:
        asking = x[:, :1] if first_only else x
        # One sequence's padding is cut off before attention; several need a mask.
        attended_to, mask = (x[:, pads[0] :], None) if len(pads) == 1 else (x, _mask(x, pads))
        query, key, value = (
            linear(of).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for linear, of in (
                (self.query, asking), (self.key, attended_to), (self.value, attended_to)
            )
        )  # fmt: skip
        mixed = functional.scaled_dot_product_attention(
            query, key, value, mask, self.attention_dropout if self.training else 0.0
        )
        mixed = self.attended(mixed.transpose(1, 2).flatten(2))
        x = self.attended_norm(self.dropout(mixed) + asking)
        inner = self.outer(functional.gelu(self.inner(x)))
        return self.outer_norm(self.dropout(inner) + x)


def _mask(x: Tensor, pads: tuple[int, ...]) -> Tensor | None:
    """(shaders, 1, 1, length) bool, true where there is a token; None without padding."""
    if not any(pads):
        return None
    first = torch.tensor(pads, device=x.device)
    return (torch.arange(x.shape[1], device=x.device) >= first[:, None])[:, None, None]
