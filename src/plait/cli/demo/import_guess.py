"""The third part of the demo: which modules a module that the model has not seen should import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.cli.show.figures import shown
from plait.cli.show.screen import Table, listed

if TYPE_CHECKING:
    import scipy.sparse as sparse

    from plait.corpus import Corpus

TOPICS = 30
FEWEST_IMPORTS = 20
EXAMPLES = 6
TOP = 5
TOPIC_LINKS = 5


def suggest_imports(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Hold out a fifth of the modules, learn imports from the others, and print which imports are suggested.

    Return the model; None where there are too few imports.
    """
    import numpy as np

    held_out = np.zeros(len(corpus), dtype=bool)
    held_out[np.random.default_rng(seed).permutation(len(corpus))[: len(corpus) // 5]] = True
    imports = corpus.links
    found = None if imports is None else imports[held_out][:, ~held_out]
    if imports is None or found is None or found.nnz < FEWEST_IMPORTS:
        print(f"   left out: it takes {FEWEST_IMPORTS} imports between the modules held out and the others")
        return None
    from plait.models import RelationalTopicModel

    # Half the chains of the defaults: a demo must not take minutes.
    train, test = corpus.select(~held_out), corpus.select(held_out)
    model: Any = RelationalTopicModel(TOPICS, n_chains=2, random_state=seed, n_jobs=jobs).fit(train)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    print(
        f"   learnt from {model.n_links_:,} imports among {len(train):,} modules; {len(test):,} modules held out, "
        f"which import {found.nnz:,} of the others"
    )
    _show_ranks(model, train, test, found)
    print("7. Which topics import which most readily, besides themselves:")
    apart = [link for link in model.topic_links(TOPICS * TOPICS) if link.source != link.target]
    for link in apart[:TOPIC_LINKS]:
        print(f"   {str(link).replace('links to', 'imports')}")
    print(f"8. Some of the modules held out, and the {TOP} imports that the model suggests first (* it has them):")
    _show_examples(model, test, found)
    return model


def _show_ranks(model: Any, train: Corpus, test: Corpus, found: sparse.csr_array) -> None:
    from plait.baselines import TfidfCosine
    from plait.metrics import score_link_ranks

    table = Table(["imports found by", "mean rank", "among the first 10"], right={"mean rank", "among the first 10"})
    cosine = TfidfCosine().fit(train.counts, train.links).score_links(test.counts)
    contestants = {
        f"RelationalTopicModel, {model.n_topics} topics": model.score_links(test, direction="to"),
        "TF-IDF cosine": cosine,
    }
    for name, scores in contestants.items():
        ranks = score_link_ranks(scores, found, hits=[10])
        table.add(name, shown(ranks.link_rank), f"{ranks.hits[10]:.1%}")
    table.add("chance", shown((len(train) + 1) / 2), f"{10 / len(train):.1%}")
    table.show()


def _show_examples(model: Any, test: Corpus, found: sparse.csr_array) -> None:
    """Print what is suggested for some modules that import something."""
    import numpy as np

    rows = np.flatnonzero(np.diff(found.indptr))
    rows = rows[:: max(1, rows.size // EXAMPLES)][:EXAMPLES]
    table = Table(["module", "suggested imports", "it imports"], right={"it imports"})
    names = model.doc_ids_
    for row, suggestions in zip(rows, model.suggest_links(test.select(rows), TOP, direction="to"), strict=True):
        own = {str(names[column]) for column in found.indices[found.indptr[row] : found.indptr[row + 1]]}
        marked = [suggestion.id + "*" * (suggestion.id in own) for suggestion in suggestions]
        table.add(str(test.ids[row]), listed(marked), str(len(own)))
    table.show()
