"""Any topic model: a mixing, a prior on words and any responses, put together by the user.

The named models are special cases: with the same settings and seed they end in the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if

from plait.errors import PlaitError
from plait.inputs.links import read_influence_links
from plait.inputs.words import Words
from plait.mixing import LinkedDocuments, Mixing, OwnDocument
from plait.models.answers.availability import explains
from plait.models.answers.influence import InfluenceAnswers
from plait.models.answers.labels import LabelPredictions
from plait.models.answers.links import LinkPredictions
from plait.models.answers.values import ValuePredictions
from plait.models.base import ChainPlan
from plait.priors import AnyPrior, SymmetricPrior, is_prior
from plait.responses import RESPONSES, Response
from plait.samplers import Sampler

# What `fit` sets for each kind of response.
_LEARNT = {
    "labels": ("classes_", "_kind", "multilabel_", "n_unlabelled_", "_sigmoids", "_linked_sigmoids", "label_weights_"),
    "values": ("_center", "_scale", "n_without_value_", "value_weights_"),
    "links": ("links_", "directed_", "n_links_", "n_negatives_", "n_self_links_", "n_unlinked_", "link_weights_"),
    "influence": ("influence_", "source_topic_", "n_self_links_", "n_cut_links_", "_doc_lengths"),
}
_ARGUMENTS = {"labels": "y", "values": "values", "links": "links"}  # of `fit`, by what they are read as


class Inputs(NamedTuple):
    """What `fit` is given beside the documents."""

    labels: Any = None
    values: Any = None
    links: Any = None


class TopicModel(LabelPredictions, ValuePredictions, LinkPredictions, InfluenceAnswers):
    """Topics that explain the words of documents and any of their labels, numbers and links at once.

    Parameters
    ----------
    n_topics
        How many topics to learn.
    mixing
        Whose proportions words draw their topics from: those of their own document (`OwnDocument()`, or None), or
        also those of documents that it links to (`LinkedDocuments()`).
    prior
        What topics expect of words: `SymmetricPrior(0.01)` where it is None, a `TablePrior`, `SeedPrior`,
        `KnowledgePrior` or any other prior.
    responses
        What topics must explain besides words: a list of `LabelResponse`, `ValueResponse` and `LinkResponse`, at most
        one of each kind.
    cached
        Compute what responses say of a document once a sweep instead of with every word: faster, approximate. None
        does so only with samplers that cannot do otherwise ("limit" and "sparse").
    n_chains
        How many chains are run from different starts, one after the other; predictions of responses are averaged over
        the samples of all, and so is influence; topics are those of the first. Where there is nothing to average, one
        is run.
    n_sweeps, n_samples, sample_every
        Sweeps of each chain before samples are kept; how many are kept of each; and how many sweeps lie between two.
    sampler, tolerance, learn_alpha, learn_beta, fold_in_sweeps, n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    label_weights_ : array (tasks, topics)
        With a LabelResponse: `weights_` of `MedLDA`; its `classes_`, `multilabel_` and `n_unlabelled_` are there, too.
    value_weights_ : array (topics,)
        With a ValueResponse: what each topic says of the number, in its own unit.
    n_without_value_ : int
        With a ValueResponse: training documents without a number.
    link_weights_ : array (topics, topics)
        With a LinkResponse: `weights_` of `RelationalTopicModel`; its `links_`, `directed_`, `n_links_` … are there,
        too.

    influence_, source_topic_, n_self_links_, n_cut_links_
        With `LinkedDocuments`: as for `LinkedLDA`.

    The attributes of `LDA` are there too (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, LabelResponse, LinkResponse, TopicModel
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    >>> labels = ["nature", "nature", "finance", "finance"] * 5
    >>> links = [(str(i), str(i + 4)) for i in range(16)] + [(str(i), str(i + 1)) for i in range(0, 20, 2)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], labels=labels, links=links)
    >>> model = TopicModel(n_topics=2, responses=[LabelResponse(), LinkResponse()], random_state=0).fit(corpus)
    >>> new = Corpus.from_texts(["stream", "credit"])
    >>> model.predict(new).tolist()
    ['nature', 'finance']
    >>> model.score_links(new).shape
    (2, 20)
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        mixing: Mixing | None = None,
        prior: AnyPrior | None = None,
        responses: Sequence[Response] = (),
        cached: bool | None = None,
        sampler: str | Sampler = "plain",
        n_chains: int = 4,
        n_sweeps: int = 100,
        n_samples: int = 5,
        sample_every: int = 5,
        tolerance: float = 0.0,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 20,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.mixing = mixing
        self.prior = prior
        self.responses = responses
        self.cached = cached
        self.sampler = sampler
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_samples = n_samples
        self.sample_every = sample_every
        self.tolerance = tolerance
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
        self.fold_in_sweeps = fold_in_sweeps
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        values: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Learn topics from documents and from what they must explain besides.

        Parameters
        ----------
        X
            A Corpus, or counts documents × words (sparse, dense or a data frame).
        y
            Labels, in any form that `MedLDA` takes; None: the labels of the Corpus. Without any responses it is not
            used, as scikit-learn's pipelines pass it.
        links
            Links, as `RelationalTopicModel` takes them, for a LinkResponse and for `LinkedDocuments`; None: the links
            of the Corpus.
        values
            One number a document; None or NaN where it is not known.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it and `resume`.
        """
        given = Inputs(y, values, links)
        return super().fit(X, given, checkpoint=checkpoint, checkpoint_every=checkpoint_every)

    def resume(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        values: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Go on with a fit that was stopped, on all that it was given, to the bits of one that never was."""
        given = Inputs(y, values, links)
        return super().resume(X, given, checkpoint=checkpoint, checkpoint_every=checkpoint_every)

    @available_if(explains("labels", "values"))
    def predict(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the labels of documents as `MedLDA` does; where the model has none, their numbers.

        Parameters
        ----------
        X
            Documents: a Corpus or counts.
        links
            Their links, with `LinkedDocuments`: as in `LinkedLDA.transform`.
        """
        if self._explains("labels"):
            return super().predict(X, links=links)
        return self._numbers(X, "predict", links)

    def score(self, X: Any, y: Any = None, *, links: Any = None) -> float:
        """Return the share of documents whose labels are right; without a LabelResponse, as `LDA`, that of words.

        Parameters
        ----------
        X
            Documents.
        y
            With a LabelResponse: their labels. Otherwise it is not used.
        links
            As in `predict`.
        """
        from sklearn.metrics import accuracy_score

        if not self._explains("labels"):
            return super().score(X, links=links)
        if y is None:
            raise PlaitError("score compares predicted labels with y; give y, or use perplexity(X) to score words")
        return float(accuracy_score(y, self.predict(X, links=links)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._explains("labels"):
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(multi_label=True, poor_score=True)  # as MedLDA, which says why
            tags.target_tags.required = True
        return tags

    @property
    def _explained(self) -> tuple[Response, ...]:
        given = self.responses if isinstance(self.responses, (list, tuple)) else ()
        return tuple(one for one in given if isinstance(one, Response))

    def _check_parameters(self) -> None:
        _check_responses(self.responses)
        super()._check_parameters()
        if self.mixing is not None and (isinstance(self.mixing, type) or not hasattr(self.mixing, "alphas")):
            raise PlaitError(
                f"mixing must be None or a mixing such as OwnDocument(0.1) or LinkedDocuments(), not {self.mixing!r}"
            )
        if isinstance(self.mixing, LinkedDocuments):
            self.mixing.check()
        if self.prior is not None and not is_prior(self.prior):
            raise PlaitError(
                f"prior must be None or a prior such as SymmetricPrior(0.01) or TablePrior(table), not {self.prior!r}"
            )

    def _make_mixing(self) -> Mixing:
        return OwnDocument() if self.mixing is None else self.mixing

    def _make_prior(self) -> AnyPrior:
        return SymmetricPrior() if self.prior is None else self.prior

    def _inputs(self, y: Inputs) -> dict[str, Any]:
        return y._asdict()

    def _read_targets(self, X: Any, y: Inputs, words: Words) -> dict[str, Any]:
        follows = isinstance(self.mixing, LinkedDocuments)
        for kind, name in _ARGUMENTS.items():
            used = self._explains(kind) or (kind == "links" and follows)
            unused = self._inputs(y)[kind] is not None and not used
            if unused and (kind != "labels" or self._explained):
                response = RESPONSES[kind].__name__
                also = ", or give numbers by values=" if kind == "labels" and self._explains("values") else ""
                raise PlaitError(
                    f"{name} is given, but no response explains {kind}: add {response}() to responses, or leave "
                    f"{name} out{also}"
                )
        given = super()._read_targets(X, y, words)
        if follows:
            given["influence"] = read_influence_links(X, y.links, words.counts.shape[0])
        return given

    def _source_links(self, given: Mapping[str, Any]) -> sparse.csr_array | None:
        return given.get("influence")

    def _target_arrays(self, given: Mapping[str, Any]) -> list[np.ndarray]:
        links = self._source_links(given)
        more = [] if links is None else [links.indptr, links.indices, links.data]
        return super()._target_arrays(given) + more

    def _plans(self, given: Any) -> list[ChainPlan]:
        averages = bool(self._explained) or isinstance(self.mixing, LinkedDocuments)
        return super()._plans(given)[: None if averages else 1]

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        for kind, names in _LEARNT.items():  # of an earlier fit with other responses
            if kind not in fit.given:
                for name in names:
                    self.__dict__.pop(name, None)
        super()._take_over(fit, *chain_and_plans, finished=finished)
        if self._explains("labels"):
            self.label_weights_ = self._mean_label_weights()
        if self._explains("values"):
            self.value_weights_ = self._mean_value_weights()
            self.n_without_value_ = int(np.isnan(fit.given["values"]).sum())
        if self._explains("links"):
            self.link_weights_ = self._mean_link_weights()


def _check_responses(responses: Any) -> None:
    """Refuse what is no list of specifications, one of each kind."""
    choice = ", ".join(f"{kind.__name__}()" for kind in RESPONSES.values())
    if not isinstance(responses, (list, tuple)):
        raise PlaitError(f"responses must be a list of what topics must explain ({choice}), not {responses!r}")
    places: dict[str, int] = {}
    for place, one in enumerate(responses):
        if isinstance(one, type) and issubclass(one, Response):
            raise PlaitError(f"responses[{place}] is the class {one.__name__}; give {one.__name__}()")
        if not isinstance(one, Response):
            raise PlaitError(f"responses[{place}] is {one!r}, which is none of {choice}")
        if one.kind in places:
            raise PlaitError(
                f"responses[{places[one.kind]}] and responses[{place}] both explain {one.kind}; a model takes one "
                "response of each kind"
            )
        places[one.kind] = place
