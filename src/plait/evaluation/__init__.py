"""How good a model is: perplexity of unseen words, coherence of topics; each can stand beside a baseline."""

from __future__ import annotations

from plait.evaluation.coherence import coherence, topic_diversity
from plait.evaluation.perplexity import Perplexity, completion_perplexity, fold_in_perplexity, unigram_perplexity

__all__ = [
    "Perplexity",
    "coherence",
    "completion_perplexity",
    "fold_in_perplexity",
    "topic_diversity",
    "unigram_perplexity",
]
