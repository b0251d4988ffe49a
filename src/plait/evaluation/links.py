"""How well a model predicts the links of new documents, beside baselines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.baselines import KnnVotes, LdaLogistic, LinkBaseline, LsaBilinear, TfidfCosine, VarRTM
from plait.corpus import Corpus
from plait.evaluation.problems import NotEvaluableError
from plait.evaluation.training import align
from plait.metrics import LinkScores, score_link_ranks, undirected_links
from plait.models import LDA

HITS = (10, 100)
_VOTERS = (10, 20, 50)  # of k-NN votes
_MAX_SCORES = 50_000_000  # held in memory at once


@dataclass(frozen=True)
class LinkEvaluation:
    """Scores of predicted links, of the model and of the baselines.

    Parameters
    ----------
    name : str
        Name of the model.
    model : LinkScores
        Scores of the model.
    baselines : dict
        Scores by the name of the baseline.
    n_training_documents : int
        Training documents of the corpus, among which the links are ranked.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.metrics import score_link_ranks
    >>> scores = score_link_ranks(np.array([[0.9, 0.1]]), np.array([[1, 0]]))
    >>> LinkEvaluation("gRTM", scores, {"TF-IDF cosine": scores}, 2).model.link_rank
    1.0
    """

    name: str
    model: LinkScores
    baselines: dict[str, LinkScores]
    n_training_documents: int


def evaluate_links(
    model: Any, corpus: Corpus, *, baselines: bool = True, on_trained: Callable[[str, float], None] | None = None
) -> LinkEvaluation:
    """Return how high the links of new documents rank among all training documents of a model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts links.
    corpus : Corpus
        New documents, training documents of the model and the links between them.
    baselines : bool, default True
        Whether to train baselines on the training documents.
    on_trained : callable, optional
        Called with the name and the seconds of each baseline after its training.

    Returns
    -------
    LinkEvaluation
        The scores.

    Raises
    ------
    NotEvaluableError
        If there are no links between new documents and training documents.

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> texts = ["river stream lake", "bank loan credit"] * 10
    >>> links = [(str(i), str(i - 2)) for i in range(2, 20)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], links=links)
    >>> model = RelationalTopicModel(2, n_sweeps=20, n_chains=1, random_state=0, verbose=False)
    >>> found = evaluate_links(model.fit(corpus.select(range(16))), corpus, baselines=False)
    >>> found.n_training_documents, found.model.n_links
    (16, 2)
    """
    if model.doc_ids_ is None:
        raise NotEvaluableError("the model was fitted to a matrix, so its documents have no ids")
    if corpus.links is None:
        raise NotEvaluableError("the corpus has no links; give some", parameter="links")
    corpus = align(model, corpus)
    row_of = {str(name): row for row, name in enumerate(model.doc_ids_)}
    rows = np.array([row_of.get(str(name), -1) for name in corpus.ids])
    new, training = np.flatnonzero(rows < 0), np.flatnonzero(rows >= 0)
    if not new.size or not training.size:
        which = "all" if training.size else "none"
        raise NotEvaluableError(
            f"links between new documents and training documents are needed, and the model was fitted to {which} of "
            "the documents"
        )
    between = undirected_links(corpus.links)
    links = between[new][:, training]
    if not links.nnz:
        raise NotEvaluableError("no new document has a link to or from a training document")
    counts, columns = corpus.counts, rows[training]
    scores = _score(lambda batch: model.score_links(batch)[:, columns], counts[new], links)
    beside: dict[str, LinkScores] = {}
    if baselines:
        for name, baseline, seconds in _trained(counts[training], between[training][:, training], model):
            if on_trained is not None:
                on_trained(name, seconds)
            beside[name] = _score(baseline.score_links, counts[new], links)
    return LinkEvaluation(f"{type(model).__name__}, {model.n_topics} topics", scores, beside, training.size)


def _score(
    score: Callable[[sparse.csr_array], np.ndarray], counts: sparse.csr_array, links: sparse.csr_array
) -> LinkScores:
    """Rank the links of documents; large numbers of scores are computed in batches."""
    if links.shape[0] * links.shape[1] <= _MAX_SCORES:
        return score_link_ranks(score(counts), links, hits=HITS)
    return score_link_ranks(lambda rows: score(counts[rows]), links, hits=HITS)


def _trained(
    counts: sparse.csr_array, links: sparse.csr_array, model: Any
) -> Iterator[tuple[str, LinkBaseline, float]]:
    """Train one baseline after the other; yield name, baseline and seconds."""
    n_topics = model.n_topics
    lda = LDA(n_topics, alpha=0.1, beta=0.01, n_jobs=model.n_jobs, random_state=0, verbose=False)
    baselines: dict[str, Any] = {
        "TF-IDF cosine": TfidfCosine(),
        "TF-IDF cosine with neighbours' words": TfidfCosine(hops=2),
        **{
            f"Votes of the {k} nearest{', themselves too' * itself}": KnnVotes(k=k, itself=itself)
            for k in _VOTERS
            for itself in (False, True)
        },
        "LSA + bilinear logistic": LsaBilinear(),
        f"LDA, {n_topics} topics + logistic": LdaLogistic(lda),
        f"Var-RTM, {n_topics} topics": VarRTM(n_topics),
    }
    for name, baseline in baselines.items():
        start = time.perf_counter()
        baseline.fit(counts, links)
        yield name, baseline, time.perf_counter() - start
