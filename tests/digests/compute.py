"""What the library computes: small cases of every model, and a digest of everything that they answer.

Only the public interface is used, so that modules may move. A table made before a change and one made after it tell
whether anything else than the code has changed:

    python tests/digests/compute.py --write           writes table.json beside this file
    python tests/digests/compute.py --compare OLD     computes again and prints every difference from the table OLD

Beside every digest stand two sums of the values, to six digits, which tell rounding from another result.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

import plait
from plait import LabelResponse, LinkedDocuments, LinkResponse, OwnDocument, ValueResponse

TABLE = Path(__file__).with_name("table.json")

SAMPLERS = ("plain", "aggregated", "limit", "sparse(10)", "aggregated_sparse(10)")
TOKENS = ("plain", "aggregated", "aggregated_sparse(10)")  # these follow responses word by word, unless cached
REAL = ("limit", "sparse(10)")  # these take real-valued counts
SHARDS = (1, 3)
QUICK = {
    "n_topics": 4,
    "n_sweeps": 8,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 4,
    "tolerance": 0.0,
    "random_state": 3,
    "verbose": False,
}
CHAINS = QUICK | {"n_chains": 2}
NOT_CHOSEN = {"c": 16.0, "class_weight": None, "threshold": 0.0, "features": None}  # of labels
NOT_LEARNED = {"alpha": 0.1, "beta": 0.01}  # of LDA
LEARNING = {"learn_alpha": True, "learn_beta": True, "n_sweeps": 12}  # they are learned every tenth sweep
GROUPS = ("finance", "nature", "sport")
N_NEW = 6


# What goes in -------------------------------------------------------------------------------------------------------


class Data(NamedTuple):
    """Documents of three groups, with everything that a model may explain."""

    counts: np.ndarray  # documents × words
    groups: np.ndarray  # of each document
    labels: list[str | None]  # one name a document, None for a few
    indicator: np.ndarray  # documents × 3: several labels a document
    values: np.ndarray  # a number a document, NaN for a few
    links: sparse.csr_array  # documents × documents, with weights; a document or two link to themselves

    @property
    def vocabulary(self) -> list[str]:
        """Names of the words."""
        return [f"w{column:03d}" for column in range(self.counts.shape[1])]

    def links_among(self, rows: slice) -> sparse.csr_array:
        """The links between some documents as a Corpus takes them: none of a document to itself."""
        links = self.links[rows][:, rows].toarray()
        np.fill_diagonal(links, 0.0)
        return sparse.csr_array(links)

    def corpus(self, rows: slice = slice(None), *, times: Any = None) -> plait.Corpus:
        """Some documents as a Corpus, with their labels and the links between them."""
        ids = [f"d{row}" for row in range(len(self.groups))][rows]
        return plait.Corpus.from_matrix(
            sparse.csr_array(self.counts[rows]),
            vocabulary=self.vocabulary,
            ids=ids,
            labels=self.labels[rows],
            links=self.links_among(rows),
            times=times,
        )


@functools.cache
def data(n_documents: int = 50, n_words: int = 200, seed: int = 0, n_groups: int = 3, rate: float = 0.1) -> Data:
    """Draw documents by uniform random numbers alone, whose bits no version of NumPy changes."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n_documents) % n_groups
    own = n_words // (n_groups + 1)
    counts = np.zeros((n_documents, n_words), dtype=np.int64)
    for row, group in zip(counts, groups, strict=True):
        length = 12 + int(rng.random() * 30)
        common = rng.random(length) < 0.4
        place = (rng.random(length) ** 2 * own).astype(np.int64)  # some words are frequent
        np.add.at(row, np.where(common, n_groups * own, group * own) + place, 1)
    counts[7] = 0  # a document without words
    labels: list[str | None] = [GROUPS[group] if n_groups == 3 else f"class {group:02d}" for group in groups]
    labels[5] = labels[11] = None
    indicator = (np.eye(3, dtype=np.int64)[groups % 3] + (rng.random((n_documents, 3)) < 0.3) > 0).astype(np.int64)
    values = 2.0 + groups + rng.random(n_documents)
    values[9] = np.nan
    chances = np.where(groups[:, np.newaxis] == groups, 2 * rate, rate / 4)
    chances[(groups == 0)[:, np.newaxis] & (groups == 1)] = rate
    links = np.where(rng.random(chances.shape) < chances, 1.0 + (rng.random(chances.shape) * 3).astype(np.int64), 0.0)
    np.fill_diagonal(links, 0.0)
    links[2, 2] = links[8, 8] = 1.0
    links[13] = links[:, 13] = 0.0  # a document without links
    return Data(counts, groups, labels, indicator, values, sparse.csr_array(links))


