"""Quantiles that depend on features."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

SMALLNESS = 0.03
"""What a column's coefficient costs, in the loss of one row."""


def quantile_regression(
    table: np.ndarray, values: np.ndarray, level: float, weights: np.ndarray
) -> np.ndarray:
    """Coefficients (columns,) for a table (n, columns): the share `level` of the weighted values
    (n,) lies below its product with them.

    The pinball loss with a small price on every coefficient but the first, as a linear programme
    (Koenker and Bassett 1978).
    """
    n, columns = table.shape
    price = np.r_[0.0, np.full(columns - 1, SMALLNESS)]
    cost = np.concatenate([price, price, weights * level, weights * (1 - level)])
    rows = sparse.csr_matrix(table)
    matrix = sparse.hstack([rows, -rows, sparse.eye(n), -sparse.eye(n)]).tocsr()
    found = linprog(cost, A_eq=matrix, b_eq=values, bounds=(0, None), method="highs")
    return found.x[:columns] - found.x[columns : 2 * columns]
