"""Held-out coherence of topics by text option: how the defaults of `plait.TextOptions` were chosen.

    PLAIT_DATA=... python benchmarks/text_defaults.py
    PLAIT_DATA=... python benchmarks/text_defaults.py --corpora sotu --documents 200 --sweeps 20      a quick run

Every row changes one option of the defaults. An LDA is fitted to raw texts; the judge of judge.py computes the NPMI of
the top 10 words of each topic in held-out texts. Figures are means over topics and seeds.
"""

from __future__ import annotations

import argparse

import numpy as np
from judge import Judge, RawTexts, raw_texts
from tables import print_table, say

import plait

CORPORA = ("20news_bydate", "reuters21578", "wikipedia_vital", "sotu")
OLD = {"html": False, "urls": "keep", "numbers": "keep", "min_length": 2, "min_df": 1, "max_df": 1.0}
CASES: dict[str, dict[str, object]] = {
    "defaults": {},
    "as in version 0.1 (words of 2 characters, English stop words)": OLD,
    "urls='keep'": {"urls": "keep"},
    "html=False": {"html": False},
    "numbers='keep'": {"numbers": "keep"},
    "min_length=2": {"min_length": 2},
    "min_df=1": {"min_df": 1},
    "min_df=2": {"min_df": 2},
    "min_df=5": {"min_df": 5},
    "min_df=10": {"min_df": 10},
    "min_df=20": {"min_df": 20},
    "max_df=1.0": {"max_df": 1.0},
    "max_df=0.5": {"max_df": 0.5},
    "max_df=0.3": {"max_df": 0.3},
    "max_df=0.2": {"max_df": 0.2},
    "max_df=0.1": {"max_df": 0.1},
    "stop_words=None": {"stop_words": None},
    "phrases=True": {"phrases": True},
}


def score(texts: RawTexts, judge: Judge, settings: dict[str, object], options: argparse.Namespace) -> float:
    """Return the mean NPMI of the topics of raw texts that were read with some settings."""
    corpus = plait.Corpus.from_texts(texts.train, on_error="skip", **settings)
    found = []
    for seed in range(options.seeds):
        model = plait.LDA(
            options.topics, alpha=0.1, beta=0.01, tolerance=1e-3, n_sweeps=options.sweeps, random_state=seed,
            verbose=False,
        ).fit(corpus)  # fmt: skip
        top = np.argsort(-model.topic_word_, axis=1)[:, :10]
        found.append(judge.npmi(corpus.vocabulary[top].tolist()).mean())
    return float(np.mean(found))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--sweeps", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    rows: dict[str, list[float]] = {case: [] for case in options.cases}
    for name in options.corpora:
        texts = raw_texts(name, options.documents)
        judge = Judge(texts.held_out)
        for case, scores in rows.items():
            scores.append(score(texts, judge, CASES[case], options))
            say(f"{name}: {case}: {scores[-1]:.3f}")
    cells = [[case, *(f"{one:.3f}" for one in scores), f"{np.mean(scores):.3f}"] for case, scores in rows.items()]
    print_table("NPMI of the top 10 words in held-out texts", ["options", *options.corpora, "mean"], cells)


if __name__ == "__main__":
    main()
