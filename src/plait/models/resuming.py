"""Resuming a fit: what it began with, and what differs in the corpus and the parameters that `resume` is given."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.exceptions import NotFittedError

from plait._utils.text import short
from plait.engine.run import Run
from plait.errors import PlaitError
from plait.inputs.features import FeatureMatrix, as_matrix
from plait.models.fitting import Fit
from plait.samplers import as_sampler

# Parameters that do not change the result: where the fit runs, the source of a seed that is kept, and how links are
# read, because the links themselves are compared.
_FREE = ("executor", "n_jobs", "verbose", "random_state", "directed")
_SHORT = 60  # characters of a value in messages; of longer ones a digest is kept


class UnfinishedError(PlaitError, NotFittedError):
    """A model that was loaded from a checkpoint is asked for results before its fit was resumed."""


def is_fitted(self: Any) -> bool:
    """Return whether the model has results; raise an error for a model of a checkpoint, which has none yet."""
    known = vars(self)
    if "topic_word_" not in known and known.get("_unfinished") is not None:
        raise UnfinishedError(
            f"this {type(self).__name__} is the checkpoint of an unfinished fit and has no results yet; continue with "
            "resume(corpus), or plait fit --resume"
        )
    return any(name.endswith("_") and not name.startswith("__") for name in known)


def began_with(model: Any, fit: Fit) -> dict[str, dict[str, str]]:
    """Return the corpus and the parameters of a fit, for `check_same_fit`.

    Parameters
    ----------
    model : TopicEstimator
        The model.
    fit : Fit
        Its fit.

    Returns
    -------
    dict of str to dict
        "corpus" and "parameters": short texts by name.
    """
    counts = fit.words.counts
    sizes = {"documents": counts.shape[0], "words": counts.shape[1], "tokens": float(counts.sum())}
    corpus = {name: f"{size:,.10g}" for name, size in sizes.items()}
    corpus |= {name: _digest(*arrays) for name, arrays in fit.target_arrays.items()}
    parameters = model.get_params(deep=True)
    nested = {name.rpartition("__")[0] for name in parameters}
    kept = {
        name: value
        for name, value in parameters.items()
        if name not in nested and name.rpartition("__")[2] not in _FREE
    }
    kept["sampler"] = as_sampler(kept["sampler"])
    return {"corpus": corpus, "parameters": {name: describe_value(value) for name, value in kept.items()}}


def check_same_fit(self: Any, fit: Fit) -> None:
    """Raise an error that says what differs if an interrupted fit had other documents, targets or parameters."""
    before, now = vars(self).get("_began_with"), began_with(self, fit)
    changed = [] if before is None else _differences(before["parameters"], now["parameters"])
    if changed:
        name = changed[0].partition(" ")[0]
        raise PlaitError(
            f"the parameters are not those that the fit began with: {'; '.join(changed)}; set them back to resume, or "
            "fit again",
            parameter=name,
        )
    if fit.fingerprint == self._corpus_fingerprint:
        return
    changed = [] if before is None else _differences(before["corpus"], now["corpus"])
    if before is not None and not changed:
        changed = ["the words of documents differ; their numbers are the same"]
    what = f" ({'; '.join(changed)})" if changed else ""
    raise PlaitError(f"these are not the documents that the fit began with{what}; give the same corpus to resume")


def check_runs(runs: list[Run], fit: Fit) -> None:
    """Raise an error unless the runs of a checkpoint have the sizes of the corpus."""
    n_documents, n_words = fit.words.counts.shape
    try:
        for run in runs:
            run.check_sizes(n_words, fit.settings.n_topics, n_documents)
    except PlaitError as error:
        raise PlaitError(f"the checkpoint is damaged: {error}; fit again") from error


def describe_value(value: Any) -> str:
    """Return a parameter as a short text that is the same in every process.

    Parameters
    ----------
    value : object
        The parameter.

    Returns
    -------
    str
        The value itself if it is short; otherwise its type and a digest.

    Examples
    --------
    >>> describe_value(0.5), describe_value([1, 2])
    ('0.5', '[1, 2]')
    >>> describe_value(np.arange(1000)).partition(" ")[0]
    'array(1000,)'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHORT else f"text {_digest(value)}"
    if isinstance(value, (np.ndarray, sparse.sparray)):
        return f"array{value.shape} {_digest(value)}"
    if isinstance(value, FeatureMatrix) or sparse.issparse(value) or hasattr(value, "columns"):
        return describe_value(as_matrix(value).values)  # as a file has them
    if isinstance(value, (list, tuple)):
        text = f"[{', '.join(map(describe_value, value))}]"
        return text if len(text) <= _SHORT else f"{len(value)} values {_digest(text)}"
    if isinstance(value, dict):
        text = ", ".join(f"{describe_value(name)}: {describe_value(one)}" for name, one in value.items())
        return f"{{{text}}}" if len(text) <= _SHORT else f"dict of {len(value)} {_digest(text)}"
    if dataclasses.is_dataclass(value):
        fields = [f"{one.name}={describe_value(getattr(value, one.name))}" for one in dataclasses.fields(value)]
        text = f"{type(value).__name__}({', '.join(fields)})"
        return text if len(text) <= _SHORT else f"{type(value).__name__} {_digest(text)}"
    return type(value).__name__


def _differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return what differs between two records: name, value then and now."""
    names = [*before, *(name for name in now if name not in before)]
    return [
        f"{short(name)} was {short(before.get(name, 'missing'))}, is {now.get(name, 'missing')}"
        for name in names
        if before.get(name) != now.get(name)
    ]


def _digest(*values: Any) -> str:
    """Return a short digest of texts and arrays."""
    digest = hashlib.blake2b(digest_size=6)
    for value in values:
        if isinstance(value, str):
            digest.update(value.encode(errors="surrogatepass"))
        elif sparse.issparse(value):
            digest.update(_digest(*(getattr(value.tocsr(), name) for name in ("data", "indices", "indptr"))).encode())
        elif value.dtype == object:
            digest.update("\0".join(map(str, value.ravel())).encode(errors="surrogatepass"))
        else:
            digest.update(f"{value.shape}{value.dtype}".encode() + np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()
