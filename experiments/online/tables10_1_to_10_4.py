"""Recovery of known topics, and detection of a new one: Tables 10.1 to 10.4 of AlSumait et al. (2010).

    python experiments/online/tables10_1_to_10_4.py

AlSumait, Wang, Domeniconi and Barbará (2010), *Embedding semantics in LDA topic models*, section 10.3.4.
illustration.py has the paper's topics and defines how documents are drawn. β = 0.01, 50 sweeps. α = 0.1 for three
topics; for five it is 50 / K, as was usual then: only then do common words get their own topics.

Tables 10.1 and 10.2: six sets of 16 documents with 16 words on average; three topics. Topics of a set are matched with
the true ones by the largest sum of cosines; counts are averaged over the sets, and each true topic has its cosine with
the average. (The paper's counts sum to 780, three times the words of such a set.)

Tables 10.3 and 10.4: three slices; the third topic appears in the second. The paper does not give the number of
documents per slice; here it is 200, and the last table has other numbers. Three topics are learned to compare with the
truth (at t = 1, where two are true, the best two of the three), five for the illustration, as in the paper. The
distributions of a slice are the prior of the next, as in the paper's formulas; the last table also has counts, which
are OnlineLDA's default. The new topic is found if `emerging()` reports a topic at t = 2 with factory and product, which
only the third topic has, among its new words. (river and debt, which true topics gain at t = 2, may be reported as
well.) Streams are drawn and learned with several seeds; Tables 10.3 and 10.4 are those of the first.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from common import print_table
from illustration import (
    EVENNESS,
    TABLE_10_1,
    TABLE_10_2,
    TABLE_10_3,
    TABLE_10_4,
    WEIGHTS_10_1,
    WEIGHTS_10_3,
    WORDS,
    distributions,
    documents,
)
from scipy.optimize import linear_sum_assignment

import plait
from plait.models.online.answers import EmergingTopic

ALPHA = {3: 0.1, 5: 10.0}
SETTINGS = {"beta": 0.01, "n_sweeps": 50, "tolerance": 0.0, "n_jobs": 1, "verbose": False}
NEW_WORDS = {"factory", "product"}
N_SETS = 6
WANTED = 0.95


def over_words(model: plait.LDA | plait.OnlineLDA, table: np.ndarray) -> np.ndarray:
    """Return a topics × words table with the model's words in the order of the paper."""
    laid = np.zeros((table.shape[0], len(WORDS)))
    laid[:, [WORDS.index(word) for word in model.vocabulary_]] = table
    return laid


