"""Priors on topic–word distributions: each prior gives the Dirichlet parameters (pseudo-counts) β.

`base.py` holds the contract. Then one prior per file: `symmetric.py` (one number), `table.py` (an array),
`history.py` (counts of past time slices), `seed.py` (seed words), `word_counts.py` (counts from another corpus).
"""

from __future__ import annotations

from plait._utils.discovery import find_classes
from plait.priors.base import AnyPrior, Prior, WordPrior, align_prior, as_prior, edit_prior, is_prior, topic_names
from plait.priors.history import HistoryPrior, spread_weights
from plait.priors.seed import SeedPrior
from plait.priors.symmetric import SymmetricPrior
from plait.priors.table import TablePrior
from plait.priors.word_counts import WordCountsPrior

PRIORS: dict[str, type[Prior | WordPrior]] = {
    kind.__name__: kind for kind in find_classes("plait.priors", lambda kind: issubclass(kind, Prior | WordPrior))
}

__all__ = [
    "PRIORS",
    "AnyPrior",
    "HistoryPrior",
    "Prior",
    "SeedPrior",
    "SymmetricPrior",
    "TablePrior",
    "WordCountsPrior",
    "WordPrior",
    "align_prior",
    "as_prior",
    "edit_prior",
    "is_prior",
    "spread_weights",
    "topic_names",
]
