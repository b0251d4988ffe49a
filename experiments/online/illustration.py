"""Synthetic topics of section 10.3.4 of AlSumait et al. (2010), Tables 10.1 and 10.3, and documents drawn from them.

Some columns of the paper do not sum to 1, because news and reporter have 0.05 each in addition; here each column is
normalized. The paper does not say how a document's topics are drawn: here its topic distribution is Dirichlet(w), where
w is the weights of the topics times `EVENNESS`, so that most documents are mainly about one topic. Lengths are Poisson,
16 words on average, at least one.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus

EVENNESS = 0.2
WORDS = ["river", "stream", "bank", "money", "loan", "debt", "factory", "product", "labor", "news", "reporter"]
# Words × topics, as printed.
TABLE_10_1 = np.array(
    [
        [0.37, 0, 0],
        [0.41, 0, 0],
        [0.22, 0.28, 0],
        [0, 0.3, 0.07],
        [0, 0.2, 0],
        [0, 0.12, 0],
        [0, 0, 0.33],
        [0, 0, 0.25],
        [0, 0, 0.25],
        [0.05, 0.05, 0.05],
        [0.05, 0.05, 0.05],
    ]
)
WEIGHTS_10_1 = np.array([0.33, 0.34, 0.33])
# Word counts of the topics of Table 10.2, in the order of Table 10.1's topics (T3, T2, T1).
TABLE_10_2 = np.array(
    [
        [78, 0, 0],
        [93, 0, 0],
        [71, 56, 0],
        [0, 103, 0],
        [0, 56, 0],
        [0, 28, 0],
        [0, 0, 85],
        [0, 0, 73],
        [0, 0, 61],
        [15, 19, 3],
        [14, 15, 10],
    ]
)
# Of t = 1, 2 and 3: words × topics, and the weights of the topics. The last epoch is Table 10.1 with other weights.
TABLE_10_3 = [
    np.array(
        [
            [0.2, 0, 0],
            [0.4, 0, 0],
            [0.3, 0.35, 0],
            [0, 0.3, 0],
            [0, 0.25, 0],
            [0, 0, 0],
            [0, 0, 0],
            [0, 0, 0],
            [0, 0, 0],
            [0.05, 0.05, 0],
            [0.05, 0.05, 0],
        ]
    ),
    np.array(
        [
            [0.4, 0, 0],
            [0.2, 0, 0],
            [0.25, 0.36, 0.1],
            [0, 0.24, 0],
            [0.05, 0.22, 0.1],
            [0, 0.08, 0],
            [0, 0, 0.37],
            [0, 0, 0.33],
            [0, 0, 0],
            [0.05, 0.05, 0.05],
            [0.05, 0.05, 0.05],
        ]
    ),
    TABLE_10_1,
]
WEIGHTS_10_3 = [np.array([0.4, 0.6, 0.0]), np.array([0.4, 0.5, 0.1]), np.array([0.3, 0.4, 0.3])]
# The first words of the five topics at t = 1, 2 and 3.
TABLE_10_4 = [
    ("news reporter", "news reporter", "reporter news"),
    ("bank", "bank", "bank"),
    ("money loan", "money loan debt", "money loan debt"),
    ("stream river", "river stream", "river stream"),
    ("bank news", "bank factory production", "production factory labor"),
]


def distributions(table: np.ndarray) -> np.ndarray:
    """Return topics × words, normalized per topic, without empty topics."""
    columns = table[:, table.sum(axis=0) > 0]
    return (columns / columns.sum(axis=0)).T


def documents(
    table: np.ndarray, weights: np.ndarray, n_documents: int, rng: np.random.Generator, evenness: float = EVENNESS
) -> Corpus:
    """Draw documents from the topics of a table, with the given weights of topics.

    Examples
    --------
    >>> documents(TABLE_10_1, WEIGHTS_10_1, 16, np.random.default_rng(0)).counts.shape
    (16, 11)
    """
    proportions = rng.dirichlet(evenness * weights[weights > 0], n_documents)
    lengths = np.maximum(rng.poisson(16, n_documents), 1)
    counts = rng.multinomial(lengths, proportions @ distributions(table))
    return Corpus.from_matrix(sparse.csr_array(counts), vocabulary=WORDS)