@functools.cache
def new_data() -> Data:
    """Documents that no model was fitted to, the last without words."""
    made = data(20, seed=1)
    counts = made.counts[8 : 8 + N_NEW].copy()
    counts[-1] = 0
    return made._replace(counts=counts)


def new_links(n_known: int, among: bool) -> sparse.csr_array:
    """Links of the new documents to known ones and, where wanted, to each other."""
    rng = np.random.default_rng(2)
    links = np.where(rng.random((N_NEW, n_known)) < 4 / n_known, 1.0 + (rng.random((N_NEW, n_known)) > 0.5), 0.0)
    links[0] = 0.0
    if among:
        links = np.hstack([links, np.eye(N_NEW, k=1) + np.eye(N_NEW, k=-3)])
    return sparse.csr_array(links)


def real_valued(counts: np.ndarray, seed: int = 0) -> np.ndarray:
    """Turn counts into real numbers."""
    return counts * (0.5 + np.random.default_rng(seed + 10).random(counts.shape))


def table_prior(n_topics: int = 4, n_words: int = 200) -> np.ndarray:
    """β for each topic and word."""
    return 0.01 + 0.2 * np.random.default_rng(4).random((n_topics, n_words))


# What comes out -----------------------------------------------------------------------------------------------------

LEARNED = (
    "topic_word_",
    "doc_topic_",
    "topic_share_",
    "alpha_",
    "beta_",
    "weights_",
    "label_weights_",
    "value_weights_",
    "link_weights_",
    "influence_",
    "source_topic_",
)
COUNTED = ("n_sweeps_", "n_links_", "n_negatives_", "n_unlinked_", "n_self_links_", "n_cut_links_", "n_unlabelled_")


def learned(model: Any) -> dict[str, Any]:
    """What a fit has learned."""
    found = {name: getattr(model, name) for name in LEARNED if hasattr(model, name)}
    if np.ndim(found.get("beta_", 0.0)) == 2:
        del found["beta_"]  # as it was given
    found["counted"] = [int(getattr(model, name)) for name in COUNTED if hasattr(model, name)]
    found["log likelihoods"] = np.array([one.log_likelihood for one in model.history_])
    found["occurrences"] = np.array([one.occurrences for one in model.history_])
    return found


def answers(model: Any, new: Any) -> dict[str, Any]:
    """What a model says of new documents' words, labels and numbers."""
    found = {
        "transform": model.transform(new),
        "perplexity": [model.perplexity(new), model.perplexity(new, "fold_in")],
    }
    for name in ("decision_function", "predict", "predict_proba", "predict_values"):
        if hasattr(model, name):
            found[name] = getattr(model, name)(new)
    return found


def link_answers(model: Any, new: Any, *, words: bool = True) -> dict[str, Any]:
    """What a model says of links."""
    n_known = model.links_.shape[0]
    found = {f"score_links {way}": model.score_links(new, way) for way in ("either", "to", "from")}
    found["suggest_links"] = [_suggested(one) for own in model.suggest_links(new, top=3) for one in own]
    missing = model.suggest_missing_links([0, 4, 13], top=3)
    found["suggest_missing_links"] = [_suggested(one) for own in missing for one in own]
    found["score_pairs"] = model.score_pairs([(0, 1), (4, 2), (0, 3), (13, 0)])
    if words:
        partners = new_links(n_known, among=False)
        found["predict_words from links"] = model.predict_words(None, partners)
        found["predict_words from both"] = model.predict_words(new, partners)
    return found


def _suggested(one: Any) -> list[Any]:
    return [one.id, one.score, *itertools.chain.from_iterable(one.reasons)]


def influence_answers(model: Any, new: Any) -> dict[str, Any]:
    """What a model that follows links says of influence, and of new documents with links."""
    n_known = model.influence_.shape[0]
    found: dict[str, Any] = {
        "influencers": [list(one) for one in model.influencers(1, top=5)],
        "most_influential": [list(one) for one in model.most_influential(top=5)],
        "strongest_links": [list(one) for one in model.strongest_links(top=5)],
    }
    for among in (False, True):
        links = new_links(n_known, among)
        which = "links among new" if among else "links"
        found[f"transform {which}"] = model.transform(new, links=links)
        found[f"infer_influence {which}"] = model.infer_influence(new, links)
        found[f"perplexity {which}"] = [
            model.perplexity(new, links=links),
            model.perplexity(new, "fold_in", links=links),
        ]
        for name in ("decision_function", "predict_proba", "predict_values"):
            if hasattr(model, name):
                found[f"{name} {which}"] = getattr(model, name)(new, links=links)
    return found


