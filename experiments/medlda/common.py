"""What the experiments with labels share: kept results, contestants, timed steps and options of the command line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

import plait
from plait.baselines import TfidfSVM
from plait.chain import Chain
from plait.corpus import Corpus
from plait.evaluation import score_labels
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.models.targets import read_targets
from plait.priors import as_prior
from plait.responses import Hinge, Labels
from plait.samplers import as_sampler

sys.path.insert(0, str(Path(__file__).parents[2]))  # what the benchmarks share, when a script is run as it is

from benchmarks.tables import print_table, say

# c = 16, ℓ = 1, α = 6.4 / K, 40 sweeps, then one sample: section 5.2 of Zhu, Zheng, Zhou and Zhang (2013).
PAPER_SPREAD, PAPER_SWEEPS = 6.4, 40

Setting = dict[str, Any]
Figures = dict[str, Any]


class Results:
    """Figures by setting, kept as JSON lines so that a run that was stopped goes on where it was.

    Parameters
    ----------
    path
        The file; None keeps them in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._figures: dict[str, Figures] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                kept = json.loads(line)
                self._figures[_key(kept["setting"])] = kept["figures"]

    def get(self, setting: Setting, measure: Callable[[], Figures]) -> Figures:
        """Return the figures of a setting: those that were kept, or else measured now."""
        key = _key(setting)
        name = ", ".join(f"{word} {value}" for word, value in setting.items())
        if key in self._figures:
            say(f"{name}: kept from before")
            return self._figures[key]
        figures = measure()
        say(f"{name}: " + ", ".join(f"{word} {value:.4g}" for word, value in figures.items()))
        self._figures[key] = figures
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"setting": setting, "figures": figures}) + "\n")
        return figures


def _key(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)


def average(figures: Iterable[Figures]) -> Figures:
    """Return the mean of every figure, over seeds."""
    rows = list(figures)
    return {name: mean(row[name] for row in rows) for name in rows[0]}


def medlda(n_topics: int, options: argparse.Namespace, seed: int, **parameters: Any) -> plait.MedLDA:
    """Return a MedLDA with plait's own settings but for those given."""
    return plait.MedLDA(n_topics, n_jobs=options.jobs, random_state=seed, verbose=False, **parameters)


def paper_settings(n_topics: int) -> Setting:
    """Return the settings of the paper: one sample of one chain."""
    return {"alpha": PAPER_SPREAD / n_topics, "n_chains": 1, "n_sweeps": PAPER_SWEEPS, "n_samples": 1}


def fit_seconds(model: Any, train: Corpus) -> float:
    """Fit a model and return how long it took."""
    began = time.perf_counter()
    model.fit(train)
    return time.perf_counter() - began


def score_medlda(model: plait.MedLDA, train: Corpus, test: Corpus) -> Figures:
    """Fit MedLDA to the training documents and score it on the others."""
    seconds = fit_seconds(model, train)
    return _scores(test, model.predict_labels(test), model.classes_, model.multilabel_) | {"seconds": seconds}


def score_lda_svm(n_topics: int, options: argparse.Namespace, seed: int, train: Corpus, test: Corpus) -> Figures:
    """Learn topics from words alone, then linear SVMs on documents' shares of topics."""
    began = time.perf_counter()
    model = plait.LDA(n_topics, n_jobs=options.jobs, random_state=seed, verbose=False).fit(train)
    machine = OneVsRestClassifier(LinearSVC(random_state=0))
    if train.is_multilabel:
        names = MultiLabelBinarizer(classes=sorted(train.label_names))
        machine.fit(model.doc_topic_, names.fit_transform(train.labels))
    else:
        machine.fit(model.doc_topic_, train.label_vector())
    seconds = time.perf_counter() - began
    guesses = machine.predict(model.transform(test))
    predicted = names.inverse_transform(guesses) if train.is_multilabel else [(name,) for name in guesses]
    return _scores(test, predicted, train.label_names, train.is_multilabel) | {"seconds": seconds}


