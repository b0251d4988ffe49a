"""The end of the demo: which modules shape which, along their imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.cli.show.influential import drawn_line, influential_table
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.corpus import Corpus

TOPICS = 30
FEWEST_IMPORTS = 20
SHORT = 50  # words of a module that tell little
EXAMPLES = 3
TOP = 5


def find_influence(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Let words be drawn from imported modules, and print who shapes whom.

    Return the model; None where there are too few imports.
    """
    if corpus.n_links < FEWEST_IMPORTS:
        print(f"   left out: it takes {FEWEST_IMPORTS} imports")
        return None
    from plait.models import LinkedLDA

    # Fewer sweeps than by default: a demo must not take minutes.
    model: Any = LinkedLDA(TOPICS, n_sweeps=40, n_samples=3, n_jobs=jobs, random_state=seed).fit(corpus)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    followed = f"{corpus.n_links - model.n_cut_links_:,} imports are followed, at most {model.most_links} of a module"
    print(f"   {drawn_line(model, 'imported modules')}; {followed}")
    print("10. The modules that shape others most:")
    influential_table(model, TOP, "module", "imported by").show()
    print(f"11. Some modules that import much, and the {TOP} that shape each of them most:")
    _show_examples(model, corpus)
    return model


def _show_examples(model: Any, corpus: Corpus) -> None:
    """Print who shapes the modules that import most, one of each package."""
    import numpy as np

    links = corpus.links
    assert links is not None
    imports = np.diff(links.indptr)
    order = np.lexsort((-imports, corpus.lengths < SHORT))
    table = Table(["module", "imports", "by itself", "shaped by"], right={"imports", "by itself"})
    shown: set[str] = set()
    for row in order:
        package = corpus.labels[row][0] if corpus.labels is not None else ""
        if package in shown or not imports[row]:
            continue
        shown.add(package)
        name = str(corpus.ids[row])
        others = [f"{one.document} {one.share:.0%}" for one in model.influencers(name, TOP) if one.share > 0]
        table.add(name, f"{imports[row]:,}", f"{model.influence_[row, row]:.0%}", ", ".join(others))
        if len(shown) == EXAMPLES:
            break
    table.show()
