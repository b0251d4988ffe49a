"""How well a model finds the links of new documents, beside simple baselines: what `plait evaluate` says of links."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from plait.cli.show.figures import shown
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import scipy.sparse as sparse

    from plait.baselines import LinkBaseline
    from plait.corpus import Corpus
    from plait.metrics import LinkScores

_HITS = (10, 100)
_MOST_SCORES = 50_000_000


@dataclass(frozen=True)
class LinkReport:
    """Figures of the model and of each baseline, in the order in which they are shown."""

    scores: dict[str, LinkScores]
    n_known: int

    def show(self) -> None:
        """Print all of it."""
        model = next(iter(self.scores.values()))
        alone = f" ({model.n_without_links:,} of them have no link)" if model.n_without_links else ""
        print(
            f"\n{model.n_links:,} links of {model.n_documents:,} new documents{alone} to be found among "
            f"{self.n_known:,} documents that the model was fitted to:"
        )
        names = ["mean link rank", "AUC", "average precision", *(f"hits@{k}" for k in _HITS)]
        table = Table(["by", *names], right=set(names))
        for name, found in self.scores.items():
            area = "" if found.auc is None else shown(found.auc)
            hits = [f"{found.hits[k]:.1%}" for k in _HITS]
            table.add(name, shown(found.link_rank), area, shown(found.average_precision), *hits)
        table.show()
        print(f"Lower is better for the rank ({(self.n_known + 1) / 2:,.1f} by chance), higher for the others.")

    def plain(self) -> dict[str, Any]:
        """Return all of it for programs."""
        (_, model), *baselines = self.scores.items()
        found = {"documents_known": self.n_known, **asdict(model)}
        return {"links": found | {"baselines": {name: asdict(scores) for name, scores in baselines}}}


def measure_links(model: Any, corpus: Corpus, *, baselines: bool) -> LinkReport | str:
    """Measure the links of a model, or say why they cannot be.

    Parameters
    ----------
    corpus
        New documents, known ones and the links between them, in the columns of the model's vocabulary.
    baselines
        Whether baselines are trained on the known documents, to stand beside the model.
    """
    import numpy as np

    from plait.metrics import undirected_links
    from plait.models.answers.known_documents import document_names

    if model.doc_ids_ is None:
        return "the model was fitted to a matrix, so its documents have no ids by which links could be found"
    if corpus.links is None:
        return "the corpus has no links; name a file of links with --links"
    row_of = {str(name): row for row, name in enumerate(document_names(model.doc_ids_, model.links_.shape[0]))}
    places = np.array([row_of.get(str(name), -1) for name in corpus.ids])
    new, known = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
    if not new.size or not known.size:
        what = "was fitted to all of them" if known.size else "was fitted to none of them"
        return f"links are found between new documents and those that the model knows, and it {what}"
    between = undirected_links(corpus.links)
    links = between[new][:, known]
    if not links.nnz:
        return "no new document is linked with one that the model was fitted to"
    counts = corpus.counts
    columns = places[known]
    name = f"{type(model).__name__}, {model.n_topics} topics"
    scores = {name: _ranks(lambda rows: model.score_links(rows)[:, columns], counts[new], links)}
    if baselines:
        for name, baseline in _trained(counts[known], between[known][:, known], model):
            scores[name] = _ranks(baseline.score_links, counts[new], links)
    return LinkReport(scores, known.size)


def _ranks(
    score: Callable[[sparse.csr_array], np.ndarray], counts: sparse.csr_array, links: sparse.csr_array
) -> LinkScores:
    """Rank the links of documents, without holding more scores at once than memory may have room for."""
    from plait.metrics import score_link_ranks

    if links.shape[0] * links.shape[1] <= _MOST_SCORES:
        return score_link_ranks(score(counts), links, hits=_HITS)
    return score_link_ranks(lambda rows: score(counts[rows]), links, hits=_HITS)


def _trained(counts: sparse.csr_array, links: sparse.csr_array, model: Any) -> Iterator[tuple[str, LinkBaseline]]:
    """Train one baseline after the other, and say so: some take a while."""
    from plait.baselines import LdaLogistic, LsaBilinear, TfidfCosine, VarRTM
    from plait.models import LDA

    n_topics = model.n_topics
    lda = LDA(n_topics, n_jobs=model.n_jobs, random_state=0, verbose=False)
    contestants: dict[str, Any] = {
        "TF-IDF cosine": TfidfCosine(),
        "TF-IDF cosine with neighbours' words": TfidfCosine(hops=2),
        "LSA + bilinear logistic": LsaBilinear(),
        f"LDA, {n_topics} topics + logistic": LdaLogistic(lda),
        f"Var-RTM, {n_topics} topics": VarRTM(n_topics),
    }
    for name, baseline in contestants.items():
        began = time.perf_counter()
        baseline.fit(counts, links)
        print(f"trained {name} in {time.perf_counter() - began:.1f} s", file=sys.stderr)
        yield name, baseline
