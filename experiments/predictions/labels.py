"""Predicted labels of new documents: MedLDA with its defaults beside simple methods, on all labelled corpora.

    python experiments/predictions/labels.py                        reads the corpora of PLAIT_DATA
    python experiments/predictions/labels.py --prepare FOLDER       writes them as count matrices, and stops
    python experiments/predictions/labels.py --data FOLDER          reads these; needs NumPy, SciPy, scikit-learn, Numba

No setting is chosen on test documents. The thresholds of all methods come from the same rule: the F1 of held-out scores
of training documents (`plait.metrics.choose_thresholds`), where a document may have several labels.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from labelled import CORPORA, Labelled, read, write
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

import plait
from benchmarks.tables import print_table
from experiments.results import Figures, Results, Setting, average
from plait.metrics import choose_thresholds
from plait.models.labelling.folds import make_folds

_N_FOLDS = 3
_MEDLDA: dict[str, dict[str, Any]] = {
    "MedLDA": {},
    "MedLDA, features=None": {"features": None},
}
_METHODS = ["LDA + LinearSVC", "TF-IDF + LinearSVC", *_MEDLDA]


def measure(setting: Setting, folder: Path | None, n_topics: int) -> Figures:
    """Return the scores of one method on one corpus with one seed."""
    corpus = read(setting["corpus"], folder)
    train, test = corpus.split(setting["seed"])
    method, seed = setting["method"], setting["seed"]
    if method in _MEDLDA:
        predicted, seconds, note = _medlda(corpus, train, test, n_topics, seed, _MEDLDA[method])
    else:
        predicted, seconds, note = _linear(corpus, train, test, n_topics, seed, topics=method.startswith("LDA"))
    true = corpus.labels[test].toarray()
    micro, macro = (float(f1_score(true, predicted, average=way, zero_division=0)) for way in ("micro", "macro"))
    return {"micro": micro, "macro": macro, "seconds": seconds} | note


def _medlda(
    corpus: Labelled, train: np.ndarray, test: np.ndarray, n_topics: int, seed: int, parameters: dict[str, Any]
) -> tuple[np.ndarray, float, Figures]:
    """Return predicted labels of the test documents, the seconds of the fit, and what it has chosen."""
    known = corpus.labels[train].toarray()
    y = known if corpus.several else known.argmax(axis=1)
    model = plait.MedLDA(n_topics, min_documents=0, random_state=seed, verbose=False, n_jobs=1, **parameters)
    began = time.perf_counter()
    model.fit(corpus.counts[train], y)
    seconds = time.perf_counter() - began
    guesses = model.predict(corpus.counts[test])
    npmi = float(np.mean(model.coherence(corpus.counts[train])))
    chosen = model.label_choice_
    error = calibration_error(model.predict_proba(corpus.counts[test]), corpus.labels[test].toarray(), corpus.several)
    figures = {"npmi": npmi, "c": chosen.c, "topic share": chosen.topic_share, "calibration": error}
    if corpus.several:
        return guesses, seconds, figures
    return np.eye(known.shape[1], dtype=int)[guesses.astype(int)], seconds, figures


def calibration_error(chances: np.ndarray, true: np.ndarray, several: bool, n_bins: int = 10) -> float:
    """Return the mean distance of probabilities and frequencies in bins of equal size.

    The probabilities are those of the predicted class; of several labels, all that are at least 1 %.
    """
    if several:
        known, right = chances[chances >= 0.01], true[chances >= 0.01]
    else:
        known, right = chances.max(axis=1), true[np.arange(len(true)), chances.argmax(axis=1)]
    bins = np.array_split(np.argsort(known, kind="stable"), n_bins)
    return float(sum(one.size * abs(known[one].mean() - right[one].mean()) for one in bins if one.size) / known.size)


def _linear(
    corpus: Labelled, train: np.ndarray, test: np.ndarray, n_topics: int, seed: int, *, topics: bool
) -> tuple[np.ndarray, float, Figures]:
    """Return predicted labels of linear SVMs on TF-IDF, or on the topics of LDA."""
    began = time.perf_counter()
    if topics:
        lda = plait.LDA(n_topics, random_state=seed, verbose=False, n_jobs=1).fit(corpus.counts[train])
        known: Any = lda.doc_topic_
    else:
        tfidf = TfidfTransformer(sublinear_tf=True)
        known = tfidf.fit_transform(sparse.csr_matrix(corpus.counts[train]))
    signs = 2 * corpus.labels[train].toarray().astype(np.int64) - 1
    machines = [_machine(known, signs[:, label]) for label in range(signs.shape[1])]
    thresholds = np.zeros(signs.shape[1])
    if corpus.several:
        folds, values = make_folds(signs, _N_FOLDS), np.zeros(signs.shape)
        for fold in range(_N_FOLDS):
            rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            for label in range(signs.shape[1]):
                values[own, label] = _machine(known[rest], signs[rest, label])(known[own])
        thresholds = choose_thresholds(values, signs)
    seconds = time.perf_counter() - began
    new = lda.transform(corpus.counts[test]) if topics else tfidf.transform(sparse.csr_matrix(corpus.counts[test]))
    scores = np.column_stack([machine(new) for machine in machines])
    if corpus.several:
        return (scores > thresholds).astype(int), seconds, {}
    return np.eye(scores.shape[1], dtype=int)[scores.argmax(axis=1)], seconds, {}


def _machine(features: Any, signs: np.ndarray) -> Any:
    """Return the decision function of a linear SVM; a constant if all documents have one sign."""
    if (signs == signs[0]).all():
        return lambda new: np.full(new.shape[0], float(signs[0]))
    return LinearSVC(random_state=0).fit(features, signs).decision_function


def main() -> None:
    """Measure what is not stored, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the corpora as count matrices, and stop")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="read the count matrices of --prepare")
    parser.add_argument("--only", nargs="+", choices=list(CORPORA), default=list(CORPORA), help="some corpora")
    parser.add_argument("--methods", nargs="+", choices=_METHODS, default=_METHODS, help="some methods")
    parser.add_argument("--topics", type=int, default=40, help="topics (40)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="seeds to average over (0 1 2)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="store figures here as JSON lines, and reuse them")
    options = parser.parse_args()
    if options.prepare is not None:
        write(options.prepare, options.only)
        return
    settings: list[Setting] = [
        {"corpus": name, "method": method, "seed": seed}
        for seed in options.seeds
        for name in options.only
        for method in options.methods[::-1]
    ]
    _compile()
    results = Results(options.save)
    results.get_all(settings, partial(measure, folder=options.data, n_topics=options.topics), options.jobs)
    rows = []
    for name in options.only:
        for method in options.methods:
            own = [one for one in settings if one["corpus"] == name and one["method"] == method]
            figures = [results.get(one, dict) for one in own]
            mean = average(figures)
            spread = max(one["micro"] for one in figures) - min(one["micro"] for one in figures)
            rows.append(
                [
                    f"{name}: {method}",
                    f"{mean['micro']:.4f}",
                    f"{mean['macro']:.4f}",
                    f"{spread:.4f}",
                    f"{mean['seconds']:.0f}",
                    f"{mean['npmi']:.3f}" if "npmi" in mean else "",
                    " ".join(f"{one['c']:g}" for one in figures) if "c" in mean else "",
                    f"{mean['topic share']:.2f}" if "npmi" in mean else "",
                    f"{mean['calibration']:.3f}" if "calibration" in mean else "",
                ]
            )
    columns = ["corpus: method", "micro F1", "macro F1", "range of micro", "fit s", "NPMI", "c", "topics' share"]
    columns.append("calibration error")
    title = f"Labels of new documents, K = {options.topics}, mean of {len(options.seeds)} seeds"
    print_table(f"{title} (of one class per document, micro F1 is the accuracy)", columns, rows)


def _compile() -> None:
    """Compile and cache the kernels before several processes need them."""
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.5, (90, 20)))
    plait.LDA(2, n_sweeps=2, n_samples=1, random_state=0, verbose=False).fit(counts).transform(counts)
    for y in (np.arange(90) % 3, np.eye(3, dtype=int)[np.arange(90) % 3]):
        model = plait.MedLDA(2, n_sweeps=2, n_samples=1, random_state=0, verbose=False, n_jobs=1).fit(counts, y)
        model.predict(counts)


if __name__ == "__main__":
    main()
