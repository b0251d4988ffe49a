"""What files of earlier versions hold otherwise, put into today's form when they are read."""

from __future__ import annotations

from typing import Any

# Parameters with another name now, by model.
_RENAMED = {"OnlineLDA": {"weights": "history_weights", "history": "history_form"}}


def rename_parameters(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model file under their present names.

    Parameters
    ----------
    kind : str
        Class of the model.
    settings : dict of str to object
        Parameters as the file has them.

    Returns
    -------
    dict of str to object
        Parameters of the class.
    """
    renamed = _RENAMED.get(kind, {})
    return {renamed.get(name, name): value for name, value in settings.items()}


def bring_up_to_date(learnt: dict[str, Any]) -> dict[str, Any]:
    """Return the fitted attributes of a model file as the models have them now."""
    if "_samples" in learnt:  # written when a model had one chain only
        learnt = dict(learnt)
        learnt["_chain_samples"] = [learnt.pop("_samples")]
        learnt["_chain_groups"] = [0]
        if learnt["_unfinished"] is not None:
            state, run = learnt["_unfinished"]
            learnt["_unfinished"] = (state, [run])
    if "_sigmoids" in learnt and "_linked_sigmoids" not in learnt:  # written when links had no curves of their own
        learnt = {**learnt, "_linked_sigmoids": learnt["_sigmoids"]}
    return learnt
