"""Recovery of a known influence: documents whose tokens come from one of the documents that they cite.

    python experiments/linked_lda/planted.py --results planted.jsonl
    python experiments/linked_lda/planted.py --strengths 0 0.5 1 --p 10 --words 100 --topics 10         a quick run

The simulation: 500 documents, ten topics, 2,000 words. Topics have few frequent words: Dirichlet(0.05). The first half
of the documents are only cited, and have topic distributions ϑ ~ Dirichlet(0.1). Each of the other half cites five of
them at random: one, the source, has influence, the other four are decoys. Each token of a citing document comes from
the topic distribution of the source with a probability called strength, and from the document's own otherwise. With few
topics, two documents often share their main topic, so that a decoy may explain the words nearly as well.

A figure is the share of citing documents whose largest influence among their five links is that of the source; chance
level is 0.2. LinkedLDA stores 20 samples of one chain, or of each of four chains whose influence is averaged; α = 0.1,
all else by default; it learns ten or twenty topics. Link-PLSA-LDA (Nallapati et al., 2008) has its own influence;
cosine is that of the word counts. "true topics" selects the cited document whose true topic distribution gives the
highest likelihood when mixed, with the true strength, with that of the citing document: it is given what the methods
must learn. Bíró and Szabó (2009) have no such experiment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from common import Figures, Results, Setting, base_parser, cell, listed, print_table
from simulation import PlantedInfluence, planted_influence
from sklearn.metrics.pairwise import cosine_similarity

import plait
from plait.baselines import LinkPLSALDA

TRUE_TOPICS = 10
STRENGTHS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
WANTED = 0.9  # the smallest strength with this share of sources found is printed, too


def linked_lda(drawn: PlantedInfluence, *, topics: int, seed: int, p: float, chains: int) -> Any:
    """Return χ of linked LDA."""
    model = plait.LinkedLDA(topics, p=p, n_samples=20, alpha=0.1, n_chains=chains, random_state=seed, verbose=False)
    return model.fit(drawn.counts, links=drawn.links).influence_


def link_plsa_lda(drawn: PlantedInfluence, *, topics: int, seed: int) -> Any:
    """Return χ of link-PLSA-LDA."""
    return LinkPLSALDA(topics, random_state=seed).fit(drawn.counts, drawn.links).influence_


def cosine(drawn: PlantedInfluence) -> Any:
    """Return the cosine of the word counts of all pairs of documents."""
    return cosine_similarity(drawn.counts)


def true_topics(drawn: PlantedInfluence, *, strength: float) -> Any:
    """Return the likelihood of a document's words if the cited document were the source; documents × documents."""
    scores = np.zeros(drawn.links.shape)
    for document in np.flatnonzero(drawn.sources >= 0):
        cited = drawn.links[[document]].indices
        mixed = strength * drawn.doc_topic[cited] + (1 - strength) * drawn.doc_topic[document]
        log_likelihood = drawn.counts[[document]] @ np.log(mixed @ drawn.topic_word + 1e-300).T
        scores[document, cited] = np.exp(log_likelihood - log_likelihood.max())
    return scores


METHODS: dict[str, Callable[..., Any]] = {
    "linked LDA": linked_lda,
    "link-PLSA-LDA": link_plsa_lda,
    "cosine": cosine,
    "true topics": true_topics,
}


def share_found(weights: Any, drawn: PlantedInfluence) -> float:
    """Return the share of citing documents whose largest weight among those that they cite is that of the source.

    Ties count in part: a source among n largest weights counts 1 / n.
    """
    weights = weights.toarray() if sparse.issparse(weights) else np.asarray(weights)
    found = []
    for document in np.flatnonzero(drawn.sources >= 0):
        cited = drawn.links[[document]].indices
        largest = cited[weights[document, cited] == weights[document, cited].max()]
        found.append(np.mean(largest == drawn.sources[document]))
    return float(np.mean(found))


def measure(setting: Setting) -> Figures:
    """Return the share of sources that a method finds."""
    given = dict(setting)
    method, data_seed, strength = METHODS[given.pop("method")], given.pop("data seed"), given["strength"]
    words, size = given.pop("words"), {"n_documents": given.pop("documents", 500)}
    drawn = planted_influence(**size, words_a_document=words, strength=strength, seed=data_seed, n_topics=TRUE_TOPICS)
    if method is not true_topics:
        del given["strength"]
    return {"found": share_found(method(drawn, **given), drawn)}


def contestants(p: list[float], numbers: list[int], chains: list[int]) -> dict[str, Setting]:
    """Return the methods by their names in the table."""
    named: dict[str, Setting] = {}
    for topics in numbers:
        for one, several in itertools.product(p, chains):
            name = f"linked LDA, {topics} topics, p = {one:g}, {several} chain{'s' * (several > 1)}"
            named[name] = {"method": "linked LDA", "topics": topics, "p": one, "chains": several}
        named[f"link-PLSA-LDA, {topics} topics"] = {"method": "link-PLSA-LDA", "topics": topics}
    return named | {"cosine of counts": {"method": "cosine"}, "true topics": {"method": "true topics"}}


def main() -> None:
    parser = base_parser(__doc__ or "", [TRUE_TOPICS, 2 * TRUE_TOPICS])
    parser.add_argument(
        "--strengths", type=float, nargs="+", default=STRENGTHS, help="strengths of influence (0 0.1 … 1)"
    )
    parser.add_argument(
        "--p", type=float, nargs="+", default=[1.0, 4.0, 10.0, 50.0], help="p of linked LDA (1 4 10 50)"
    )
    parser.add_argument("--chains", type=int, nargs="+", default=[1, 4], help="chains of linked LDA (1 4)")
    parser.add_argument("--words", type=int, nargs="+", default=[100, 200], help="tokens per document (100 200)")
    seeds = [0, 1, 2]
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=seeds, help=f"seeds of data and models ({listed(seeds)})"
    )
    parser.add_argument("--documents", type=int, default=500, help="documents (500)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    options = parser.parse_args()
    named, results = contestants(options.p, options.topics, options.chains), Results(options.results)
    for words in options.words:
        rows = []
        settings = [
            [_setting(given, words, strength, seed, options.documents) for seed in options.seeds]
            for given in named.values()
            for strength in options.strengths
        ]
        figures = iter(results.get_all([one for cells in settings for one in cells], measure, options.jobs))
        for name in named:
            cells = [[next(figures)["found"] for _ in options.seeds] for _ in options.strengths]
            reached = [
                strength for strength, values in zip(options.strengths, cells, strict=True) if np.mean(values) >= WANTED
            ]
            rows.append([name, *map(cell, cells), f"{min(reached):g}" if reached else "none"])
        print_table(
            f"Share of sources found by strength of influence, {words} tokens per document; chance level is 0.2; "
            f"mean ± standard deviation of {len(options.seeds)} seed(s)",
            ["method", *(f"{strength:g}" for strength in options.strengths), f"{WANTED:.0%} from"],
            rows,
        )


def _setting(given: Setting, words: int, strength: float, seed: int, documents: int) -> Setting:
    """Return the setting of a method on one simulated corpus; randomized methods also have a seed."""
    drawn = {"words": words, "strength": strength, "data seed": seed}
    drawn |= {"documents": documents} if documents != 500 else {}  # figures stored before have no such entry
    return given | drawn | ({"seed": seed} if "topics" in given else {})


if __name__ == "__main__":
    main()
