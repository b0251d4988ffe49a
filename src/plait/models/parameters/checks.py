"""One check per constructor parameter; every estimator runs those of the parameters that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.mixing import Mixing
from plait.priors import is_prior
from plait.responses import RESPONSES, Response
from plait.samplers import as_sampler

_MOST_TOPICS = 65_535  # topics are stored in 16 bits
_MOST = 1_000_000_000  # of any whole number: larger ones are mistakes
_MOST_PARTS = 100_000  # chains, shards, past slices and fold-in sweeps, for which memory or time is needed at once


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise an error for the first parameter whose value cannot work.

    Parameters
    ----------
    parameters : mapping of str to object
        Values by name; names without a check are accepted.

    Examples
    --------
    >>> check_parameters({"n_sweeps": 0})
    Traceback (most recent call last):
    plait.errors.PlaitError: n_sweeps must be a whole number, 1 or more, not 0
    """
    for name, value in parameters.items():
        if name in CHECKS:
            CHECKS[name](name, value)


def _whole(least: int, most: int = _MOST, *, optional: bool = False) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if not (optional and value is None):
            check_whole(name, value, least=least)
            if value > most:
                raise PlaitError(f"{name} must be at most {most:,}, not {value}", parameter=name)

    return check


def _one_of(*choices: Any) -> Callable[[str, Any], None]:
    *first, last = (repr(choice) if isinstance(choice, str) else str(choice) for choice in choices)

    def check(name: str, value: Any) -> None:
        if value not in choices:
            raise PlaitError(f"{name} must be {', '.join(first)} or {last}, not {value!r}")

    return check


def _check_tolerance(name: str, value: Any) -> None:
    if value is not None and not 0 <= value < 1:
        raise PlaitError(f"{name} must lie between 0 and 1, not {value!r}", parameter=name)


def _check_sampler(name: str, value: Any) -> None:
    as_sampler(value)


def _check_mixing(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, Mixing):
        raise PlaitError(
            f"{name} must be None or a mixing such as OwnDocument(0.1) or LinkedDocuments(), not {value!r}"
        )


def _check_prior(name: str, value: Any) -> None:
    if value is not None and not is_prior(value):
        raise PlaitError(
            f"{name} must be None or a prior such as SymmetricPrior(0.01) or TablePrior(table), not {value!r}"
        )


def _check_responses(name: str, value: Any) -> None:
    """Reject anything but a list of specifications, at most one of each kind."""
    choice = ", ".join(f"{kind.__name__}()" for kind in RESPONSES.values())
    if not isinstance(value, (list, tuple)):
        raise PlaitError(f"{name} must be a list of what topics must explain ({choice}), not {value!r}")
    places: dict[str, int] = {}
    for place, one in enumerate(value):
        if isinstance(one, type) and issubclass(one, Response):
            raise PlaitError(f"{name}[{place}] is the class {one.__name__}; give {one.__name__}()")
        if not isinstance(one, Response):
            raise PlaitError(f"{name}[{place}] is {one!r}, which is none of {choice}")
        if one.kind in places:
            raise PlaitError(
                f"{name}[{places[one.kind]}] and {name}[{place}] both explain {one.kind}; a model takes one response "
                "of each kind"
            )
        places[one.kind] = place


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "responses": _check_responses,
    "n_topics": _whole(1, _MOST_TOPICS),
    "n_sweeps": _whole(1),
    "n_samples": _whole(1),
    "sample_every": _whole(1),
    "fold_in_sweeps": _whole(1, _MOST_PARTS),
    "n_shards": _whole(1, _MOST_PARTS, optional=True),
    "n_chains": _whole(1, _MOST_PARTS),
    "tolerance": _check_tolerance,
    "sampler": _check_sampler,
    "cached": _one_of(None, True, False),
    "learn_alpha": _one_of(None, False, True, "symmetric", "late"),
    "keep": _one_of("titles", "ids", "nothing"),
    "mixing": _check_mixing,
    "prior": _check_prior,
    "window": _whole(0, _MOST_PARTS),
    "history_form": _one_of("counts", "distributions", "smoothed"),
    "forget_after": _whole(1, optional=True),
}
