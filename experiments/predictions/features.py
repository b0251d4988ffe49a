"""Values predicted from words, from features of the documents, and from both.

    python experiments/predictions/features.py                        State of the Union addresses and a planted corpus
    python experiments/predictions/features.py --only planted         without PLAIT_DATA

Addresses: the value is the year; the features are the logarithm of the number of words, words per sentence, letters
per word, and whether the address was written. None of them is in the topic proportions of a document. Planted: the
value is the mean weight of a document's tokens over four topics plus 2 times a covariate plus noise; the covariate is
correlated with one of the topics. R² of 5-fold predictions. Ridge regressions choose their penalty on the training
documents; TF-IDF is scikit-learn's, with logarithms of counts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

import plait
from benchmarks.tables import print_table

PENALTIES = np.logspace(-3, 4, 15)
CORPORA = ("addresses", "planted")


def read_addresses() -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return counts, features and years of the addresses."""
    (path,) = Path(os.environ["PLAIT_DATA"], "sotu").glob("documents.jsonl*")
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    records = [json.loads(line) for line in content.splitlines()]
    corpus = plait.Corpus.from_texts([one["text"] for one in records], keep_empty=True)
    features = []
    for one in records:
        words = re.findall(r"[A-Za-z']+", one["text"])
        sentences = max(1, len(re.findall(r"[.!?](?:\s|$)", one["text"])))
        letters = sum(map(len, words)) / len(words)
        features.append([np.log(len(words)), len(words) / sentences, letters, float(one.get("kind") == "written")])
    years = np.array([float(one["date"][:4]) for one in records])
    return sparse.csr_array(corpus.counts), np.array(features), years


def plant(seed: int, n_documents: int = 400, length: int = 60) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return counts, features and values of a planted corpus."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(200, 0.05), 4)
    shares = rng.dirichlet(np.full(4, 0.4), n_documents)
    counts = np.array([rng.multinomial(length, row @ topics) for row in shares])
    covariate = 2.0 * shares[:, 0] + rng.normal(size=n_documents)
    noise = rng.normal(size=(n_documents, 2))
    values = shares @ [-4.0, -1.0, 1.0, 4.0] + 2.0 * covariate + 0.5 * noise[:, 0]
    return sparse.csr_array(counts), np.column_stack([covariate, noise[:, 1]]), values


def measure(
    corpus: tuple[sparse.csr_array, np.ndarray, np.ndarray], n_topics: int, seed: int, n_chains: int, n_folds: int
) -> dict[str, float]:
    """Return R² of every method over the test parts of all folds."""
    counts, features, values = corpus
    tfidf = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    found = {name: np.zeros(values.size) for name in METHODS}
    for train, test in KFold(n_folds, shuffle=True, random_state=seed).split(values):
        mean, spread = features[train].mean(axis=0), np.maximum(features[train].std(axis=0), 1e-12)
        scaled = (features - mean) / spread
        designs = {
            METHODS[0]: scaled,
            METHODS[1]: tfidf,
            METHODS[2]: sparse.csr_array(sparse.hstack([tfidf, scaled])),
        }
        for name, design in designs.items():
            found[name][test] = RidgeCV(PENALTIES).fit(design[train], values[train]).predict(design[test])
        common = {"n_topics": n_topics, "n_chains": n_chains, "random_state": seed, "verbose": False}
        words = plait.SupervisedLDA(**common).fit(counts[train], values[train])
        found[METHODS[3]][test] = words.predict(counts[test])
        both = plait.SupervisedLDA(**common, features=features[train]).fit(counts[train], values[train])
        found[METHODS[4]][test] = both.predict(counts[test], features=features[test])
    return {name: r2_score(values, predicted) for name, predicted in found.items()}


METHODS = (
    "features, ridge",
    "TF-IDF, ridge",
    "TF-IDF and features, ridge",
    "words, SupervisedLDA",
    "words and features, SupervisedLDA",
)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA), help="some corpora")
    parser.add_argument("--topics", type=int, default=20, help="topics (20)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="seeds of folds and chains (0 1 2)")
    parser.add_argument("--chains", type=int, default=4, help="chains (4)")
    parser.add_argument("--folds", type=int, default=5, help="folds (5)")
    arguments = parser.parse_args()
    rows: dict[str, list[str]] = {name: [name] for name in METHODS}
    for name in arguments.only:
        found = [
            measure(
                read_addresses() if name == "addresses" else plant(seed),
                arguments.topics,
                seed,
                arguments.chains,
                arguments.folds,
            )
            for seed in arguments.seeds
        ]
        for method in METHODS:
            each = [one[method] for one in found]
            rows[method].append(f"{np.mean(each):.3f} ± {np.std(each):.3f}" if len(each) > 1 else f"{each[0]:.3f}")
    print_table("R² of values of new documents", ["method", *arguments.only], list(rows.values()))


if __name__ == "__main__":
    main()
