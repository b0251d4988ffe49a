"""Methods compared on links of held-out documents. A setting names a method, its parameters and a fold.

A held-out document's links to training documents are ranked by its words (link rank, AUC and so on), and its words by
its links (word rank). Methods that ignore links rank words equally for every document.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from common import Figures, Results, Setting, cells, fit_seconds
from data import Fold, load_fold
from threadpoolctl import threadpool_limits

import plait
from experiments.options import FIXED_PRIORS
from plait.baselines import KnnVotes, LdaLogistic, LinkBaseline, LsaBilinear, TfidfCosine, VarRTM
from plait.metrics import score_link_ranks, score_word_ranks

# Measured elsewhere: link rank and AUC by corpus and method.
YARDSTICKS = {
    ("cora", "TF-IDF cosine"): "424, 0.807",
    ("cora", "TF-IDF cosine, 2 hops"): "252, 0.877",
    ("cora", "LSA-50 + diagonal logistic"): "328, 0.850",
    ("cora", "LSA-50 + full logistic"): "278, 0.874",
    ("webkb", "TF-IDF cosine"): "122, 0.827",
    ("webkb", "TF-IDF cosine, 2 hops"): "107, 0.853",
    ("webkb", "LSA-50 + diagonal logistic"): "121, 0.827",
    ("webkb", "LSA-50 + full logistic"): "82, 0.898",
    ("citeseer", "TF-IDF cosine"): "277, 0.897",
}


# The paper's Gibbs-gRTM, Approx-gRTM and Gibbs-RTM.
MODELS: dict[str, Setting] = {
    "gRTM": {"form": "full"},
    "gRTM-cached": {"form": "full", "cached": True},
    "RTM": {"form": "diagonal"},
}


VOTERS = (10, 20, 50)  # numbers of nearest documents whose links are votes


class Contestant(NamedTuple):
    """A method and its name in tables."""

    name: str
    setting: Setting  # without the fold


def relational(name: str, corpus: str, topics: int, seed: int, **parameters: Any) -> Contestant:
    """Return a relational topic model with plait's defaults, without pair features, and the given parameters."""
    return Contestant(name, {"corpus": corpus, "method": "relational", "topics": topics, "seed": seed} | parameters)


def topic_baselines(corpus: str, topics: int, seed: int) -> list[Contestant]:
    """Return the baselines with topics."""
    given = {"corpus": corpus, "topics": topics, "seed": seed}
    names = ("Var-RTM", "LDA + logistic", "LDA, links hidden")
    return [Contestant(name, given | {"method": name}) for name in names]


def var_rtm_with_negatives(corpus: str, topics: int, seed: int, share: float) -> Contestant:
    """Return Var-RTM with a share of the pairs without a link as observed non-links."""
    given = {"corpus": corpus, "topics": topics, "seed": seed, "method": "Var-RTM", "negative_share": share}
    return Contestant(f"Var-RTM, {share:.1%} negatives", given)


def plain_baselines(corpus: str) -> list[Contestant]:
    """Return the baselines without topics."""
    return [
        Contestant("TF-IDF cosine", {"corpus": corpus, "method": "TF-IDF cosine", "hops": 0}),
        Contestant("TF-IDF cosine, 2 hops", {"corpus": corpus, "method": "TF-IDF cosine", "hops": 2}),
        *(
            Contestant(votes_name(k, itself), {"corpus": corpus, "method": "votes", "k": k, "itself": itself})
            for k in VOTERS
            for itself in (False, True)
        ),
        Contestant("LSA-50 + diagonal logistic", {"corpus": corpus, "method": "LSA", "full": False}),
        Contestant("LSA-50 + full logistic", {"corpus": corpus, "method": "LSA", "full": True}),
        Contestant("word frequency", {"corpus": corpus, "method": "word frequency"}),
        Contestant("words of linked documents", {"corpus": corpus, "method": "words of linked documents"}),
    ]


def votes_name(k: int, itself: bool) -> str:
    """Return the name of k-NN votes in tables."""
    return f"votes of the {k} nearest{' and themselves' if itself else ''}"


def compare(
    contestants: Sequence[Contestant],
    options: argparse.Namespace,
    columns: Sequence[str],
    varied: Callable[[Setting], str] | None = None,
) -> list[list[str]]:
    """Measure methods on folds and return the rows of a table.

    Parameters
    ----------
    contestants
        The methods.
    options
        Command-line options: folds, processes, and the file of stored figures.
    columns
        Figures to show, after the name and the number of topics.
    varied
        Another part of the setting to show before them.
    """
    settings = [contestant.setting | {"fold": fold} for contestant in contestants for fold in range(options.folds)]
    figures = Results(options.results).get_all(settings, measure, options.jobs)
    rows = []
    for number, (name, setting) in enumerate(contestants):
        shown = [name, str(setting.get("topics", ""))] + ([] if varied is None else [varied(setting)])
        folds = figures[number * options.folds : (number + 1) * options.folds]
        rows.append(shown + cells(folds, columns))
    return rows


