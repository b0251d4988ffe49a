"""Which methods a model has: those of its responses and of its mixing, for scikit-learn's `available_if`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plait.responses import RESPONSES


def explains(*kinds: str) -> Callable[[Any], bool]:
    """Return a check that the model has a response of one of these kinds.

    Parameters
    ----------
    *kinds : str
        Kinds of responses: "labels", "values", "links".

    Returns
    -------
    callable
        Returns True for a model, or raises an AttributeError that names the missing response.
    """

    def check(model: Any) -> bool:
        if any(model._explains(kind) for kind in kinds):
            return True
        responses = " or ".join(f"{RESPONSES[kind].__name__}()" for kind in kinds)
        raise AttributeError(
            f"the topics of this model do not explain {' or '.join(kinds)}: add {responses} to its responses and fit it"
        )

    return check


def gives_probabilities(model: Any) -> bool:
    """Return True for a model that predicts probabilities of labels; raise an AttributeError for others."""
    explains("labels")(model)
    labels = model._response("labels")
    if labels.make_loss().gives_probabilities or labels.calibrate > 0:
        return True
    chosen = vars(model).get("label_choice_")
    if model._calibrates if "classes_" not in vars(model) else chosen is not None and chosen.sigmoids is not None:
        return True
    raise AttributeError(
        "the hinge loss gives no probabilities: set calibrate=0.1, say, to learn them from labels that are set "
        "aside, or use loss='logistic' (with threshold='auto' they are learned from held-out scores, if there are "
        "enough labelled documents)"
    )


def follows_links(model: Any) -> bool:
    """Return True for a model whose mixing uses links; raise an AttributeError for others."""
    if model._make_mixing().uses_links:
        return True
    raise AttributeError(
        "tokens of this model are drawn from their own document only, so links carry no influence: use LinkedLDA, or "
        "TopicModel(mixing=LinkedDocuments())"
    )
