"""What a topic expects of words before it has seen any: each prior gives pseudo-counts β."""

from __future__ import annotations

from plait._utils.discovery import find_classes
from plait.priors.base import AnyPrior, NamedPrior, Prior, as_prior, is_prior, laid_onto, topic_names
from plait.priors.history import HistoryPrior, spread_weights
from plait.priors.seed import SeedPrior
from plait.priors.symmetric import SymmetricPrior
from plait.priors.table import TablePrior
from plait.priors.word_counts import WordCountsPrior

PRIORS: dict[str, type[Prior | NamedPrior]] = {
    kind.__name__: kind for kind in find_classes("plait.priors", lambda kind: issubclass(kind, Prior | NamedPrior))
}

__all__ = [
    "PRIORS",
    "AnyPrior",
    "HistoryPrior",
    "NamedPrior",
    "Prior",
    "SeedPrior",
    "SymmetricPrior",
    "TablePrior",
    "WordCountsPrior",
    "as_prior",
    "is_prior",
    "laid_onto",
    "spread_weights",
    "topic_names",
]
