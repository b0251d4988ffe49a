"""How good a model is: perplexity of unseen words, coherence of topics, predicted labels and links, and baselines."""

from __future__ import annotations

from plait.evaluation.class_auc import LabelFolds, cross_validate_labels, mean_auc
from plait.evaluation.classification import Confusion, LabelScore, LabelScores, score_labels
from plait.evaluation.coherence import coherence, topic_diversity
from plait.evaluation.link_splits import EdgeSplit, split_documents, split_edges, undirected_links
from plait.evaluation.links import (
    LinkScores,
    mean_link_scores,
    score_link_pairs,
    score_link_ranks,
    score_word_ranks,
)
from plait.evaluation.perplexity import Perplexity, completion_perplexity, fold_in_perplexity, unigram_perplexity

__all__ = [
    "Confusion",
    "EdgeSplit",
    "LabelFolds",
    "LabelScore",
    "LabelScores",
    "LinkScores",
    "Perplexity",
    "coherence",
    "completion_perplexity",
    "cross_validate_labels",
    "fold_in_perplexity",
    "mean_auc",
    "mean_link_scores",
    "score_labels",
    "score_link_pairs",
    "score_link_ranks",
    "score_word_ranks",
    "split_documents",
    "split_edges",
    "topic_diversity",
    "undirected_links",
    "unigram_perplexity",
]
