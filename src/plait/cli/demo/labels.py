"""`plait demo`: a model of packages, which predicts the package of held-out modules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plait.cli.show.screen import Table, print_text

if TYPE_CHECKING:
    from plait.corpus import Corpus

MIN_MODULES = 5
MOST_TOPICS = 40
EXAMPLES = 6
WORDS = 5


def demo_labels(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Fit a model of packages without a fifth of the modules, and print how well it predicts these.

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
    MedLDA or None
        The model; None if there are too few packages.
    """
    known = _modules_of_large_packages(corpus)
    if len(known.label_names) < 2:
        print_text(f"   left out: this needs two packages of at least {MIN_MODULES} modules")
        return None
    train, test = known.split(0.2, random_state=seed, stratify=True)
    from plait.evaluation import evaluate_labels
    from plait.evaluation.labels import LABEL_BASELINE
    from plait.models import MedLDA

    # One chain, cached, and not too many topics, as a demo must not take minutes.
    n_topics = min(2 * len(known.label_names), MOST_TOPICS)
    model: Any = MedLDA(n_topics, n_chains=1, cached=True, random_state=seed, n_jobs=jobs)
    model.fit(train)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    print_text(
        f"   learned from {len(train):,} modules of {len(known.label_names):,} packages (of {MIN_MODULES} modules or "
        f"more), {len(test):,} held out"
    )
    found = evaluate_labels(model, test, train=train)
    table = Table(["predicted by", "correct"], right={"correct"})
    table.add(f"MedLDA, {model.n_topics} topics", f"{found.model.accuracy:.1%}")
    if found.baseline is not None:
        table.add(LABEL_BASELINE, f"{found.baseline.accuracy:.1%}")
    packages = [names[0] for names in test.labels or ()]
    common = Counter(names[0] for names in train.labels or ()).most_common(1)[0][0]
    table.add(f"always the most frequent one, {common}", f"{packages.count(common) / len(packages):.1%}")
    table.show()
    _print_examples(model, test, packages)
    return model


def _modules_of_large_packages(corpus: Corpus) -> Corpus:
    """Return the modules of packages with enough modules to train and to test with."""
    package = [names[0] for names in corpus.labels or ()]
    size = Counter(package)
    return corpus.select([row for row, name in enumerate(package) if size[name] >= MIN_MODULES])


def _print_examples(model: Any, test: Corpus, packages: list[str]) -> None:
    """Print the predictions for some modules, and the words with the largest contributions."""
    print_text("5. Some held-out modules, and the words that contribute most to the prediction:")
    table = Table(["module", "predicted", "", "words"])
    predicted = model.predict(test).tolist()
    for row in range(len(test) // (2 * EXAMPLES), len(test), max(1, len(test) // EXAMPLES)):
        module = test.select([row])
        pushes = sorted(model.explain(module, top=module.counts.nnz).words, key=lambda word: -word.push)
        mark = "right" if predicted[row] == packages[row] else "wrong"
        table.add(str(test.ids[row]), predicted[row], mark, " ".join(word.word for word in pushes[:WORDS]))
    table.show()