def matched(true: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the learned topic that matches each true one, and their cosines."""
    cosines = _unit(true) @ _unit(found).T
    rows, columns = linear_sum_assignment(-cosines)
    return columns, cosines[rows, columns]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def still(n_documents: int) -> None:
    """Print Tables 10.1 and 10.2, the paper's and ours."""
    true = distributions(TABLE_10_1)
    total = np.zeros_like(true)
    for seed in range(N_SETS):
        corpus = documents(TABLE_10_1, WEIGHTS_10_1, n_documents, np.random.default_rng(seed))
        model = plait.LDA(3, alpha=ALPHA[3], random_state=seed, **SETTINGS).fit(corpus)
        shares = model.topic_share_ * corpus.counts.sum()
        counts = over_words(model, model.topic_word_ * shares[:, np.newaxis])
        total += counts[matched(true, counts)[0]] / N_SETS
    cosines = (_unit(true) * _unit(total)).sum(axis=1)
    ours = total / total.sum(axis=1, keepdims=True)
    rows = [
        [word, *(f"{value:.2f}" for value in true[:, column]), *(f"{value:.0f}" for value in TABLE_10_2[column])]
        + [f"{value:.0f}" for value in total[:, column]]
        + [f"{value:.2f}" for value in ours[:, column]]
        for column, word in enumerate(WORDS)
    ]
    rows.append(["cosine", *[""] * 3, *(f"{value:.3f}" for value in paper_cosines()), *[""] * 3])
    rows[-1] += [f"{value:.3f}" for value in cosines]
    heads = [f"{what} {topic}" for what in ("true", "paper's count", "our count", "our share") for topic in (1, 2, 3)]
    print_table(f"Tables 10.1 and 10.2; {N_SETS} sets of {n_documents} documents", ["word", *heads], rows)
    print(f"\nSmallest cosine: {cosines.min():.3f} (wanted: {WANTED})")


def paper_cosines() -> np.ndarray:
    """Return the cosines of the paper's own counts with its true topics."""
    return (_unit(distributions(TABLE_10_1)) * _unit(TABLE_10_2.T.astype(float))).sum(axis=1)


class Course(NamedTuple):
    """Topics learned from a stream, slice by slice."""

    tables: list[np.ndarray]  # topics × words, from the counts of each slice alone
    announced: list[list[EmergingTopic]]
    cosines: list[np.ndarray]  # of each true topic with its match
    own: list[np.ndarray]  # number of each true topic's match

    @property
    def found(self) -> bool:
        """Return whether the third topic is reported when it appears."""
        return any(set(topic.words) >= NEW_WORDS for topic in self.announced[1])


def learn(n_topics: int, n_documents: int, history: str, seed: int, evenness: float) -> Course:
    """Draw the three slices of a stream and learn them in order."""
    rng = np.random.default_rng(seed)
    model = plait.OnlineLDA(
        n_topics, window=1, history_form=history, alpha=ALPHA[n_topics], random_state=seed, **SETTINGS
    )
    course = Course([], [], [], [])
    for number, (table, weights) in enumerate(zip(TABLE_10_3, WEIGHTS_10_3, strict=True)):
        model.partial_fit(documents(table, weights, n_documents, rng, evenness), label=f"t = {number + 1}")
        ours = over_words(model, np.array([model.evolution(topic)[:, -1] for topic in range(n_topics)]))
        own, cosines = matched(distributions(table), ours)
        for kept, value in zip(course, (ours, model.emerging(), cosines, own), strict=True):
            kept.append(value)
    return course


def stream(n_documents: int, evenness: float) -> None:
    """Print Tables 10.3 and 10.4, the paper's and ours."""
    three, five = (learn(n_topics, n_documents, "distributions", 0, evenness) for n_topics in (3, 5))
    rows = []
    for column, word in enumerate(WORDS):
        row = [word]
        for table, ours, own in zip(TABLE_10_3, three.tables, three.own, strict=True):
            true = distributions(table)
            row += [f"{true[k, column]:.2f} / {ours[topic, column]:.2f}" for k, topic in enumerate(own)]
        rows.append(row)
    rows.append(["cosine", *(f"{cosine:.3f}" for cosines in three.cosines for cosine in cosines)])
    heads = [f"t = {t + 1}, topic {k + 1}" for t, cosines in enumerate(three.cosines) for k in range(cosines.size)]
    print_table(f"Table 10.3: true / ours with three topics; {n_documents} documents per slice", ["word", *heads], rows)
    rows = [["paper", str(number + 1), *words] for number, words in enumerate(TABLE_10_4)] + [
        ["ours", str(topic), *(_first_words(table[topic]) for table in five.tables)] for topic in range(5)
    ]
    print_table("Table 10.4: first words of five topics", ["", "topic", "t = 1", "t = 2", "t = 3"], rows)
    for n_topics, course in ((3, three), (5, five)):
        for number, announced in enumerate(course.announced):
            said = "; ".join(str(topic).strip() for topic in announced) or "nothing"
            print(f"\nreported with {n_topics} topics at t = {number + 1}: {said}")


def _first_words(row: np.ndarray) -> str:
    """Return the words with a share of at least 0.1 in a topic, largest first."""
    return " ".join(WORDS[word] for word in np.argsort(-row, kind="stable") if row[word] >= 0.1)


def by_size(sizes: list[int], seeds: range, evenness: float) -> None:
    """Print how often the topics and the new topic are found, by size of the slices."""
    rows = []
    for history in ("distributions", "counts"):
        for size in sizes:
            three = [learn(3, size, history, seed, evenness) for seed in seeds]
            five = [learn(5, size, history, seed, evenness) for seed in seeds]
            worst = np.array([[cosines.min() for cosines in course.cosines] for course in three])
            rows.append(
                [
                    f"{history}, {size} documents",
                    *(f"{np.median(worst[:, t]):.3f} ({worst[:, t].min():.3f})" for t in range(3)),
                ]
                + [f"{(worst.min(axis=1) >= WANTED).sum()} of {len(seeds)}"]
                + [f"{sum(course.found for course in courses)} of {len(seeds)}" for courses in (three, five)]
            )
    heads = ["t = 1", "t = 2", "t = 3", f"all ≥ {WANTED}", "new topic reported, K = 3", "K = 5"]
    print_table(
        f"Smallest cosine of a true topic with three topics, median (worst) of {len(seeds)} streams",
        ["prior", *heads],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=int, default=16, help="documents per set (16)")
    parser.add_argument("--slice", type=int, default=200, help="documents per slice (200)")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=[16, 48, 100, 200],
        help="documents per slice in the last table (16 48 100 200)",
    )
    parser.add_argument("--seeds", type=int, default=20, help="streams per size (20)")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed of these streams (0)")
    parser.add_argument(
        "--evenness", type=float, default=EVENNESS, help=f"concentration of topics in documents ({EVENNESS})"
    )
    options = parser.parse_args()
    still(options.set)
    stream(options.slice, options.evenness)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    by_size(options.sizes, seeds, options.evenness)


if __name__ == "__main__":
    main()