def descriptions(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of its topics."""
    found: dict[str, Any] = {
        "topics": [[one.name, *one.words] for one in model.topics(top=5)],
        "topics by relevance": [one.words for one in model.topics(top=5, by="relevance")],
        "typical_documents": [[list(one) for one in own] for own in model.typical_documents(top=2)],
        "coherence": [model.coherence(X), model.coherence(X, "c_v")],
    }
    if hasattr(model, "topic_links"):
        found["topic_links"] = [[one.source, one.target, one.weight] for one in model.topic_links(top=5)]
    return found


def explanations(model: Any, new: Any) -> dict[str, Any]:
    """Why a model says what it says of a document."""
    found = {}
    for name in ("explain", "explain_value"):
        if hasattr(model, name):
            one = getattr(model, name)(new[:1], top=3)
            topics = [[push.topic, push.share, push.weight, push.push] for push in one.topics]
            words = [[push.word, push.count, push.push] for push in one.words]
            found[name] = [one.score, topics, words]
    return found


def stream_answers(model: Any) -> dict[str, Any]:
    """What a model has kept of the slices of a stream, and what it says of changes."""
    slices = model.slices_
    found: dict[str, Any] = {
        "slices": [
            [one.label, one.n_documents, one.n_tokens, one.n_new_words, one.n_forgotten_words] for one in slices
        ],
        "slice tokens": np.array([one.topic_tokens for one in slices]),
        "slice repeats": np.array([one.topic_repeats for one in slices]),
        "slice words": [one.words[:, :5].tolist() for one in slices],
        "slice ahead": [np.nan if one.perplexity is None else one.perplexity for one in slices],
        "new_words_": model.new_words_[:20],
        "vocabulary_": list(model.vocabulary_),
    }
    if model.window:
        found["slice drift"] = np.array([[one.drift, one.noise, one.novelty] for one in slices])
        found["evolution"] = model.evolution(1)
        found["emerging"] = [[one.topic, one.novelty, *one.words] for one in model.emerging(0.0, least_share=0.0)]
        found["fading"] = [[one.topic, one.share, one.before] for one in model.fading(1.0)]
    return found


# Digests ------------------------------------------------------------------------------------------------------------


# Outputs with sums, logarithms, exponentials or matrix products of NumPy, SciPy and OpenBLAS, which round differently
# on processors with and without AVX-512. The table has them to ten digits, and all others to the bit.
ROUNDED = (
    "alpha_", "beta_", "coherence", "doc_topic_", "emerging", "explain", "link_weights_", "perplexity", "predict_proba",
    "score", "slice ", "source_topic_", "suggest_", "topic_links", "topic_share_", "topic_word_", "weights_",
)  # fmt: skip


def digest(arrays: Mapping[str, Any], rounded: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """Return the digest and the summary of each of some named values.

    Parameters
    ----------
    arrays
        Arrays, sparse arrays, numbers and nested lists of numbers and texts. Whole numbers are digested as int64 and
        others as float64, little-endian, so a type that is wide enough changes nothing; names and shapes count.
    rounded
        Beginnings of the names of values that are rounded to ten digits of their largest number.
    """
    return {name: _digest_one(name, value, name.startswith(rounded)) for name, value in arrays.items()}


def _digest_one(name: str, value: Any, rounded: bool) -> dict[str, Any]:
    hashed = hashlib.blake2b(name.encode(), digest_size=8)
    for part in _rounded_parts(value) if rounded else parts_of(value):
        if isinstance(part, str):
            hashed.update(f"text {part}\0".encode())
        else:
            hashed.update(f"{part.dtype.str} {part.shape} ".encode())
            hashed.update(part.tobytes())
    return {"digest": hashed.hexdigest(), "summary": [float(f"{total:.6g}") for total in sums_of(numbers_of(value))]}


def parts_of(value: Any) -> Iterator[str | np.ndarray]:
    """Yield the texts and the plain arrays that a value is made of."""
    if sparse.issparse(value):
        rows = sparse.csr_array(value)
        rows.sort_indices()
        yield f"sparse {rows.shape}"
        for part in (rows.indptr, rows.indices, rows.data):
            yield from parts_of(part)
    elif isinstance(value, str) or value is None:
        yield repr(value)
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind in "OUS"):
        yield f"list of {len(value)}"
        for part in value:
            yield from parts_of(part)
    else:
        array = np.asarray(value)
        kind = "<i8" if array.dtype.kind in "biu" else "<f8"
        yield np.ascontiguousarray(array, dtype=kind).reshape(array.shape)


def _rounded_parts(value: Any) -> Iterator[str | np.ndarray]:
    """Yield the parts of a value with real numbers rounded to about 10⁻¹⁰ of the largest."""
    largest = np.abs(numbers_of(value)).max(initial=0.0)
    step = 2.0 ** (np.ceil(np.log2(largest)) - 33) if largest > 0 else 1.0
    for part in parts_of(value):
        real = not isinstance(part, str) and part.dtype.kind == "f"
        yield np.rint(part / step) * step + 0.0 if real else part  # + 0.0: no negative zero


def numbers_of(value: Any) -> np.ndarray:
    """Return the numbers that tell of a value: the real ones, the whole ones where it has no other; 0 for NaN."""
    arrays = [part for part in parts_of(value) if not isinstance(part, str)]
    real = [part for part in arrays if part.dtype.kind == "f"]
    numbers = np.concatenate([np.zeros(0), *(np.ravel(part) for part in real or arrays)])
    return np.where(np.isfinite(numbers), numbers, 0.0)


def sums_of(numbers: np.ndarray) -> list[float]:
    """Return the sum, and a sum in which every place has another weight; nothing where there are no numbers."""
    weights = (np.arange(1, numbers.size + 1) * 0.6180339887498949) % 1.0
    return [float(numbers.sum()), float(numbers @ weights)] if numbers.size else []


# The cases ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A name, and a function of the number of threads that returns named values."""

    name: str
    run: Callable[[int], dict[str, Any]]

    def compute(self, n_jobs: int = 1, rounded: tuple[str, ...] = ROUNDED) -> dict[str, dict[str, Any]]:
        """Return the digests and summaries of everything that the case answers."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return digest(self.run(n_jobs), rounded)


def fitted(model: Any, X: Any, *given: Any, n_jobs: int, **named: Any) -> Any:
    """Return a model fitted with so many threads."""
    return model.set_params(n_jobs=n_jobs).fit(X, *given, **named)


def lda(n_jobs: int, real: bool = False, described: bool = False, **settings: Any) -> dict[str, Any]:
    """LDA of counts, or of a Corpus where the prior knows words by their names."""
    made, new = data(), new_data()
    X: Any = made.corpus() if described or isinstance(settings.get("beta"), plait.SeedPrior) else made.counts
    unseen: Any = new.counts if X is made.counts else plait.Corpus.from_matrix(new.counts, vocabulary=made.vocabulary)
    if real:
        X, unseen = real_valued(X), real_valued(unseen, 1)
    model = fitted(plait.LDA(**(QUICK | NOT_LEARNED | settings)), X, n_jobs=n_jobs)
    more = descriptions(model, X) | {"score": model.score(unseen)} if described else {}
    return learned(model) | answers(model, unseen) | more


def medlda(n_jobs: int, kind: str = "multiclass", real: bool = False, why: bool = False, **settings: Any) -> dict:
    """MedLDA of counts."""
    made, new = data(), new_data()
    y: Any = made.labels
    if kind == "binary":
        y = [None if label is None else label == "sport" for label in made.labels]
    elif kind == "multilabel":
        y = made.indicator
    X, unseen = (real_valued(made.counts), real_valued(new.counts, 1)) if real else (made.counts, new.counts)
    model = fitted(plait.MedLDA(**(CHAINS | NOT_CHOSEN | settings)), X, y, n_jobs=n_jobs)
    more = {"classes_": model.classes_, **explanations(model, unseen)} if why else {}
    return learned(model) | answers(model, unseen) | more


def medlda_large(n_jobs: int, **settings: Any) -> dict[str, Any]:
    """MedLDA of more labels times documents than are drawn in one block of random numbers."""
    made = data(720, n_groups=24)
    short = {"n_sweeps": 3, "n_samples": 1, "n_chains": 1, "n_topics": 6}
    model = fitted(plait.MedLDA(**(CHAINS | NOT_CHOSEN | short | settings)), made.counts, made.labels, n_jobs=n_jobs)
    return learned(model) | answers(model, made.counts[:30])


def supervised(n_jobs: int, real: bool = False, why: bool = False, **settings: Any) -> dict[str, Any]:
    """SupervisedLDA of counts."""
    made, new = data(), new_data()
    X, unseen = (real_valued(made.counts), real_valued(new.counts, 1)) if real else (made.counts, new.counts)
    model = fitted(plait.SupervisedLDA(**(CHAINS | settings)), X, made.values, n_jobs=n_jobs)
    return learned(model) | answers(model, unseen) | (explanations(model, unseen) if why else {})


def relational(n_jobs: int, real: bool = False, described: bool = False, **settings: Any) -> dict[str, Any]:
    """RelationalTopicModel of counts and links."""
    made, new = data(), new_data()
    X, unseen = (real_valued(made.counts), real_valued(new.counts, 1)) if real else (made.counts, new.counts)
    quick = CHAINS | {"weights_every": 2, "pair_features": None}
    model = fitted(plait.RelationalTopicModel(**(quick | settings)), X, links=made.links, n_jobs=n_jobs)
    more = descriptions(model, X) if described else {}
    return learned(model) | answers(model, unseen) | link_answers(model, unseen, words=not real) | more


def relational_large(n_jobs: int, **settings: Any) -> dict[str, Any]:
    """RelationalTopicModel of more pairs than are drawn in one block of random numbers."""
    made, new = data(640, rate=0.006), new_data()
    short = {"n_sweeps": 3, "n_samples": 1, "n_chains": 1, "weights_every": 1, "pair_features": None}
    model = fitted(
        plait.RelationalTopicModel(**(CHAINS | short | settings)), made.counts, links=made.links, n_jobs=n_jobs
    )
    return learned(model) | link_answers(model, new.counts)


def linked(n_jobs: int, real: bool = False, described: bool = False, **settings: Any) -> dict[str, Any]:
    """LinkedLDA of counts and links."""
    made, new = data(), new_data()
    X, unseen = (real_valued(made.counts), real_valued(new.counts, 1)) if real else (made.counts, new.counts)
    model = fitted(plait.LinkedLDA(**(CHAINS | settings)), X, links=made.links, n_jobs=n_jobs)
    more = descriptions(model, X) if described else {}
    return learned(model) | answers(model, unseen) | influence_answers(model, unseen) | more


RESPONSES: dict[str, Any] = {
    "labels": LabelResponse(c=4.0),
    "logistic labels": LabelResponse(c=4.0, loss="logistic"),
    "calibrated labels": LabelResponse(c=4.0, calibrate=0.4),
    "values": ValueResponse(),
    "links": LinkResponse(weights_every=2),
    "hinge links": LinkResponse(form="diagonal", loss="hinge", weights_every=2),
}


def combined(n_jobs: int, use: str = "labels+values+links", **settings: Any) -> dict[str, Any]:
    """TopicModel with any responses and any mixing."""
    made, new = data(), new_data()
    names = use.split("+") if use else []
    given: dict[str, Any] = {}
    if any("labels" in name for name in names):
        given["y"] = made.labels
    if "values" in names:
        given["values"] = made.values
    follows = isinstance(settings.get("mixing"), LinkedDocuments)
    if follows or any("links" in name for name in names):
        given["links"] = made.links
    model = plait.TopicModel(responses=[RESPONSES[name] for name in names], **(CHAINS | settings))
    model = fitted(model, made.counts, n_jobs=n_jobs, **given)
    found = learned(model) | answers(model, new.counts) | explanations(model, new.counts)
    if hasattr(model, "score_links"):
        found |= link_answers(model, new.counts)
    if follows:
        found |= influence_answers(model, new.counts)
    return found


def online(n_jobs: int, use: str = "", real: bool = False, ahead: bool = False, **settings: Any) -> dict[str, Any]:
    """OnlineLDA of three slices, the later with words that are new, and the last without some old ones."""
    made, new = data(90, seed=5), new_data()
    names = use.split("+") if use else []
    model = plait.OnlineLDA(responses=[RESPONSES[name] for name in names], **(QUICK | {"n_jobs": n_jobs} | settings))
    for number, (columns, label) in enumerate(
        ((slice(0, 180), "first"), (slice(0, 200), "second"), (slice(20, 200), "third"))
    ):
        rows = slice(30 * number, 30 * number + 30)
        counts = made.counts[rows, columns]
        X: Any = plait.Corpus.from_matrix(
            sparse.csr_array(real_valued(counts) if real else counts),
            vocabulary=made.vocabulary[columns],
            ids=[f"d{row}" for row in range(90)][rows],
            labels=made.labels[rows],
            links=made.links_among(rows),
            fractional=real,
        )
        values = made.values[rows] if "values" in names else None
        model.partial_fit(X, values=values, label=label, ahead=ahead and number > 0)
    new_counts = sparse.csr_array(real_valued(new.counts, 1) if real else new.counts)
    unseen = plait.Corpus.from_matrix(new_counts, vocabulary=made.vocabulary, fractional=real)
    found = learned(model) | answers(model, unseen) | stream_answers(model)
    return found | (link_answers(model, unseen, words=not real) if "links" in names else {})


def online_fit(n_jobs: int, **settings: Any) -> dict[str, Any]:
    """OnlineLDA of a collection that is cut by its times, with a month between without documents."""
    made = data(90, seed=5)
    times = [f"2020-{(1, 2, 4)[row // 30]:02d}-{row % 28 + 1:02d}" for row in range(90)]
    model = plait.OnlineLDA(**(QUICK | {"n_jobs": n_jobs, "window": 2} | settings))
    model.fit(made.corpus(times=times), times="month", ahead=True)
    return learned(model) | stream_answers(model)


def _cases() -> Iterator[tuple[str, Callable[..., dict[str, Any]], dict[str, Any]]]:
    """Yield names, functions and their settings."""
    seeds = plait.SeedPrior({"first": ["w000", "w003"], "second": ["w051", "w052"]}, strength=5.0)
    priors = {"symmetric": plait.SymmetricPrior(0.02), "table": plait.TablePrior(table_prior()), "seed": seeds}
    for sampler, shards in itertools.product(SAMPLERS, SHARDS):
        here = {"sampler": sampler, "n_shards": shards}
        at = f"{sampler}, {shards} shard{'s' * (shards > 1)}"
        for name, prior in priors.items():
            yield f"LDA, {name} prior, {at}", lda, here | {"beta": prior}
        yield f"LDA, learned alpha and beta, {at}", lda, here | LEARNING
        for kind, loss in itertools.product(("multiclass", "binary", "multilabel"), ("hinge", "logistic")):
            yield f"MedLDA, {kind}, {loss}, {at}", medlda, here | {"kind": kind, "loss": loss}
        yield f"SupervisedLDA, {at}", supervised, here
        for form, directed in itertools.product(("full", "diagonal"), (True, False)):
            way = "directed" if directed else "undirected"
            for loss in ("logistic", "hinge") if shards == 1 or sampler == "plain" else ("logistic",):
                settings = {"form": form, "directed": directed, "loss": loss}
                yield f"RelationalTopicModel, {form}, {way}, {loss}, {at}", relational, here | settings
        for direction in ("out", "in", "both"):
            yield f"LinkedLDA, {direction}, {at}", linked, here | {"direction": direction}
        for use, window in itertools.product(("", "labels", "links"), (0, 2)):
            name = f"OnlineLDA, window {window}, {use or 'words'}, {at}"
            yield name, online, here | {"use": use, "window": window}
        for mixing in (OwnDocument(0.3), LinkedDocuments(0.3, most_links=3)):
            name = f"TopicModel, {type(mixing).__name__}, labels+values+links, {at}"
            yield name, combined, here | {"mixing": mixing}
    for sampler, shards in itertools.product(TOKENS, SHARDS):
        here = {"sampler": sampler, "n_shards": shards, "cached": True}
        at = f"cached, {sampler}, {shards} shard{'s' * (shards > 1)}"
        for kind in ("multiclass", "binary", "multilabel"):
            yield f"MedLDA, {kind}, {at}", medlda, here | {"kind": kind}
        yield f"SupervisedLDA, {at}", supervised, here
        for form, directed in (("full", True), ("full", False), ("diagonal", True)):
            way = "directed" if directed else "undirected"
            yield (
                f"RelationalTopicModel, {form}, {way}, {at}",
                relational,
                here | {"form": form, "directed": directed},
            )
        yield f"OnlineLDA, labels, {at}", online, here | {"use": "labels", "window": 2}
        yield f"TopicModel, LinkedDocuments, labels+values+links, {at}", combined, here | {"mixing": LinkedDocuments()}
    for sampler in SAMPLERS:  # 20 topics take two vectors
        here = {"sampler": sampler, "n_topics": 20}
        yield f"LDA, 20 topics, {sampler}", lda, here
        yield f"MedLDA, 20 topics, {sampler}", medlda, here
        yield f"RelationalTopicModel, 20 topics, {sampler}", relational, here
        yield f"LinkedLDA, 20 topics, {sampler}", linked, here
        yield (
            f"TopicModel, LinkedDocuments, labels+links, 20 topics, {sampler}",
            combined,
            here
            | {
                "use": "labels+links",
                "mixing": LinkedDocuments(direction="both"),
            },
        )
        yield (
            f"MedLDA, one vs all, logistic, {sampler}",
            medlda,
            {"sampler": sampler, "one_vs_all": True, "loss": "logistic"},
        )
        yield (
            f"RelationalTopicModel, fresh negatives, {sampler}",
            relational,
            {"sampler": sampler, "fresh_negatives": 3},
        )
        yield f"LinkedLDA, table prior, {sampler}", linked, {"sampler": sampler, "beta": table_prior(), "n_shards": 3}
        yield (
            f"TopicModel, LinkedDocuments, labels, {sampler}",
            combined,
            {
                "use": "labels",
                "sampler": sampler,
                "mixing": LinkedDocuments(),
            },
        )
    for sampler, shards in itertools.product(REAL, SHARDS):
        here = {"sampler": sampler, "n_shards": shards, "real": True}
        at = f"real counts, {sampler}, {shards} shard{'s' * (shards > 1)}"
        yield f"LDA, {at}", lda, here
        yield f"LDA, table prior, {at}", lda, here | {"beta": table_prior()}
        yield f"LDA, learned alpha and beta, {at}", lda, here | LEARNING
        yield f"MedLDA, {at}", medlda, here
        yield f"SupervisedLDA, {at}", supervised, here
        yield f"RelationalTopicModel, {at}", relational, here
        yield f"LinkedLDA, {at}", linked, here
        yield f"OnlineLDA, {at}", online, here | {"window": 2}
    yield "LDA, described", lda, {"described": True}
    yield "MedLDA, explained", medlda, {"why": True, "class_weight": 2.0}
    yield "MedLDA, binary, explained", medlda, {"why": True, "kind": "binary", "min_documents": 5}
    yield "MedLDA, multilabel, threshold, explained", medlda, {"why": True, "kind": "multilabel", "threshold": -0.2}
    yield "SupervisedLDA, explained", supervised, {"why": True, "sigma": 0.5, "nu": 1.0}
    yield "RelationalTopicModel, described", relational, {"described": True}
    yield "LinkedLDA, described", linked, {"described": True}
    for shards in SHARDS:
        here = {"n_shards": shards}
        at = f"{shards} shard{'s' * (shards > 1)}"
        for name, settings in {
            "alpha and beta in arrays": {"alpha": [0.1, 0.2, 0.5, 1.0], "beta": table_prior()[0]},
            "until settled": {"tolerance": 0.05, "n_sweeps": 60},
            "history prior": {"beta": plait.HistoryPrior([table_prior() * 9], [0.5])},
        }.items():
            yield f"LDA, {name}, {at}", lda, here | settings
        for name, settings in {
            "one vs all": {"one_vs_all": True},
            "one vs all, calibrated": {"one_vs_all": True, "calibrate": 0.4},
            "balanced": {"class_weight": "balanced"},
            "balanced, multilabel": {"class_weight": "balanced", "kind": "multilabel"},
            "weights by label": {"class_weight": {"sport": 3.0}},
            "calibrated": {"calibrate": 0.4},
            "calibrated, binary": {"calibrate": 0.4, "kind": "binary"},
            "calibrated, multilabel": {"calibrate": 0.4, "kind": "multilabel"},
            "c, ell and nu": {"c": 3.0, "ell": 2.0, "nu": 0.5, "alpha": 0.3},
            "learned alpha and beta": LEARNING,
            "table prior": {"beta": table_prior()},
        }.items():
            yield f"MedLDA, {name}, {at}", medlda, here | settings
        yield f"MedLDA, large, {at}", medlda_large, here
        for name, settings in {
            "negative share": {"negative_share": 0.2},
            "negatives per link": {"negatives_per_link": 3.0, "c_negative": 2.0, "c": 2.0},
            "fresh negatives": {"fresh_negatives": 2},
            "fresh negatives, hinge": {"fresh_negatives": 2, "loss": "hinge", "ell": 2.0, "directed": False},
            "weights every 5": {"weights_every": 5, "nu": 1.0},
            "table prior": {"beta": table_prior()},
        }.items():
            yield f"RelationalTopicModel, {name}, {at}", relational, here | settings
        for name, settings in {
            "full": {},
            "full, undirected": {"directed": False},
            "diagonal, cached": {"form": "diagonal", "negatives_per_link": 10, "cached": True},
        }.items():
            yield f"RelationalTopicModel, large, {name}, {at}", relational_large, here | settings
        for name, settings in {
            "two links at most": {"most_links": 2},
            "all links": {"most_links": None, "direction": "both"},
            "small p": {"p": 1.5},
            "learned alpha and beta": LEARNING,
        }.items():
            yield f"LinkedLDA, {name}, {at}", linked, here | settings
        for name, settings in {
            "values": {"use": "values"},
            "all": {"use": "labels+values+links", "ahead": True},
            "hinge links": {"use": "hinge links"},
            "distributions": {"history_form": "distributions"},
            "decay": {"decay": 0.5, "history_weights": 2.0},
            "weights": {"history_weights": [0.3, 0.7]},
            "forgetting": {"forget_after": 1},
            "learned alpha": {"learn_alpha": True, "n_sweeps": 12},
            "seed prior": {"beta": seeds},
        }.items():
            yield f"OnlineLDA, {name}, {at}", online, here | {"window": 2} | settings
        yield f"OnlineLDA, cut by months, {at}", online_fit, here
        for name, settings in {
            "words": {"use": ""},
            "another order": {"use": "links+labels+values"},
            "logistic labels and hinge links": {"use": "logistic labels+hinge links"},
            "seed table": {"use": "labels+values", "prior": plait.TablePrior(table_prior())},
        }.items():
            yield f"TopicModel, {name}, {at}", combined, here | settings
        for name in ("", "values", "links", "calibrated labels", "logistic labels"):
            settings = {"use": name, "mixing": LinkedDocuments(0.3, p=4.0, direction="in")}
            yield f"TopicModel, LinkedDocuments, {name or 'words'}, {at}", combined, here | settings
    for shards in SHARDS:
        here = {"sampler": "synchronous", "n_shards": shards}
        at = f"synchronous, {shards} shard{'s' * (shards > 1)}"
        for name, settings in {
            "symmetric prior": {},
            "table prior": {"beta": table_prior()},
            "learned alpha and beta": LEARNING,
            "20 topics": {"n_topics": 20},
            "300 topics": {"n_topics": 300},
            "300 topics, learned alpha and beta": LEARNING | {"n_topics": 300},
        }.items():
            yield f"LDA, {name}, {at}", lda, here | settings
        yield f"MedLDA, multiclass, {at}", medlda, here | {"kind": "multiclass"}
        yield f"MedLDA, multiclass, 300 topics, {at}", medlda, here | {"kind": "multiclass", "n_topics": 300}
        yield f"MedLDA, multiclass, cached, {at}", medlda, here | {"kind": "multiclass", "cached": True}
        yield f"SupervisedLDA, {at}", supervised, here
        yield f"RelationalTopicModel, full, {at}", relational, here | {"form": "full"}
        yield f"LinkedLDA, both, {at}", linked, here | {"direction": "both"}
        yield f"OnlineLDA, window 2, words, {at}", online, here | {"use": "", "window": 2}


CASES = {name: Case(name, functools.partial(run, **settings)) for name, run, settings in _cases()}


# The table ----------------------------------------------------------------------------------------------------------


def differences(old: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say which outputs of a case differ, and by how much as a share of the values' summaries."""
    lines = []
    for name in sorted(old.keys() | now.keys()):
        if name not in now or name not in old:
            lines.append(f"{name}: {'no longer there' if name in old else 'not there before'}")
        elif old[name]["digest"] != now[name]["digest"]:
            before, after = old[name]["summary"], now[name]["summary"]
            shares = [abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in zip(before, after, strict=False)]
            how = f"{before} became {after}, relative difference {max(shares):.2g}" if shares else "other texts"
            lines.append(f"{name}: {how}")
    return lines


def write_table(table: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Write a table as JSON, a line an output."""
    cases = []
    for name, outputs in table.items():
        lines = ",\n".join(f"  {json.dumps(output)}: {json.dumps(value)}" for output, value in outputs.items())
        cases.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    path.write_text("{\n" + ",\n".join(cases) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Compute all cases, and write or compare the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write table.json beside this file")
    parser.add_argument("--compare", type=Path, metavar="OLD", help="print what differs from this table")
    parser.add_argument("--only", default="", help="only cases whose names hold this text")
    parser.add_argument("--times", action="store_true", help="print the slowest cases")
    given = parser.parse_args()
    print(f"plait is {plait.__file__}")
    table, seconds = {}, {}
    for name, case in CASES.items():
        if given.only in name:
            began = time.perf_counter()
            table[name] = case.compute()
            seconds[name] = time.perf_counter() - began
    print(f"{len(table)} cases, {sum(map(len, table.values()))} outputs, {sum(seconds.values()):.1f} s")
    if given.times:
        for name in sorted(seconds, key=lambda name: -seconds[name])[:20]:
            print(f"{seconds[name]:7.3f} s  {name}")
    old = {} if given.compare is None else json.loads(given.compare.read_text(encoding="utf-8"))
    if given.write:
        write_table(table, TABLE)
    if given.compare is None:
        return 0
    found = 0
    for name in [*old, *(name for name in table if name not in old)]:
        if given.only in name:
            lines = differences(old.get(name, {}), table.get(name, {}))
            found += len(lines)
            print("\n    ".join([name, *lines]) + "\n" if lines else "", end="")
    print(f"{found} outputs differ")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
