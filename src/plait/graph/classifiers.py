"""The three classifiers that Bíró and Szabó (2009) put on topic proportions, out of scikit-learn's parts.

They used Weka. Its BayesNet, as it is set by default, is a naive Bayes model over features that are cut into bins by
`MDLDiscretizer`; its SVM is linear; its C4.5 is a decision tree that splits by entropy. The paper trains one of them
for each class against the rest: wrap them in `sklearn.multiclass.OneVsRestClassifier` for the same.
"""

from __future__ import annotations

from typing import Any

from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.graph.discretize import MDLDiscretizer


def bayes_net(alpha: float = 0.5) -> Pipeline:
    """Return a naive Bayes model over features cut into bins.

    Parameters
    ----------
    alpha : float
        What is added to the count of each bin in each class; Weka's estimator adds 0.5.

    Examples
    --------
    >>> bayes_net().fit([[0.1], [0.2], [0.3], [0.7], [0.8], [0.9]], list("aaabbb")).predict([[0.0], [1.0]]).tolist()
    ['a', 'b']
    """
    return make_pipeline(MDLDiscretizer(), CategoricalNB(alpha=alpha))


def svm(c: float = 1.0, **options: Any) -> LinearSVC:
    """Return a linear support vector machine; `c` is the cost of errors, options are those of `LinearSVC`."""
    return LinearSVC(C=c, **options)


def entropy_tree(pruning: float = 0.008, **options: Any) -> DecisionTreeClassifier:
    """Return a decision tree that splits by entropy and has leaves of two or more, as C4.5 does.

    C4.5 prunes where an upper bound of the error says so; this tree prunes where a split makes the classes purer by
    less than `pruning` bits for each leaf. Scores are the shares of the classes in a leaf.

    Parameters
    ----------
    pruning : float
        `ccp_alpha` of `DecisionTreeClassifier`, in bits a sample; 0 for a tree that is not pruned.
    **options
        Further options of `DecisionTreeClassifier`, such as `random_state`.
    """
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=pruning, **options)
