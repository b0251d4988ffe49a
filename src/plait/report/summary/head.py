"""The head of a report: which model it is, how it was set and fitted, and how perplexity fell."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

_MOST_CHAINS = 8  # curves of perplexity
_MOST_POINTS = 200  # of a curve
_MOST_ITEMS = 8  # of a list that is a setting
# Said elsewhere in the head, or of no consequence for the result.
_NOT_SETTINGS = ("n_topics", "sampler", "n_chains", "random_state", "n_jobs", "verbose")


@dataclass(frozen=True)
class Setting:
    """A parameter that differs from its default."""

    name: str
    value: str


@dataclass(frozen=True)
class Chain:
    """Perplexity of the training words along one chain."""

    sweeps: tuple[int, ...]
    perplexity: tuple[float, ...]


@dataclass(frozen=True)
class Head:
    """What a model is."""

    model: str  # its class
    n_topics: int
    n_documents: int
    n_words: int  # distinct ones
    n_tokens: float
    n_slices: int | None  # of a stream
    sampler: str
    n_chains: int
    n_sweeps: int  # of all chains
    seed: str  # a text, as JavaScript cannot count that far
    state: Literal["stopped", "settled", "unsettled", "finished"]
    settings: tuple[Setting, ...]
    chains: tuple[Chain, ...]  # of a stream, those of the last slice
    last_perplexity: float | None


def summarise_head(model: Any) -> Head:
    """Read what a model is."""
    slices = getattr(model, "slices_", None)
    n_documents, n_tokens = model.doc_topic_.shape[0], float(model.word_counts_.sum())
    if slices:
        n_documents = sum(one.n_documents for one in slices)
        n_tokens = float(sum(one.n_tokens for one in slices))
    chains = _chains(model.history_)
    return Head(
        model=type(model).__name__,
        n_topics=int(model.topic_word_.shape[0]),
        n_documents=int(n_documents),
        n_words=int(model.topic_word_.shape[1]),
        n_tokens=n_tokens,
        n_slices=None if slices is None else len(slices),
        sampler=_shown(model.sampler),
        n_chains=len(chains),
        n_sweeps=int(model.n_sweeps_),
        seed=str(model.seed_),
        state=_state(model),
        settings=tuple(_changed_settings(model)),
        chains=tuple(map(_thinned, chains[:_MOST_CHAINS])),
        last_perplexity=float(model.history_[-1].perplexity) if model.history_ else None,
    )


def _state(model: Any) -> Literal["stopped", "settled", "unsettled", "finished"]:
    if model.interrupted_:
        return "stopped"
    if model.settled_:
        return "settled"
    return "unsettled" if model.tolerance > 0 else "finished"


def _chains(history: Iterable[Any]) -> list[Chain]:
    """Take the records of several chains apart: sweeps are counted anew in each."""
    chains: list[list[Any]] = []
    for record in history:
        if not chains or record.sweep <= chains[-1][-1].sweep:
            chains.append([])
        chains[-1].append(record)
    return [
        Chain(tuple(int(one.sweep) for one in records), tuple(float(one.perplexity) for one in records))
        for records in chains
    ]


def _thinned(chain: Chain) -> Chain:
    """Return a chain with fewer points, the first and the last among them."""
    step = -(-len(chain.sweeps) // _MOST_POINTS)
    kept = sorted({*range(0, len(chain.sweeps), step), len(chain.sweeps) - 1})
    return Chain(tuple(chain.sweeps[at] for at in kept), tuple(chain.perplexity[at] for at in kept))


def _changed_settings(model: Any) -> Iterable[Setting]:
    """Return the parameters that are not as they are by default."""
    defaults = inspect.signature(type(model).__init__).parameters
    for name, value in model.get_params(deep=False).items():
        default = defaults[name].default if name in defaults else None
        if name not in _NOT_SETTINGS and _shown(value) != _shown(default):
            yield Setting(name, _shown(value))


def _shown(value: Any) -> str:
    """Return a setting as short text, which is the same in every process."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(
            f"{one.name}={_shown(getattr(value, one.name))}"
            for one in fields(value)
            if one.init and _shown(getattr(value, one.name)) != _shown(one.default)
        )
        return f"{type(value).__name__}({inner})"
    if isinstance(value, (list, tuple)):
        more = [f"{len(value) - _MOST_ITEMS} more"] if len(value) > _MOST_ITEMS else []
        return f"[{', '.join([*map(_shown, value[:_MOST_ITEMS]), *more])}]"
    if isinstance(value, dict):
        return f"{len(value)} entries"
    shape = getattr(value, "shape", None)
    if shape is None:
        return type(value).__name__
    return str(value) if shape == () else f"{type(value).__name__} {' × '.join(map(str, shape))}"
