"""Workers that train one network together: each computes the gradient of its share of a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed

T = TypeVar("T")


@dataclass(frozen=True)
class Peers:
    """This worker among `count`, in torch's process group if it is not the only one."""

    rank: int = 0
    count: int = 1

    @property
    def leads(self) -> bool:
        """Whether this one writes what all of them know."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """This worker's part; every item belongs to one worker."""
        return items[self.rank :: self.count]

    def seed(self, *seeds: int) -> None:
        """Give each worker random numbers of its own, the same in every run.  One that is alone
        keeps the numbers it has."""
        if self.count > 1:
            mixed = torch.tensor([*seeds, self.rank], dtype=torch.int64)
            torch.manual_seed(int((mixed * torch.tensor([1_000_003, 10_007, 1])).sum()))

    def add(self, tensors: Iterable[torch.Tensor]) -> None:
        """Replace each, which is the worker's own, by the sum over all workers."""
        if self.count == 1:
            return
        tensors = list(tensors)
        flat = torch.cat([each.reshape(-1) for each in tensors])
        torch.distributed.all_reduce(flat)
        for tensor, total in zip(
            tensors, flat.split([each.numel() for each in tensors]), strict=True
        ):
            tensor.copy_(total.view_as(tensor))
