"""Simulated streams with known changes: constant ones, ones whose themes change, and ones with a new theme.

AlSumait et al. (2010) show emerging topics by examples only. With known changes, false alarms and missed themes can be
counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError

_EVENNESS_OF_WORDS = 0.05  # mean Dirichlet parameter of a word in a theme: a theme has few frequent words
_EVENNESS_OF_THEMES = 0.1  # Dirichlet parameter of a theme in a document
_FLAT_RANKS = 10  # the frequency of the word of rank r is proportional to 1 / (r + this), in all themes together
KINDS = ("still", "swinging", "drifting", "emerging", "fading")


class SimulatedStream(NamedTuple):
    """A stream with known themes.

    Parameters
    ----------
    slices
        Word counts of each slice, documents × words.
    theme_word
        Word distribution of each theme, slices × themes × words.
    theme_share
        Expected share of each theme, slices × themes.
    """

    slices: list[sparse.csr_array]
    theme_word: np.ndarray
    theme_share: np.ndarray


def simulated_stream(
    kind: str = "still",
    n_themes: int = 12,
    n_words: int = 1500,
    n_slices: int = 8,
    documents_a_slice: int = 200,
    words_a_document: int = 60,
    *,
    share: float = 0.1,
    changes: int = 5,
    zipf: bool = True,
    seed: int = 0,
) -> SimulatedStream:
    """Draw a stream of documents.

    Parameters
    ----------
    kind
        "still": themes and shares are constant; "swinging": words are constant, but the share of each theme doubles or
        halves at random from slice to slice; "drifting": a tenth of each theme's words is redrawn in every slice;
        "emerging": a still stream in which a new theme appears; "fading": one in which a theme ends.
    words_a_document
        On average; lengths are geometric, at least 10.
    share, changes
        Share of the theme that appears or ends (the last one), and the number of the slice where it does.
    zipf
        Whether themes share frequent words, as in a language; otherwise all words are equally likely.

    Examples
    --------
    >>> drawn = simulated_stream("emerging", n_slices=3, changes=2, share=0.2)
    >>> len(drawn.slices), drawn.slices[0].shape, drawn.theme_share[:, -1].round(2).tolist()
    (3, (200, 1500), [0.0, 0.0, 0.2])
    >>> bool(abs(drawn.theme_word.sum(axis=2) - 1).max() < 1e-9)
    True
    """
    if kind not in KINDS:
        raise PlaitError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    rng = np.random.default_rng(seed)
    n_all = n_themes + (kind in ("emerging", "fading"))
    frequency = 1 / (np.arange(n_words) + _FLAT_RANKS) if zipf else np.ones(n_words)
    evenness = _EVENNESS_OF_WORDS * n_words * frequency / frequency.sum()
    words = rng.dirichlet(evenness, n_all)
    weights = rng.dirichlet(np.full(n_themes, 5.0))
    slices, theme_word, theme_share = [], [], []
    for number in range(n_slices):
        if kind == "drifting" and number:
            words = 0.9 * words + 0.1 * rng.dirichlet(evenness, n_all)
        shares = weights * (2 ** rng.uniform(-1, 1, n_themes) if kind == "swinging" else 1)
        if n_all > n_themes:
            own = share if (number >= changes) == (kind == "emerging") else 0.0
            shares = np.append(shares * (1 - own), own)
        shares = shares / shares.sum()
        slices.append(_documents(shares, words, documents_a_slice, words_a_document, rng))
        theme_word.append(words)
        theme_share.append(shares)
    return SimulatedStream(slices, np.array(theme_word), np.array(theme_share))


def _documents(
    shares: np.ndarray, words: np.ndarray, n_documents: int, length: int, rng: np.random.Generator
) -> sparse.csr_array:
    """Draw the documents of one slice, with these expected shares of themes."""
    present = shares > 0
    evenness = _EVENNESS_OF_THEMES * present.sum() * shares[present]
    proportions = rng.dirichlet(evenness, n_documents)
    lengths = 10 + rng.geometric(1 / (length - 9), n_documents) - 1
    return sparse.csr_array(rng.multinomial(lengths, proportions @ words[present]))