def score_tfidf_svm(train: Corpus, test: Corpus, *, sublinear: bool = True) -> Figures:
    """Learn linear SVMs on words weighed by TF-IDF."""
    targets = read_targets(None, len(train), train, min_documents=1)
    began = time.perf_counter()
    multilabel = targets.kind == "multilabel"
    machine = TfidfSVM(sublinear=sublinear).fit(train.counts, targets.classes, targets.signs, multilabel=multilabel)
    seconds = time.perf_counter() - began
    predicted = machine.predict(test.with_vocabulary(train.vocabulary).counts)
    return _scores(test, predicted, targets.classes, multilabel) | {"seconds": seconds}


def _scores(test: Corpus, predicted: Any, classes: Any, multilabel: bool) -> Figures:
    scores = score_labels(test.labels, predicted, classes, multilabel=multilabel)
    return {"accuracy": scores.accuracy, "micro F1": scores.micro_f1, "macro F1": scores.macro_f1}


class Steps(NamedTuple):
    """Seconds of the three steps of a sweep."""

    weights: float
    topics: float
    auxiliaries: float

    @property
    def total(self) -> float:
        """Seconds of the whole sweep."""
        return sum(self)


@dataclass(frozen=True)
class Course:
    """A chain whose sweeps are timed."""

    chain: Chain
    steps: list[Steps]

    def sweep(self, executor: Threads) -> None:
        """Make one sweep as `Chain.sweep` does, and note the seconds of each step."""
        began = time.perf_counter()
        self.chain._draw_responses("weights", executor)
        drawn_weights = time.perf_counter()
        self.chain._draw_topics(executor)
        self.chain.n_sweeps += 1
        drawn_topics = time.perf_counter()
        self.chain._draw_responses("auxiliaries", executor)
        ended = time.perf_counter()
        self.steps.append(Steps(drawn_weights - began, drawn_topics - drawn_weights, ended - drawn_topics))

    def medians(self) -> Steps:
        """Return the median seconds of each step, less the first sweep, which also loads or compiles code."""
        return Steps(*np.median(self.steps[1:], axis=0).tolist())


def make_course(corpus: Corpus, n_topics: int, signs: np.ndarray | None, *, exact: bool, seed: int) -> Course:
    """Return a chain with plait's own settings: of MedLDA for signs (documents × labels), of LDA without."""
    responses = []
    if signs is not None:
        targets = np.where(signs == 0, np.nan, signs.astype(np.float64))
        responses.append(Labels(targets, Hinge(1.0), costs=16.0, exact=exact))
    chain = Chain(
        corpus.counts,
        n_topics,
        mixing=OwnDocument(4.0 / n_topics),
        prior=as_prior(0.01),
        sampler=as_sampler("plain"),
        seed=seed,
        responses=responses,
    )
    return Course(chain, [])


def take_turns(courses: dict[str, Course], n_sweeps: int, jobs: int) -> dict[str, Steps]:
    """Let chains sweep in turns, so that a busy moment of the machine meets them all; return each one's medians."""
    with Threads(jobs) as executor:
        for course in courses.values():
            course.chain.start(executor)
        for _ in range(n_sweeps + 1):
            for course in courses.values():
                course.sweep(executor)
    return {name: course.medians() for name, course in courses.items()}


def options_parser(description: str, topics: list[int] | None, seeds: list[int]) -> argparse.ArgumentParser:
    """Return a parser with the options that all scripts have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=topics, help=f"how many ({_listed(topics)})")
    parser.add_argument("--seeds", type=int, nargs="+", default=seeds, help=f"figures are means ({_listed(seeds)})")
    parser.add_argument("--jobs", type=int, default=2, help="threads; they change times only (2)")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep figures here, and do not measure them again")
    return parser


def _listed(numbers: list[int] | None) -> str:
    return "as the script says" if numbers is None else " ".join(str(number) for number in numbers)


__all__ = [
    "Results",
    "average",
    "fit_seconds",
    "make_course",
    "medlda",
    "options_parser",
    "paper_settings",
    "print_table",
    "say",
    "score_lda_svm",
    "score_medlda",
    "score_tfidf_svm",
    "take_turns",
]
