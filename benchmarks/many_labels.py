"""A thousand labels: seconds of a MedLDA fit with its defaults and F1, beside TF-IDF + LinearSVC with the same rule.

    python benchmarks/many_labels.py                         1,000 labels, 12,000 documents, 500 words, two threads
    python benchmarks/many_labels.py --methods MedLDA        the time of the fit alone, within a minute

The corpus is made: documents mix themes, a theme has labels of Zipf frequencies (about 15 per document), a label has
words of its own beside those of its theme. The thresholds of both methods are chosen on held-out training documents.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).parents[1]))  # shared modules, when this file is run directly

import plait
from benchmarks.tables import print_table, say
from plait.metrics import choose_thresholds
from plait.models.labelling.folds import make_folds

_N_FOLDS = 3
_TEST_SHARE = 0.2
_THEMES_PER_DOCUMENT, _LABELS_PER_DOCUMENT, _WORDS_PER_DOCUMENT = 2, 15, 20


class Made(NamedTuple):
    """A made corpus."""

    counts: sparse.csr_array  # documents × words
    labels: np.ndarray  # documents × labels, 0 or 1
    n_train: int  # the first documents


def make(n_labels: int, n_documents: int, n_words: int, seed: int) -> Made:
    """Return training documents and a fifth more to test."""
    rng = np.random.default_rng(seed)
    n_themes = max(n_labels // 20, 2)
    theme_words = rng.dirichlet(np.full(n_words, 0.05), n_themes)
    theme_of = rng.integers(n_themes, size=n_labels)
    own_words = rng.dirichlet(np.full(n_words, 0.01), n_labels)
    frequency = 1.0 / (1.0 + rng.permutation(n_labels)) ** 0.8
    label_chances = np.where(theme_of == np.arange(n_themes)[:, np.newaxis], frequency, 0.02 * frequency)
    label_chances /= label_chances.sum(axis=1, keepdims=True)
    theme_chances = np.maximum(np.bincount(theme_of, weights=frequency, minlength=n_themes), 1e-9)
    theme_chances /= theme_chances.sum()
    n_all = n_documents + round(_TEST_SHARE * n_documents)
    counts, labels = np.zeros((n_all, n_words), np.int32), np.zeros((n_all, n_labels), np.int8)
    for row in range(n_all):
        themes = rng.choice(n_themes, _THEMES_PER_DOCUMENT, p=theme_chances)
        given = rng.choice(n_labels, 1 + rng.poisson(_LABELS_PER_DOCUMENT), p=label_chances[themes].mean(axis=0))
        words = 0.5 * theme_words[themes].mean(axis=0) + 0.5 * own_words[given].mean(axis=0)
        labels[row, given] = 1
        counts[row] = rng.multinomial(1 + rng.poisson(_WORDS_PER_DOCUMENT), words / words.sum())
    return Made(sparse.csr_array(counts), labels, n_documents)


def medlda(made: Made, n_topics: int, n_jobs: int) -> tuple[np.ndarray, float]:
    """Return predicted labels of the test documents, and the seconds of the fit."""
    model = plait.MedLDA(n_topics, random_state=0, verbose=False, n_jobs=n_jobs, min_documents=0)
    began = time.perf_counter()
    model.fit(made.counts[: made.n_train], made.labels[: made.n_train])
    seconds = time.perf_counter() - began
    say(str(model.label_choice_))
    return model.predict(made.counts[made.n_train :]), seconds


def tfidf(made: Made, n_topics: int, n_jobs: int) -> tuple[np.ndarray, float]:
    """Return the same of linear SVMs on TF-IDF."""
    from joblib import Parallel, delayed

    began = time.perf_counter()
    weights = TfidfTransformer(sublinear_tf=True)
    known = weights.fit_transform(sparse.csr_matrix(made.counts[: made.n_train]))
    new = weights.transform(sparse.csr_matrix(made.counts[made.n_train :]))
    signs = 2 * made.labels[: made.n_train].astype(np.int64) - 1
    folds = make_folds(signs, _N_FOLDS)
    found = Parallel(n_jobs)(delayed(_scores)(known, new, one, folds) for one in signs.T)
    values, scores = (np.column_stack(part) for part in zip(*found, strict=True))
    predicted = scores > choose_thresholds(values, signs)
    return predicted.astype(int), time.perf_counter() - began


def _scores(known: sparse.csr_matrix, new: sparse.csr_matrix, signs: np.ndarray, folds: np.ndarray) -> tuple:
    """Return held-out scores of the training documents, and scores of new documents."""
    values = np.zeros(signs.size)
    for fold in range(_N_FOLDS):
        rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        values[own] = _machine(known[rest], signs[rest], known[own])
    return values, _machine(known, signs, new)


def _machine(known: sparse.csr_matrix, signs: np.ndarray, new: sparse.csr_matrix) -> np.ndarray:
    if (signs == signs[0]).all():
        return np.full(new.shape[0], float(signs[0]))
    return LinearSVC(random_state=0).fit(known, signs).decision_function(new)


METHODS = {"MedLDA": medlda, "TF-IDF + LinearSVC": tfidf}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=1_000, help="number of labels (1000)")
    parser.add_argument("--documents", type=int, default=12_000, help="training documents (12000)")
    parser.add_argument("--words", type=int, default=500, help="size of the vocabulary (500)")
    parser.add_argument("--topics", type=int, default=40, help="topics (40)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the corpus (0)")
    parser.add_argument("--jobs", type=int, default=2, help="threads of MedLDA, processes of LinearSVC (2)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), help="some methods")
    options = parser.parse_args()
    made = make(options.labels, options.documents, options.words, options.seed)
    n_each = made.labels.sum(axis=0)
    per_document = made.labels.sum() / len(made.labels)
    spread = f"median {np.median(n_each):.0f}, {n_each.min()} to {n_each.max()}"
    say(f"{per_document:.1f} labels per document; documents per label: {spread}")
    small = make(210, 90, 30, 1)
    medlda(small, 2, options.jobs)  # compiles, or loads, the kernels
    rows = []
    true = made.labels[made.n_train :]
    for name in options.methods:
        predicted, seconds = METHODS[name](made, options.topics, options.jobs)
        micro, macro = (f1_score(true, predicted, average=way, zero_division=0) for way in ("micro", "macro"))
        rows.append([name, f"{micro:.4f}", f"{macro:.4f}", f"{seconds:.1f}"])
    title = f"{options.labels:,} labels, {options.documents:,} documents, {options.words} words, {options.jobs} threads"
    print_table(title, ["method", "micro F1", "macro F1", "fit s"], rows)


if __name__ == "__main__":
    main()
