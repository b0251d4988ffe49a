"""Shared by the MedLDA experiments: models to compare, chains with timed steps, command-line options."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

import plait
from plait.baselines import TfidfSVM
from plait.corpus import Corpus
from plait.engine.chain import Chain
from plait.inputs.targets import read_targets
from plait.metrics import score_labels
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Hinge
from plait.responses.linear.targets import ChainTargets
from plait.samplers import as_sampler

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

from benchmarks.tables import print_table
from experiments.folders import folder
from experiments.options import FIXED_PRIORS, base_parser, listed
from experiments.results import Figures, Results, Setting, average
from experiments.timing import Course, fit_seconds, take_turns

# c = 16, ℓ = 1, 40 sweeps, then one sample: section 5.2 of Zhu, Zheng, Zhou and Zhang (2013). "α = 6.4e" is read as a
# sum of 6.4 over all topics. They do not give the number of fold-in sweeps; one sample needs more than an average.
PAPER_SPREAD, PAPER_SWEEPS, PAPER_FOLD_IN_SWEEPS = 6.4, 40, 60


# Topics alone, as in the paper: settings that plait would choose itself have numbers.
_NOT_CHOSEN: Setting = {"c": 16.0, "class_weight": None, "threshold": 0.0, "features": None}


def medlda(n_topics: int, options: argparse.Namespace, seed: int, **parameters: Any) -> plait.MedLDA:
    """Return a MedLDA of topics alone, with plait's defaults for the rest, and the given parameters."""
    settings = _NOT_CHOSEN | parameters
    return plait.MedLDA(n_topics, n_jobs=options.jobs, random_state=seed, verbose=False, **settings)


def paper_settings(n_topics: int) -> Setting:
    """Return the settings of the paper: one sample of one chain."""
    return {
        "alpha": PAPER_SPREAD / n_topics,
        "n_chains": 1,
        "n_sweeps": PAPER_SWEEPS,
        "n_samples": 1,
        "fold_in_sweeps": PAPER_FOLD_IN_SWEEPS,
    }


def score_medlda(model: plait.MedLDA, train: Corpus, test: Corpus) -> Figures:
    """Fit MedLDA to the training documents and score it on the others."""
    seconds = fit_seconds(model, train)
    return _scores(test, model.predict_labels(test), model.classes_, model.multilabel_) | {"seconds": seconds}


def score_lda_svm(n_topics: int, options: argparse.Namespace, seed: int, train: Corpus, test: Corpus) -> Figures:
    """Fit LDA, then linear SVMs on the document–topic distributions."""
    began = time.perf_counter()
    model = plait.LDA(n_topics, n_jobs=options.jobs, random_state=seed, verbose=False, **FIXED_PRIORS).fit(train)
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
    """Fit linear SVMs on TF-IDF."""
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


def make_course(corpus: Corpus, n_topics: int, signs: np.ndarray | None, *, exact: bool, seed: int) -> Course:
    """Return a chain with plait's defaults: of MedLDA for signs (documents × labels), of LDA without."""
    responses = []
    if signs is not None:
        targets = np.where(signs == 0, np.nan, signs.astype(np.float64))
        responses.append(ChainTargets(targets, Hinge(1.0), costs=16.0, exact=exact))
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


def options_parser(description: str, topics: list[int] | None, seeds: list[int]) -> argparse.ArgumentParser:
    """Return a parser with the options that all scripts have."""
    parser = base_parser(description, topics)
    parser.add_argument("--seeds", type=int, nargs="+", default=seeds, help=f"seeds to average over ({listed(seeds)})")
    parser.add_argument("--jobs", type=int, default=2, help="threads; they only change times (2)")
    return parser


__all__ = [
    "PAPER_SPREAD",
    "Figures",
    "Results",
    "Setting",
    "average",
    "fit_seconds",
    "folder",
    "make_course",
    "medlda",
    "options_parser",
    "paper_settings",
    "print_table",
    "score_lda_svm",
    "score_medlda",
    "score_tfidf_svm",
    "take_turns",
]
