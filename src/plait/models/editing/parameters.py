"""Parameters and names of an edited model: α, β and names of topics follow their topics.

- α as one number is kept: the edited model is the same model with another number of topics. α per topic is added for
  merged topics, because sums of Dirichlet proportions are Dirichlet with the sum of α. It is left out for dropped
  topics, because the other proportions, renormalised, are Dirichlet with the other α. It is divided by the number of
  parts for a split one. A learned α is treated alike.
- β as one number or one per word is kept. For any other prior, `with_topics` of the prior decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plait._utils.topic_rows import Origins, sum_rows
from plait.errors import PlaitError
from plait.models.naming import check_name
from plait.priors import TablePrior, as_prior, edit_prior


def edited_parameters(model: Any, origins: Origins) -> dict[str, Any]:
    """Return the constructor parameters that an edit changes.

    Parameters
    ----------
    model : TopicEstimator
        The model before the edit.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    dict of str to object
        Values by name.
    """
    changes: dict[str, Any] = {"n_topics": len(origins)}
    for name, value in model.get_params(deep=False).items():
        if value is None:
            continue
        if name == "alpha":
            changes[name] = _edit_alpha(value, origins)
        elif name == "mixing":
            changes[name] = replace(value, alpha=_edit_alpha(value.alpha, origins))
        elif name in ("beta", "prior"):
            changes[name] = _edit_beta(value, origins)
    return changes


def edited_names(names: Sequence[str], origins: Origins) -> list[str]:
    """Return the names of edited topics.

    A merged topic has the names of its topics ("space / physics"), the parts of a split one are numbered ("space (1)").

    Parameters
    ----------
    names : sequence of str
        Names of the topics before the edit.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    list of str
        Names of the new topics, "" for none.

    Examples
    --------
    >>> edited_names(["space", "physics", "sea"], [(0, 1), (2,), (2,)])
    ['space / physics', 'sea (1)', 'sea (2)']
    """
    edited = []
    for new, own in enumerate(origins):
        name = " / ".join(names[topic] for topic in own if names[topic])
        parts = [number for number, other in enumerate(origins) if other == own]
        if name and len(parts) > 1:
            name = f"{name} ({parts.index(new) + 1})"
        try:
            edited.append(check_name(name, new) if name and name not in edited else "")
        except PlaitError:  # the joined names are too long for a name
            edited.append("")
    return edited


def _edit_alpha(alpha: Any, origins: Origins) -> Any:
    return alpha if np.ndim(alpha) == 0 else sum_rows(np.asarray(alpha, dtype=np.float64), origins)


def _edit_beta(beta: Any, origins: Origins) -> Any:
    if np.ndim(beta) == 0 and not hasattr(beta, "with_topics"):
        return beta  # one number, or a prior that does not distinguish topics
    edited = edit_prior(as_prior(beta), origins)
    # An array stays an array, a prior a prior.
    return edited.table if isinstance(edited, TablePrior) and not isinstance(beta, TablePrior) else edited
