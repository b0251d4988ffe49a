"""`plait demo`: influence between modules along imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.cli.show.influence import borrowed_line, influential_table
from plait.cli.show.screen import Table, print_text

if TYPE_CHECKING:
    from plait.corpus import Corpus

TOPICS = 30
MIN_IMPORTS = 20
SHORT = 50  # tokens; shorter modules are shown last
EXAMPLES = 3
TOP = 5


def demo_influence(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Fit a model whose tokens may come from imported modules, and print the influence between modules.

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
    LinkedLDA or None
        The model; None if there are too few imports.
    """
    if corpus.n_links < MIN_IMPORTS:
        print_text(f"   left out: this needs {MIN_IMPORTS} imports")
        return None
    from plait.models import LinkedLDA

    # Fewer sweeps than by default, as a demo must not take minutes.
    model: Any = LinkedLDA(TOPICS, n_sweeps=40, n_samples=3, n_jobs=jobs, random_state=seed).fit(corpus)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    n_followed = corpus.n_links - model.n_cut_links_
    followed = f"{n_followed:,} imports are followed, at most {model.most_links} per module"
    print_text(f"   {borrowed_line(model, 'imported modules')}; {followed}")
    print_text("10. The most influential modules:")
    influential_table(model, TOP, "module", "imported by").show()
    print_text(f"11. Some modules with many imports, and the {TOP} modules with the largest influence on each:")
    _print_examples(model, corpus)
    return model


def _print_examples(model: Any, corpus: Corpus) -> None:
    """Print the source modules of the modules with most imports, one module per package."""
    import numpy as np

    links = corpus.links
    assert links is not None
    imports = np.diff(links.indptr)
    order = np.lexsort((-imports, corpus.lengths < SHORT))
    table = Table(["module", "imports", "itself", "influenced by"], right={"imports", "itself"})
    done: set[str] = set()
    for row in order:
        package = corpus.labels[row][0] if corpus.labels is not None else ""
        if package in done or not imports[row]:
            continue
        done.add(package)
        name = str(corpus.ids[row])
        others = [f"{one.document} {one.share:.0%}" for one in model.influencers(name, TOP) if one.share > 0]
        table.add(name, f"{imports[row]:,}", f"{model.influence_[row, row]:.0%}", ", ".join(others))
        if len(done) == EXAMPLES:
            break
    table.show()
