"""The three classifiers that Bíró and Szabó (2009) use with topic proportions, made from scikit-learn estimators.

The paper uses Weka. Weka's BayesNet with default settings is a naive Bayes model over binned features
(`MDLDiscretizer`); its SVM is linear; its C4.5 is a decision tree that splits by entropy. The paper trains each class
against the rest: wrap the classifiers in `sklearn.multiclass.OneVsRestClassifier` to do the same.
"""

from __future__ import annotations

from typing import Any

from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.graph.discretize import MDLDiscretizer


def bayes_net(alpha: float = 0.5) -> Pipeline:
    """Return an unfitted naive Bayes classifier over binned features.

    Parameters
    ----------
    alpha : float, default 0.5
        Pseudo-count of each bin in each class; 0.5 in Weka.

    Returns
    -------
    Pipeline
        `MDLDiscretizer` and `CategoricalNB`.

    Examples
    --------
    >>> bayes_net().fit([[0.1], [0.2], [0.3], [0.7], [0.8], [0.9]], list("aaabbb")).predict([[0.0], [1.0]]).tolist()
    ['a', 'b']
    """
    return make_pipeline(MDLDiscretizer(), CategoricalNB(alpha=alpha))


def svm(c: float = 1.0, **options: Any) -> LinearSVC:
    """Return an unfitted linear support vector machine.

    Parameters
    ----------
    c : float, default 1.0
        Penalty parameter C of `LinearSVC`.
    **options : Any
        Further parameters of `LinearSVC`.

    Returns
    -------
    LinearSVC
        The classifier.

    Examples
    --------
    >>> svm(c=10.0).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.8]]).tolist()
    ['b']
    """
    return LinearSVC(C=c, **options)


def entropy_tree(pruning: float = 0.008, **options: Any) -> DecisionTreeClassifier:
    """Return an unfitted decision tree that splits by entropy and has at least two samples per leaf, like C4.5.

    C4.5 prunes by an upper bound of the error. This tree removes splits that reduce the entropy by less than `pruning`
    bits per leaf. Scores are the shares of the classes in a leaf.

    Parameters
    ----------
    pruning : float, default 0.008
        `ccp_alpha` of `DecisionTreeClassifier`, in bits per sample; 0 for no pruning.
    **options : Any
        Further parameters of `DecisionTreeClassifier`, such as `random_state`.

    Returns
    -------
    DecisionTreeClassifier
        The classifier.

    Examples
    --------
    >>> tree = entropy_tree(random_state=0).fit([[0.0], [0.1], [0.9], [1.0]], ["a", "a", "b", "b"])
    >>> tree.predict([[0.8]]).tolist()
    ['b']
    """
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=pruning, **options)
