"""Learning the weights of pair features: part of the documents and links are hidden, and predicted.

The training documents are divided at random. A short fit without one part predicts the links of its documents from
their words, as if they were new; a tenth of the links among the other documents is hidden as well and predicted from
the topics and links of both ends. No hidden link takes part in the topics or in a feature, so its own trace is not
learned. The weights of new documents and of pairs of known documents are learned apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.warn import warn_caller
from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.executors import open_executor
from plait.inputs.links import GivenLinks
from plait.inputs.pair_matrices import read_pair_matrices
from plait.models.answers.links import LinkPredictions
from plait.models.chain_loop import run_chains
from plait.models.fitting import Fit, chain_settings, plan_chains
from plait.models.folding import FittedChains
from plait.models.inputs import Documents, Inputs
from plait.pair_features import KnownNetwork, PairBlock, PairFeature, PairMatrix, PairWeights, read_features
from plait.pair_features.base import labels_of
from plait.pair_features.combining import PairExamples, join_examples, learn_pair_weights
from plait.pair_features.examples import make_examples
from plait.responses import LinkResponse, Response
from plait.samplers.random import generator, stream_key

# Attributes of a fitted model with pair features.
PAIR_ATTRIBUTES = ("pair_weights_", "known_pair_weights_", "_pair_counts", "_pair_matrices")
_PARTS = 5  # into which the documents are divided
_ENOUGH = 600  # hidden documents; no more parts are hidden in turn when there are as many
_MOST_HIDDEN = 2_000  # documents of a part that links are predicted for
_HIDDEN_LINKS = 0.1  # share of the links among the documents that are not hidden
_MOST_PAIRS = 400_000  # examples of all parts
_FEWEST_LINKS = 5  # hidden links to learn weights from
MOST_AUTO_DOCUMENTS = 10_000  # with more, "auto" has no features: each suggestion would compare all documents


class _Learned(NamedTuple):
    """Examples of one part."""

    new: PairExamples | None
    known: PairExamples | None


def read_matrices(inputs: Inputs, responses: Sequence[Response], n_documents: int) -> dict[str, Any]:
    """Return the matrices of pair features under "pair_matrices"; nothing for a model without such a feature.

    Parameters
    ----------
    inputs : Inputs
        What `fit` was given.
    responses : sequence of Response
        Responses of the model.
    n_documents : int
        Number of training documents.
    """
    found = read_pair_matrices(inputs.pair_matrices, (n_documents, n_documents))
    features = [feature for one in responses for feature in read_features(getattr(one, "pair_features", None))]
    used = {feature.key for feature in features if isinstance(feature, PairMatrix)}
    for name in found:
        if name not in used:
            raise PlaitError(f"pair_matrices has {name!r}, which no pair feature reads; add PairMatrix({name!r})")
    return {"pair_matrices": found} if found else {}


def learn_pairs(model: Any, fit: Fit) -> dict[str, Any]:
    """Return the attributes of a model with pair features: learned weights, and what features read.

    Parameters
    ----------
    model : TopicEstimator
        The model.
    fit : Fit
        Its fit, before the first sweep or when it is resumed.

    Returns
    -------
    dict of str to object
        `PAIR_ATTRIBUTES` by name; empty for a model without pair features.
    """
    responses = {one.kind: one for one in model._make_responses()}
    given = responses["links"].pair_features if "links" in responses else None
    if not read_features(given):
        return {}
    if fit.continues and PAIR_ATTRIBUTES[0] in vars(model):  # learned before the interruption
        return pair_attributes(model)
    if given == "auto":
        reason = unused_reason(model.keep, fit.words.counts.shape[0])
        if reason is not None:
            warn_caller(f"{reason}; links are scored by topics alone")
            return {}
    elif model.keep != "titles":
        raise PlaitError(
            f"pair features read words and fields of the training documents, which keep={model.keep!r} does not "
            "allow the model to keep; set keep='titles', or pair_features=None",
            parameter="pair_features",
        )
    counts = sparse.csr_array(fit.words.counts.tocsr())
    matrices = fit.given.get("pair_matrices", {})
    network = KnownNetwork(counts, fit.given["links"].adjacency, fit.words.known_documents(), matrices)
    features = read_features(given, network)
    try:
        new, known = _learn_weights(model, fit, responses["links"], network, features)
    except _TooFewLinksError as error:
        if given != "auto":
            raise
        warn_caller(f"{error.reason}; links are scored by topics alone")
        return {}
    return dict(zip(PAIR_ATTRIBUTES, (new, known, counts, dict(matrices)), strict=True))


def unused_reason(keep: str, n_documents: int) -> str | None:
    """Return why `pair_features="auto"` leaves all features out before a fit; None if it does not.

    Parameters
    ----------
    keep : str
        Parameter of the model.
    n_documents : int
        Number of training documents.

    Examples
    --------
    >>> unused_reason("titles", 2_708) is None
    True
    >>> unused_reason("titles", 200_000)
    "pair features are slow with more than 10,000 documents: pair_features=['auto'] uses them, None does not"
    """
    if keep != "titles":
        return f"keep={keep!r} does not keep the words that pair features read: set keep='titles' or pair_features=None"
    if n_documents > MOST_AUTO_DOCUMENTS:
        return (
            f"pair features are slow with more than {MOST_AUTO_DOCUMENTS:,} documents: pair_features=['auto'] uses "
            "them, None does not"
        )
    return None


class _TooFewLinksError(PlaitError):
    """There are too few hidden links to learn the weights from."""

    def __init__(self, n_links: int) -> None:
        self.reason = f"{n_links:,} links are too few to learn the weights of pair features from hidden ones"
        super().__init__(
            f"{self.reason}; give more links, or set pair_features=None",
            parameter="pair_features",
        )


def pair_attributes(model: Any) -> dict[str, Any]:
    """Return the attributes of pair features that a fitted model has."""
    return {name: vars(model)[name] for name in PAIR_ATTRIBUTES if name in vars(model)}


def _learn_weights(
    model: Any, fit: Fit, response: LinkResponse, network: KnownNetwork, features: Sequence[PairFeature]
) -> tuple[PairWeights, PairWeights]:
    """Return the weights for new documents and for pairs of known documents."""
    n_documents = network.n_documents
    order = generator(stream_key(fit.seed, "pairs")).permutation(n_documents)
    parts = np.array_split(order, min(_PARTS, n_documents))
    n_parts = min(len(parts), -(-_ENOUGH // parts[0].size))
    found = []
    for number in range(n_parts):
        title = f"{type(model).__name__}, weights of pair features, {number + 1} of {n_parts}"
        part = _Part(model, fit, response, network, np.sort(parts[number]), number)
        found.append(part.learn(features, title, _MOST_PAIRS // n_parts))
    labels = labels_of(features)
    new = [part.new for part in found if part.new is not None]
    known = [part.known for part in found if part.known is not None]
    for examples in (new, known):
        if sum(int(part.linked.sum()) for part in examples) < _FEWEST_LINKS:
            raise _TooFewLinksError(network.links.nnz)
    return learn_pair_weights(join_examples(new), labels), learn_pair_weights(join_examples(known), labels)


class _Part:
    """A part of the documents that is hidden, and a fit to the other documents."""

    def __init__(
        self, model: Any, fit: Fit, response: LinkResponse, network: KnownNetwork, hidden: np.ndarray, number: int
    ) -> None:
        self._model, self._fit, self._response, self._network = model, fit, response, network
        self._random = generator(stream_key(fit.seed, "pairs", number + 1))
        self._seed = int(stream_key(fit.seed, "pair chains", number))
        self._rest = np.setdiff1d(np.arange(network.n_documents), hidden)
        if hidden.size > _MOST_HIDDEN:
            hidden = np.sort(self._random.choice(hidden, _MOST_HIDDEN, replace=False))
        self._hidden = hidden

    def learn(self, features: Sequence[PairFeature], title: str, most: int) -> _Learned:
        """Return at most as many examples of hidden documents and of hidden links; None where there are none."""
        self._most = most
        given = self._fit.given["links"]
        adjacency = sparse.csr_array(given.adjacency[self._rest][:, self._rest])
        sources, targets = adjacency.nonzero()
        n_hidden = round(_HIDDEN_LINKS * sources.size)
        if sources.size - n_hidden < 1:
            return _Learned(None, None)
        places = np.sort(self._random.choice(sources.size, n_hidden, replace=False))
        visible = np.delete(np.arange(sources.size), places)
        kept = (adjacency.data[visible], (sources[visible], targets[visible]))
        fewer = GivenLinks(sparse.csr_array(kept, shape=adjacency.shape), given.directed, 0)
        predictions = self._predictions(fewer, title)
        rest = self._known_documents(self._rest)
        matrices = {name: one[self._rest][:, self._rest] for name, one in self._network.matrices.items()}
        counts = self._network.counts[self._rest]
        whole = KnownNetwork(counts, adjacency, rest, matrices)
        partial = KnownNetwork(counts, fewer.adjacency, rest, matrices)
        hidden_links = sparse.csr_array((np.ones(n_hidden), (sources[places], targets[places])), shape=adjacency.shape)
        new = self._new_examples(predictions, whole, features)
        return _Learned(new, self._known_examples(predictions, partial, hidden_links, features))

    def _predictions(self, given: GivenLinks, title: str) -> LinkPredictions:
        """Fit one chain to the documents that are not hidden."""
        model, fit, rest = self._model, self._fit, self._rest
        documents = self._known_documents(rest)
        links = {} if fit.links is None else {"influence": sparse.csr_array(fit.links[rest][:, rest])}
        part = Fit(
            fit.words._replace(counts=self._network.counts[rest], ids=None, documents=documents),
            {"links": given, **links},
            "",
            chain_settings(model, fit.settings.prior),
            plan_chains(1, 1),
            seed=self._seed,
            chain_seed=self._seed,
            make_responses=lambda plan: [self._response.make(given, exact=model._exact)],
        )
        if run_chains(part, None, open_executor(model.executor, model.n_jobs), (model.verbose, title)):
            raise KeyboardInterrupt("the fit was interrupted while the weights of pair features were learned")
        samples = [list(run.samples) for run in part.kept_runs()]
        chains = FittedChains(samples, [0], model._fold_in_settings(self._seed))
        return LinkPredictions(chains, self._response, 0, given.adjacency, given.directed, documents)

    def _new_examples(
        self, predictions: LinkPredictions, network: KnownNetwork, features: Sequence[PairFeature]
    ) -> PairExamples | None:
        """Return pairs of hidden documents with the other documents."""
        whole, hidden = self._network, self._hidden
        links = sparse.csr_array(whole.either[hidden][:, self._rest])
        if not links.nnz:
            return None

        def block(rows: slice) -> tuple[PairBlock, np.ndarray]:
            own = hidden[rows]
            matrices = {name: one[own][:, self._rest] for name, one in whole.matrices.items()}
            pairs = network.new(whole.counts[own], self._known_documents(own), matrices)
            return pairs, predictions.topic_values(Documents(whole.counts[own]))

        none_known = sparse.csr_array(links.shape)
        return make_examples(hidden.size, links, none_known, block, features, self._random, self._most)

    def _known_examples(
        self,
        predictions: LinkPredictions,
        network: KnownNetwork,
        hidden_links: sparse.csr_array,
        features: Sequence[PairFeature],
    ) -> PairExamples | None:
        """Return the hidden links among the other documents, and unlinked pairs."""
        if not hidden_links.nnz:
            return None
        links = sparse.csr_array(hidden_links + hidden_links.T)
        sources = np.flatnonzero(np.diff(links.indptr))
        if sources.size > _MOST_HIDDEN:
            sources = np.sort(self._random.choice(sources, _MOST_HIDDEN, replace=False))
        known = network.linked_or_same(sources)

        def block(rows: slice) -> tuple[PairBlock, np.ndarray]:
            own = sources[rows]
            return network.known(own), predictions.known_topic_values(own)

        return make_examples(
            sources.size, sparse.csr_array(links[sources]), known, block, features, self._random, self._most
        )

    def _known_documents(self, rows: np.ndarray) -> KnownDocuments:
        documents = self._network.documents
        assert documents is not None
        return documents.select(rows)
