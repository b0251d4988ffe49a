"""`plait demo`: a model of imports, which suggests imports of held-out modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait._utils.wording import join_names
from plait.cli.show.screen import Table, format_score, print_text

if TYPE_CHECKING:
    import scipy.sparse as sparse

    from plait.corpus import Corpus

TOPICS = 30
MIN_IMPORTS = 20
EXAMPLES = 6
TOP = 5
TOPIC_LINKS = 5


def demo_links(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Fit a model of imports without a fifth of the modules, and print the imports that it suggests for these.

    Parameters
    ----------
    corpus : Corpus
        Modules with imports as links.
    seed : int
        Seed of the random numbers.
    jobs : int
        Threads.

    Returns
    -------
    RelationalTopicModel or None
        The model; None if there are too few imports.
    """
    import numpy as np

    held_out = np.zeros(len(corpus), dtype=bool)
    held_out[np.random.default_rng(seed).permutation(len(corpus))[: len(corpus) // 5]] = True
    imports = corpus.links
    found = None if imports is None else imports[held_out][:, ~held_out]
    if imports is None or found is None or found.nnz < MIN_IMPORTS:
        print_text(f"   left out: this needs {MIN_IMPORTS} imports between held-out modules and the others")
        return None
    from plait.models import RelationalTopicModel

    # One chain of few sweeps, as a demo must not take minutes.
    train, test = corpus.select(~held_out), corpus.select(held_out)
    model: Any = RelationalTopicModel(TOPICS, n_chains=1, n_sweeps=80, random_state=seed, n_jobs=jobs).fit(train)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    print_text(
        f"   learned from {model.n_links_:,} imports among {len(train):,} modules; {len(test):,} modules held out, "
        f"which import {found.nnz:,} of the others"
    )
    _print_ranks(model, train, test, found)
    print_text("7. The pairs of different topics with the largest weights for imports:")
    apart = [link for link in model.topic_links(TOPICS * TOPICS) if link.source != link.target]
    for link in apart[:TOPIC_LINKS]:
        print_text(f"   {str(link).replace('links to', 'imports')}")
    print_text(f"8. Some held-out modules, and the first {TOP} imports that the model suggests (* correct):")
    _print_examples(model, test, found)
    return model


def _print_ranks(model: Any, train: Corpus, test: Corpus, found: sparse.csr_array) -> None:
    from plait.baselines import TfidfCosine
    from plait.metrics import score_link_ranks

    table = Table(["imports predicted by", "mean rank", "in the top 10"], right={"mean rank", "in the top 10"})
    cosine = TfidfCosine().fit(train.counts, train.links).score_links(test.counts)
    scores = {
        f"RelationalTopicModel, {model.n_topics} topics": model.score_links(test, direction="to"),
        "TF-IDF cosine": cosine,
    }
    for name, values in scores.items():
        ranks = score_link_ranks(values, found, hits=[10])
        table.add(name, format_score(ranks.link_rank), f"{ranks.hits[10]:.1%}")
    table.add("chance", format_score((len(train) + 1) / 2), f"{10 / len(train):.1%}")
    table.show()


def _print_examples(model: Any, test: Corpus, found: sparse.csr_array) -> None:
    """Print suggestions for some modules that import something."""
    import numpy as np

    rows = np.flatnonzero(np.diff(found.indptr))
    rows = rows[:: max(1, rows.size // EXAMPLES)][:EXAMPLES]
    table = Table(["module", "suggested imports", "its imports"], right={"its imports"})
    names = model.doc_ids_
    for row, suggestions in zip(rows, model.suggest_links(test.select(rows), TOP, direction="to"), strict=True):
        own = {str(names[column]) for column in found.indices[found.indptr[row] : found.indptr[row + 1]]}
        marked = [suggestion.id + "*" * (suggestion.id in own) for suggestion in suggestions]
        table.add(str(test.ids[row]), join_names(marked), str(len(own)))
    table.show()
