"""`plait demo`: a stream of packages, which arrive one after the other in the order of their names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plait._utils.text import cut
from plait.cli.show.screen import Table, print_text

if TYPE_CHECKING:
    from plait.corpus import Corpus

TOPICS = 15
SWEEPS = 20
MIN_MODULES = 20
MIN_PACKAGES = 3
MOST_PACKAGES = 20
WORDS = 6


def demo_stream(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Fit a model to packages that arrive one after the other, and print the topics that emerge.

    Parameters
    ----------
    corpus : Corpus
        Modules with packages as labels.
    seed : int
        Seed of the random numbers.
    jobs : int
        Threads.

    Returns
    -------
    OnlineLDA or None
        The model; None if there are too few packages.
    """
    package = [names[0] for names in corpus.labels or ()]
    sizes = Counter(package)
    large = [name for name, size in sizes.most_common(MOST_PACKAGES) if size >= MIN_MODULES]
    if len(large) < MIN_PACKAGES:
        print_text(f"   left out: this needs {MIN_PACKAGES} packages of at least {MIN_MODULES} modules")
        return None
    from plait.models import OnlineLDA

    # Few sweeps, as a demo must not take minutes.
    model: Any = OnlineLDA(
        TOPICS, window=3, n_sweeps=SWEEPS, n_samples=2, n_jobs=jobs, random_state=seed, verbose=False
    )
    for name in sorted(large):
        model.partial_fit(corpus.select([row for row, one in enumerate(package) if one == name]), label=name)
        if model.interrupted_:
            raise KeyboardInterrupt("the demo saves nothing")
    left_out = len(sizes) - len(large)
    print_text(f"   {len(large)} packages as time slices; {left_out:,} smaller packages are left out")
    table = Table(["package", "emerging topics and their new words"])
    for number, one in enumerate(model.slices_):
        new = model.emerging(slice=number) if number else []
        words = "; ".join(f"{topic.topic}: {' '.join(map(str, topic.words[:WORDS]))}" for topic in new[:2])
        if words:
            table.add(cut(one.label, 30), words)
    table.show()
    return model
