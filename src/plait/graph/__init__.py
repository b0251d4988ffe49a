"""Classification of linked documents.

`edges.py` computes edge weights from links. `stacking.py` is the classifier (stacked graphical learning), `layers.py`
trains its layers. `classifiers.py` has classifiers for topic proportions, with `discretize.py` (bins) and
`log_ratios.py` (log-ratios) to transform the proportions.
"""

from __future__ import annotations

from plait.graph.classifiers import bayes_net, entropy_tree, svm
from plait.graph.discretize import MDLDiscretizer
from plait.graph.edges import edge_weights
from plait.graph.log_ratios import LogRatios
from plait.graph.stacking import StackedGraphClassifier

__all__ = ["LogRatios", "MDLDiscretizer", "StackedGraphClassifier", "bayes_net", "edge_weights", "entropy_tree", "svm"]
