"""The second half of the demo: which package a module that the model has not seen is of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.corpus import Corpus

FEWEST_MODULES = 5
EXAMPLES = 6
WORDS = 5


def guess_packages(corpus: Corpus, seed: int, jobs: int) -> Any:
    """Hold out a fifth of the modules, learn packages from the others, and print how well they are told.

    Return the model; None where there are too few packages.
    """
    known = _of_large_packages(corpus)
    if len(known.label_names) < 2:
        print(f"   left out: it takes two packages of at least {FEWEST_MODULES} modules")
        return None
    train, test = known.split(0.2, random_state=seed, stratify=True)
    from plait.models import MedLDA

    # Half the chains of the defaults, and the quick way: a demo must not take minutes.
    model: Any = MedLDA(2 * len(known.label_names), n_chains=2, cached=True, random_state=seed, n_jobs=jobs)
    model.fit(train)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    packages = [names[0] for names in test.labels or ()]
    guesses = model.predict(test).tolist()
    print(
        f"   learnt from {len(train):,} modules of {len(known.label_names):,} packages (of {FEWEST_MODULES} modules or "
        f"more), {len(test):,} held out"
    )
    table = Table(["told by", "right"], right={"right"})
    table.add(f"MedLDA, {model.n_topics} topics", _share_right(guesses, packages))
    table.add("TF-IDF + LinearSVC", _share_right(_svm_guesses(train, test), packages))
    common = Counter(names[0] for names in train.labels or ()).most_common(1)[0][0]
    table.add(f"always the most frequent one, {common}", _share_right([common] * len(test), packages))
    table.show()
    _show_examples(model, test, packages, guesses)
    return model


def _of_large_packages(corpus: Corpus) -> Corpus:
    """Return the modules of packages that have enough of them to learn from and to test with."""
    package = [names[0] for names in corpus.labels or ()]
    size = Counter(package)
    return corpus.select([row for row, name in enumerate(package) if size[name] >= FEWEST_MODULES])


def _svm_guesses(train: Corpus, test: Corpus) -> list[str]:
    from plait.baselines import TfidfSVM
    from plait.inputs.targets import read_targets

    targets = read_targets(None, len(train), train)
    machine = TfidfSVM().fit(train.counts, targets.classes, targets.signs, multilabel=False)
    return [labels[0] for labels in machine.predict(test.counts)]


def _share_right(guesses: list[str], packages: list[str]) -> str:
    right = sum(guess == package for guess, package in zip(guesses, packages, strict=True))
    return f"{right / len(packages):.1%}"


def _show_examples(model: Any, test: Corpus, packages: list[str], guesses: list[str]) -> None:
    """Print what the model says of some of the modules, and the words that spoke most for it."""
    print("5. Some of the modules held out, and the words that spoke most for the guess:")
    table = Table(["module", "guess", "", "words"])
    for row in range(len(test) // (2 * EXAMPLES), len(test), max(1, len(test) // EXAMPLES)):
        module = test.select([row])
        pushes = sorted(model.explain(module, top=module.counts.nnz).words, key=lambda word: -word.push)
        mark = "right" if guesses[row] == packages[row] else "wrong"
        table.add(str(test.ids[row]), guesses[row], mark, " ".join(word.word for word in pushes[:WORDS]))
    table.show()
