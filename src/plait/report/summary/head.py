"""Head of a report: the model, its parameters, and the perplexity by sweep."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

State = Literal["interrupted", "converged", "not converged", "finished"]

_MAX_CHAINS = 8  # curves of perplexity
_MAX_POINTS = 200  # per curve
_MAX_ITEMS = 8  # of a list that is a parameter
# Parameters that are shown elsewhere in the head, or do not change the result.
_NOT_SHOWN = ("n_topics", "sampler", "n_chains", "random_state", "n_jobs", "verbose")


@dataclass(frozen=True)
class Setting:
    """A parameter that differs from its default.

    Attributes
    ----------
    name : str
        Name of the parameter.
    value : str
        Its value as short text.
    """

    name: str
    value: str


@dataclass(frozen=True)
class Chain:
    """Training perplexity of one chain.

    Attributes
    ----------
    sweeps : tuple of int
        Sweeps.
    perplexity : tuple of float
        Perplexity after each of these sweeps.
    """

    sweeps: tuple[int, ...]
    perplexity: tuple[float, ...]


@dataclass(frozen=True)
class Head:
    """The model, its parameters and its fit.

    Attributes
    ----------
    model : str
        Class of the model.
    n_topics : int
        Number of topics.
    n_documents : int
        Number of training documents.
    n_words : int
        Size of the vocabulary.
    n_tokens : float
        Number of tokens.
    n_slices : int or None
        Number of time slices; None if the model is not fitted to a stream.
    sampler : str
        Sampler.
    n_chains : int
        Number of chains.
    n_sweeps : int
        Number of sweeps of all chains.
    seed : str
        Seed; a text, because JavaScript cannot represent large integers.
    state : {"interrupted", "converged", "not converged", "finished"}
        How the fit ended; "finished" if convergence was not checked.
    settings : tuple of Setting
        Parameters that differ from their defaults.
    chains : tuple of Chain
        Training perplexity by sweep; for a stream, of the last time slice.
    last_perplexity : float or None
        Training perplexity after the last sweep.
    """

    model: str
    n_topics: int
    n_documents: int
    n_words: int
    n_tokens: float
    n_slices: int | None
    sampler: str
    n_chains: int
    n_sweeps: int
    seed: str
    state: State
    settings: tuple[Setting, ...]
    chains: tuple[Chain, ...]
    last_perplexity: float | None


def summarise_head(model: Any) -> Head:
    """Return the head of a report.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    Head
        Plain data.
    """
    slices = getattr(model, "slices_", None)
    n_documents, n_tokens = len(model.documents_), float(model.word_counts_.sum())
    if slices:
        n_documents = sum(one.n_documents for one in slices)
        n_tokens = float(sum(one.n_tokens for one in slices))
    chains = _split_by_chain(model.history_)
    return Head(
        model=type(model).__name__,
        n_topics=int(model.topic_word_.shape[0]),
        n_documents=int(n_documents),
        n_words=int(model.topic_word_.shape[1]),
        n_tokens=n_tokens,
        n_slices=None if slices is None else len(slices),
        sampler=_describe(model.sampler),
        n_chains=len(chains),
        n_sweeps=int(model.n_sweeps_),
        seed=str(model.seed_),
        state=_state(model),
        settings=tuple(_changed_settings(model)),
        chains=tuple(map(_thin, chains[:_MAX_CHAINS])),
        last_perplexity=float(model.history_[-1].perplexity) if model.history_ else None,
    )


def _state(model: Any) -> State:
    """Return how the fit ended."""
    if model.interrupted_:
        return "interrupted"
    if model.settled_:
        return "converged"
    return "finished" if model.tolerance == 0 else "not converged"


def _split_by_chain(history: Iterable[Any]) -> list[Chain]:
    """Split the records by chain; each chain counts its own sweeps."""
    chains: list[list[Any]] = []
    for record in history:
        if not chains or record.sweep <= chains[-1][-1].sweep:
            chains.append([])
        chains[-1].append(record)
    return [
        Chain(tuple(int(one.sweep) for one in records), tuple(float(one.perplexity) for one in records))
        for records in chains
    ]


def _thin(chain: Chain) -> Chain:
    """Return a chain with at most about 200 points, including the first and the last."""
    step = -(-len(chain.sweeps) // _MAX_POINTS)
    kept = sorted({*range(0, len(chain.sweeps), step), len(chain.sweeps) - 1})
    return Chain(tuple(chain.sweeps[at] for at in kept), tuple(chain.perplexity[at] for at in kept))


def _changed_settings(model: Any) -> Iterable[Setting]:
    """Yield the parameters that differ from their defaults."""
    defaults = inspect.signature(type(model).__init__).parameters
    for name, value in model.get_params(deep=False).items():
        default = defaults[name].default if name in defaults else None
        if name not in _NOT_SHOWN and _describe(value) != _describe(default):
            yield Setting(name, _describe(value))


def _describe(value: Any) -> str:
    """Return the value of a parameter as short text that is the same in every process."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(
            f"{one.name}={_describe(getattr(value, one.name))}"
            for one in fields(value)
            if one.init and _describe(getattr(value, one.name)) != _describe(one.default)
        )
        return f"{type(value).__name__}({inner})"
    if isinstance(value, (list, tuple)):
        more = [f"{len(value) - _MAX_ITEMS} more"] if len(value) > _MAX_ITEMS else []
        return f"[{', '.join([*map(_describe, value[:_MAX_ITEMS]), *more])}]"
    if isinstance(value, dict):
        return f"{len(value)} entries"
    shape = getattr(value, "shape", None)
    if shape is None:
        return type(value).__name__
    return str(value) if shape == () else f"{type(value).__name__} {' × '.join(map(str, shape))}"
