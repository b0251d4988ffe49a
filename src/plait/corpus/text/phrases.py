"""Phrases: collocations by normalised pointwise mutual information (Bouma, 2009), and the words that they join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

MIN_COUNT = 10
MIN_NPMI = 0.4
_PASSES = 2
_AT_ONCE = 1 << 22  # pairs that are sorted at a time


class PhraseIndex:
    """Joins the phrases in a list of words, the longest first, from left to right.

    Parameters
    ----------
    phrases : iterable of tuple of str
        The words of each phrase.

    Examples
    --------
    >>> PhraseIndex([("new", "york"), ("new", "york", "city")]).join(["the", "new", "york", "city", "new", "york"])
    ['the', 'new york city', 'new york']
    """

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        self._by_first: dict[str, list[tuple[int, list[str], str]]] = {}
        for phrase in sorted(set(phrases), key=lambda words: (-len(words), words)):
            entry = (len(phrase), list(phrase), " ".join(phrase))
            self._by_first.setdefault(phrase[0], []).append(entry)

    def join(self, words: Sequence[str]) -> list[str]:
        """Return the words with every phrase joined by spaces.

        Parameters
        ----------
        words : sequence of str
            Adjacent words.

        Returns
        -------
        list of str
            Words and phrases.
        """
        words = list(words)
        joined: list[str] = []
        by_first = self._by_first
        position = 0
        while position < len(words):
            word = words[position]
            for length, phrase, text in by_first.get(word, ()):
                if words[position : position + length] == phrase:
                    joined.append(text)
                    position += length
                    break
            else:
                joined.append(word)
                position += 1
        return joined


def find_phrases(
    tokens: np.ndarray, words: Sequence[str], min_count: int = MIN_COUNT, min_npmi: float = MIN_NPMI
) -> list[tuple[str, ...]]:
    """Return the phrases in a sequence of words: adjacent words that occur together more often than by chance.

    The first pass joins two words, the second one joins phrases of the first pass with words or with each other.

    Parameters
    ----------
    tokens : int array
        Number of each word in `words`, in the order of the text; negative between words that cannot be joined.
    words : sequence of str
        The words.
    min_count : int, default 10
        Fewest occurrences of a phrase.
    min_npmi : float, default 0.4
        Smallest normalised pointwise mutual information: 0 is chance, 1 is words that only occur together.

    Returns
    -------
    list of tuple of str
        The words of each phrase, sorted.

    Examples
    --------
    >>> tokens = np.array([0, 1, -1, 2, 3, -1, 4, 5, -1] * 10)
    >>> find_phrases(tokens, ["new", "york", "red", "fox", "a b", "c"], min_npmi=0.3)
    [('new', 'york'), ('red', 'fox')]
    """
    usable = np.array([bool(word) and not any(one.isspace() for one in word) for word in words], dtype=bool)
    tokens = np.where((tokens >= 0) & usable[tokens], tokens, -1) if len(words) else tokens
    units: list[tuple[str, ...]] = [(word,) for word in words]
    n_words = len(units)
    for number in range(_PASSES):
        found = _pairs(tokens, len(units), min_count, min_npmi)
        if number:  # pairs of two plain words were rejected before
            found = found[(found >= n_words).any(axis=1)]
        if not len(found):
            break
        tokens = _joined(tokens, found, len(units))
        units += [units[first] + units[second] for first, second in found.tolist()]
    return sorted(set(units[n_words:]))


def _pairs(tokens: np.ndarray, n_units: int, min_count: int, min_npmi: float) -> np.ndarray:
    """Return the pairs of adjacent units that are phrases, as an array of two columns."""
    counts = np.bincount(tokens[tokens >= 0], minlength=n_units)
    total = counts.sum()
    frequent = np.append(counts >= min_count, False)  # the last entry is for -1
    keys = np.empty(0, dtype=np.int64)
    numbers = np.empty(0, dtype=np.int64)
    for start in range(0, max(len(tokens) - 1, 0), _AT_ONCE):
        block = tokens[start : start + _AT_ONCE + 1]
        first, second = block[:-1], block[1:]
        usable = frequent[first] & frequent[second] & (first != second)
        new, times = np.unique(first[usable] * np.int64(n_units) + second[usable], return_counts=True)
        merged, places = np.unique(np.concatenate([keys, new]), return_inverse=True)
        numbers = np.bincount(places, weights=np.concatenate([numbers, times])).astype(np.int64)
        keys = merged
    enough = numbers >= min_count
    keys, numbers = keys[enough], numbers[enough]
    pairs = np.stack([keys // n_units, keys % n_units], axis=1)
    together = numbers / max(total, 1)
    apart = (counts[pairs[:, 0]] / max(total, 1)) * (counts[pairs[:, 1]] / max(total, 1))
    with np.errstate(divide="ignore"):
        npmi = np.log(together / apart) / -np.log(np.minimum(together, 1 - 1e-12))
    return pairs[npmi >= min_npmi]


def _joined(tokens: np.ndarray, pairs: np.ndarray, n_units: int) -> np.ndarray:
    """Return a sequence in which each pair is one unit with a new number; of overlapping pairs, the first one."""
    keys = pairs[:, 0] * np.int64(n_units) + pairs[:, 1]  # sorted
    first, second = tokens[:-1], tokens[1:]
    wanted = np.where((first >= 0) & (second >= 0), first * np.int64(n_units) + second, -1)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    is_pair = keys[places] == wanted
    positions = np.arange(len(is_pair))
    starts = is_pair & ~np.concatenate([[False], is_pair[:-1]])
    run_start = np.maximum.accumulate(np.where(starts, positions, 0))
    taken = is_pair & ((positions - run_start) % 2 == 0)
    joined = tokens.astype(np.int64, copy=True)
    joined[:-1][taken] = n_units + places[taken]
    keep = np.ones(len(tokens), dtype=bool)
    keep[1:][taken] = False
    return joined[keep]
