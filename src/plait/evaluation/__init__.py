"""How good a model is: perplexity of unseen words, coherence of topics, predicted labels; beside baselines."""

from __future__ import annotations

from plait.evaluation.classification import Confusion, LabelScore, LabelScores, score_labels
from plait.evaluation.coherence import coherence, topic_diversity
from plait.evaluation.perplexity import Perplexity, completion_perplexity, fold_in_perplexity, unigram_perplexity

__all__ = [
    "Confusion",
    "LabelScore",
    "LabelScores",
    "Perplexity",
    "coherence",
    "completion_perplexity",
    "fold_in_perplexity",
    "score_labels",
    "topic_diversity",
    "unigram_perplexity",
]
