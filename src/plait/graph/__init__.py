"""Classification on a graph: weights of edges, stacked graphical learning, and the classifiers it was used with."""

from __future__ import annotations

from plait.graph.classifiers import bayes_net, entropy_tree, svm
from plait.graph.discretize import MDLDiscretizer
from plait.graph.edges import edge_weights
from plait.graph.log_ratios import LogRatios
from plait.graph.stacking import StackedGraphClassifier

__all__ = ["LogRatios", "MDLDiscretizer", "StackedGraphClassifier", "bayes_net", "edge_weights", "entropy_tree", "svm"]
