"""What files of earlier versions hold otherwise, put into today's form when they are read."""

from __future__ import annotations

from typing import Any


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
