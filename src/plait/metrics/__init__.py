"""Metrics: perplexity, topic coherence, scores of predicted labels and links.

`perplexity.py`, `marginal.py` (with `marginal_kernels.py`), `coherence.py` and `matching.py` measure topics,
`classification.py` and `class_auc.py` predicted labels, `links.py` predicted links; `thresholds.py` chooses the scores
above which labels are predicted, `link_splits.py` splits documents and links into training and held-out sets.
"""

from __future__ import annotations

from plait.metrics.class_auc import LabelFolds, cross_validate_labels, mean_auc
from plait.metrics.classification import Confusion, LabelScore, LabelScores, score_labels
from plait.metrics.coherence import coherence, topic_diversity
from plait.metrics.link_splits import EdgeSplit, split_documents, split_edges, undirected_links
from plait.metrics.links import LinkScores, mean_link_scores, score_link_pairs, score_link_ranks, score_word_ranks
from plait.metrics.marginal import marginal_likelihoods
from plait.metrics.matching import match_topics, topic_stability
from plait.metrics.perplexity import (
    Perplexity,
    completion_likelihoods,
    completion_perplexity,
    fold_in_perplexity,
    unigram_perplexity,
)
from plait.metrics.thresholds import choose_thresholds

__all__ = [
    "Confusion",
    "EdgeSplit",
    "LabelFolds",
    "LabelScore",
    "LabelScores",
    "LinkScores",
    "Perplexity",
    "choose_thresholds",
    "coherence",
    "completion_likelihoods",
    "completion_perplexity",
    "cross_validate_labels",
    "fold_in_perplexity",
    "marginal_likelihoods",
    "match_topics",
    "mean_auc",
    "mean_link_scores",
    "score_labels",
    "score_link_pairs",
    "score_link_ranks",
    "score_word_ranks",
    "split_documents",
    "split_edges",
    "topic_diversity",
    "topic_stability",
    "undirected_links",
    "unigram_perplexity",
]