def with_yardsticks(rows: list[list[str]], corpus: str) -> list[list[str]]:
    """Return the rows with reference figures that were measured elsewhere."""
    return [[*row, YARDSTICKS.get((corpus, row[0]), "")] for row in rows]


def measure(setting: Setting) -> Figures:
    """Return the figures of a method on a fold, measured with one thread."""
    given = dict(setting)
    fold = load_fold(given.pop("corpus"), given.pop("fold"))
    method = _METHODS[given.pop("method")]
    with threadpool_limits(1):
        load_code()
        return method(fold, **given)


@cache
def load_code() -> None:
    """Load or compile code once per process, so that it is not part of a fit's time."""
    counts, links = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int)), np.kron(np.eye(2), np.ones((4, 4)))
    short: dict[str, Any] = {"n_sweeps": 1, "n_samples": 1, "random_state": 0, "verbose": False}
    for way in ({}, {"cached": True}, {"form": "diagonal"}, {"directed": True}):
        plait.RelationalTopicModel(2, n_chains=1, pair_features=None, **short, **way).fit(counts, links=links)
    LdaLogistic(plait.LDA(2, **short)).fit(counts, links)
    VarRTM(2, n_iterations=1).fit(counts, links)


def _relational(fold: Fold, *, topics: int, seed: int, **parameters: Any) -> Figures:
    model = plait.RelationalTopicModel(topics, pair_features=None, random_state=seed, verbose=False, **parameters)
    seconds = fit_seconds(model, fold.train)
    links = link_figures(model.score_links(fold.test), fold)
    return links | _word_figures(model.predict_words(None, fold.links), fold) | {"training s": seconds}


def _var_rtm(fold: Fold, *, topics: int, seed: int, negative_share: float | None = None) -> Figures:
    machine = VarRTM(topics, negative_share=negative_share, random_state=seed)
    return _baseline(machine, fold) | _word_figures(machine.predict_words(fold.links), fold)


def _lda_logistic(fold: Fold, *, topics: int, seed: int) -> Figures:
    return _baseline(LdaLogistic(plait.LDA(topics, random_state=seed, verbose=False, **FIXED_PRIORS)), fold)


def _tfidf_cosine(fold: Fold, *, hops: int) -> Figures:
    return _baseline(TfidfCosine(hops=hops), fold)


def _votes(fold: Fold, *, k: int, itself: bool) -> Figures:
    return _baseline(KnnVotes(k=k, itself=itself), fold)


def _lsa(fold: Fold, *, full: bool) -> Figures:
    return _baseline(LsaBilinear(full=full), fold)


def _baseline(machine: LinkBaseline, fold: Fold) -> Figures:
    seconds = fit_seconds(machine, fold.train.counts, fold.train.links)
    return link_figures(machine.score_links(fold.test.counts), fold) | {"training s": seconds}


def _lda_words(fold: Fold, *, topics: int, seed: int) -> Figures:
    """Return word scores of LDA for a document without words: the topics of its prior."""
    model = plait.LDA(topics, random_state=seed, verbose=False, **FIXED_PRIORS)
    seconds = fit_seconds(model, fold.train)
    expected = model.alpha_ / model.alpha_.sum() @ model.topic_word_
    return _word_figures(np.tile(expected, (len(fold.test), 1)), fold) | {"training s": seconds}


def _word_frequency(fold: Fold) -> Figures:
    return _word_figures(np.tile(_frequencies(fold), (len(fold.test), 1)), fold)


def _linked_words(fold: Fold) -> Figures:
    """Return the word counts of all linked documents, smoothed by one mean document."""
    smoothing = fold.train.n_tokens / len(fold.train)
    totals = (fold.links @ fold.train.counts).toarray() + smoothing * _frequencies(fold)
    return _word_figures(totals / totals.sum(axis=1, keepdims=True), fold)


def _frequencies(fold: Fold) -> np.ndarray:
    return np.asarray(fold.train.counts.sum(axis=0)).ravel() / fold.train.n_tokens


def link_figures(scores: np.ndarray, fold: Fold) -> Figures:
    found = score_link_ranks(scores, fold.links, hits=[10])
    return {
        "link rank": found.link_rank,
        "AUC": found.auc,
        "average precision": found.average_precision,
        "hits@10": found.hits[10],
    }


def _word_figures(probabilities: np.ndarray, fold: Fold) -> Figures:
    return {"word rank": score_word_ranks(probabilities, fold.test.counts)}


_METHODS: dict[str, Callable[..., Figures]] = {
    "relational": _relational,
    "Var-RTM": _var_rtm,
    "LDA + logistic": _lda_logistic,
    "LDA, links hidden": _lda_words,
    "TF-IDF cosine": _tfidf_cosine,
    "votes": _votes,
    "LSA": _lsa,
    "word frequency": _word_frequency,
    "words of linked documents": _linked_words,
}
