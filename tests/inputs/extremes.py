"""Small fits with extreme numbers, run by test_extremes.py in a process of its own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sparse

import plait
from plait import LabelResponse, LinkedDocuments, LinkResponse, SymmetricPrior, ValueResponse

# Not numbers, numbers far outside of every range, and limits of the ranges of some parameters.
NUMBERS = (np.nan, np.inf, -1.0, 0.0, 1e-300, 1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12, 1e300)
QUICK: dict[str, Any] = {
    "n_topics": 3,
    "n_sweeps": 2,
    "n_samples": 1,
    "sample_every": 1,
    "fold_in_sweeps": 2,
    "tolerance": 0.0,
    "random_state": 1,
    "verbose": False,
}
N, N_WORDS = 12, 8

NOT_NUMBERS = {
    *("executor", "vocabulary", "random_state", "verbose", "sampler", "cached", "learn_alpha", "learn_beta", "loss"),
    *("form", "directed", "one_vs_all", "history_form", "mixing", "prior", "responses", "direction"),
    *("labels", "values", "links", "n_jobs"),  # responses; and a number of threads, which may be large
}


def models() -> dict[str, Any]:
    """Every estimator, with the responses, losses and samplers that use numbers in their own way."""
    two = QUICK | {"n_chains": 1}
    parts = [LabelResponse(loss="logistic"), ValueResponse(), LinkResponse()]
    return {
        "LDA": plait.LDA(**QUICK),
        "LDA, limit": plait.LDA(sampler="limit", **QUICK),
        "LDA, sparse": plait.LDA(sampler="sparse(2)", **QUICK),
        "LDA, learned priors": plait.LDA(**QUICK | {"learn_alpha": True, "learn_beta": True, "n_sweeps": 11}),
        "MedLDA, hinge": plait.MedLDA(**two),
        "MedLDA, logistic": plait.MedLDA(loss="logistic", **two),
        "MedLDA, limit": plait.MedLDA(sampler="limit", **two),
        "SupervisedLDA": plait.SupervisedLDA(**two),
        "RelationalTopicModel, logistic": plait.RelationalTopicModel(pair_features=None, weights_every=1, **two),
        "RelationalTopicModel, hinge": plait.RelationalTopicModel(
            pair_features=None, weights_every=1, loss="hinge", form="diagonal", **two
        ),
        "LinkedLDA": plait.LinkedLDA(**two),
        "LinkedLDA, limit": plait.LinkedLDA(sampler="limit", **two),
        "TopicModel": plait.TopicModel(mixing=LinkedDocuments(), prior=SymmetricPrior(), responses=parts, **two),
        "OnlineLDA": plait.OnlineLDA(**QUICK),
    }


def parameters(model: Any) -> list[str]:
    """Names of the parameters that may be numbers."""
    return [name for name in model.get_params(deep=True) if name.rpartition("__")[2] not in NOT_NUMBERS]


def inputs(**changes: Any) -> dict[str, Any]:
    """Counts, labels, values and links of a few documents, some replaced."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (N, N_WORDS)).astype(np.float64)
    counts[:, 0] += 1
    links = np.triu(rng.random((N, N)) < 0.3, 1).astype(np.float64)
    given = {"X": counts, "y": np.arange(N) % 2, "values": rng.normal(size=N), "links": sparse.csr_array(links)}
    return given | changes


def with_count(number: float, everywhere: bool) -> dict[str, Any]:
    """Inputs with another count of one word, or with all counts multiplied."""
    counts = inputs()["X"]
    if everywhere:
        return {"X": counts * number}
    counts[0, 0] = number
    return {"X": counts}


def with_link(number: float, everywhere: bool) -> dict[str, Any]:
    """Inputs with another weight of one link, or of all links."""
    links = inputs()["links"]
    links.data[: None if everywhere else 1] = number
    return {"links": links}


def with_value(number: float, everywhere: bool) -> dict[str, Any]:
    """Inputs with another value of one document, or with all values multiplied."""
    values = inputs()["values"]
    if everywhere:
        return {"values": values * number}
    values[0] = number
    return {"values": values}


def fit(model: Any, given: dict[str, Any]) -> Any:
    """Fit a model to what it uses of the inputs."""
    name = type(model).__name__
    if name == "OnlineLDA":
        return model.partial_fit(given["X"]).partial_fit(given["X"])
    if name == "TopicModel":
        return model.fit(given["X"], given["y"], values=given["values"], links=given["links"])
    if name in ("RelationalTopicModel", "LinkedLDA"):
        return model.fit(given["X"], links=given["links"])
    return model.fit(given["X"], given["values"] if name == "SupervisedLDA" else given["y"])


def not_finite(model: Any, X: Any) -> list[str]:
    """Names of the results that contain a number that is not finite."""
    results = {name: value for name, value in vars(model).items() if name.endswith("_")}
    results["transform"], results["perplexity"] = model.transform(X), model.perplexity(X)
    for method in ("predict", "decision_function", "predict_values", "score_links"):
        if hasattr(model, method):
            results[method] = getattr(model, method)(X)
    numbers = {name: np.asarray(value.data if sparse.issparse(value) else value) for name, value in results.items()}
    return [name for name, array in numbers.items() if array.dtype.kind == "f" and not np.isfinite(array).all()]


def run_case(name: str, changes: dict[str, Any], replaced: dict[str, Any]) -> tuple[str, str]:
    """Fit a model with other parameters to other inputs; return "refused", "failed", "not finite" or "finite"; why."""
    model = models()[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.set_params(**changes)
            given = inputs(**replaced)
            fit(model, given)
            bad = not_finite(model, given["X"])
        except ValueError as error:
            return "refused", str(error)
        except Exception as error:
            return "failed", f"{type(error).__name__}: {error}"
    return ("not finite", ", ".join(bad)) if bad else ("finite", "")
