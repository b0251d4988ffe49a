"""What a topic expects of words before it has seen any: each prior gives pseudo-counts β."""

from __future__ import annotations

from plait.priors.base import NamedPrior, Prior, as_prior, laid_onto
from plait.priors.history import HistoryPrior, spread_weights
from plait.priors.symmetric import SymmetricPrior
from plait.priors.table import TablePrior

__all__ = [
    "HistoryPrior",
    "NamedPrior",
    "Prior",
    "SymmetricPrior",
    "TablePrior",
    "as_prior",
    "laid_onto",
    "spread_weights",
]
