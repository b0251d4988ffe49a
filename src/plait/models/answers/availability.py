"""Which answers a model has: those about what its topics explain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plait.responses import RESPONSES


def explains(*kinds: str) -> Callable[[Any], bool]:
    """Return a check for scikit-learn's `available_if`: the model's topics explain one of these kinds of things."""

    def check(model: Any) -> bool:
        if any(model._explains(kind) for kind in kinds):
            return True
        responses = " or ".join(f"{RESPONSES[kind].__name__}()" for kind in kinds)
        raise AttributeError(
            f"the topics of this model do not explain {' or '.join(kinds)}: add {responses} to its responses and fit it"
        )

    return check
