"""Frequency limits: which words are kept by the number of documents that they occur in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plait.corpus.problems import CorpusError

AUTO = "auto"
_ONE = " (max_df=1 means one document, 1.0 means all)"
Limit = int | float | str  # a number (int) or share (float) of the documents, or "auto"

# Smallest number of documents → (min_df, max_df) of "auto"; benchmarks/text_defaults.py measures them.
_FEWEST_WORDS = 100  # that the limits of "auto" leave; otherwise they do not apply
_AUTO_LIMITS = ((2000, 10, 0.3), (500, 5, 0.5), (100, 2, 0.5), (0, 1, 1.0))
# Evenly spread words: in more than this share of the documents, with fewer than so many times the tokens of a word that
# falls on documents at random. Words are hardly repeated in short documents, so the rule does not apply there.
_EVEN_SHARE, _EVEN_RATIO = 0.1, 1.6
_EVEN_DOCUMENTS, _EVEN_TOKENS = 2000, 50  # documents, and tokens per document, from which "auto" drops such words


def check_limits(min_df: Limit, max_df: Limit, max_words: int | None, even_words: str = AUTO) -> None:
    """Reject invalid limits before any document is read.

    Parameters
    ----------
    min_df, max_df : int, float or "auto"
        Limits on the number (int) or share (float) of documents.
    max_words : int or None
        Number of words to keep.
    even_words : {"auto", "drop", "keep"}, default "auto"
        Whether evenly spread words are kept.
    """
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        is_share = isinstance(value, float) and 0.0 <= value <= 1.0
        if not is_number and not is_share and value != AUTO:
            raise CorpusError(
                f'{name} is {value!r}; give a number of documents (int), a share from 0.0 to 1.0, or "auto"',
                parameter=name,
            )
    if max_words is not None and (isinstance(max_words, bool) or not isinstance(max_words, int) or max_words < 1):
        raise CorpusError(f"max_words is {max_words!r}; give an integer of at least 1, or None", parameter="max_words")
    if not isinstance(even_words, str) or even_words not in (AUTO, "drop", "keep"):
        raise CorpusError(f'even_words is {even_words!r}; give one of "auto", "drop", "keep"', parameter="even_words")


@dataclass(frozen=True)
class WordFrequencies:
    """Number of tokens and of documents of each word of a vocabulary.

    Parameters
    ----------
    words : object array of str
        The vocabulary.
    totals : array
        Number of tokens of each word.
    documents : int array
        Number of documents in which each word occurs.
    n_documents : int
        Number of all documents.
    """

    words: np.ndarray
    totals: np.ndarray
    documents: np.ndarray
    n_documents: int

    def keep(
        self,
        stop_words: frozenset[str] = frozenset(),
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_words: int | None = None,
        even_words: str = "keep",
    ) -> np.ndarray:
        """Return which words are kept; if no word is, raise an error that names the limits.

        Parameters
        ----------
        stop_words : frozenset of str, default frozenset()
            Words to remove.
        min_df, max_df : int or float, default 1 and 1.0
            Limits on the number (int) or share (float) of documents.
        max_words : int or None, default None
            Number of words to keep, the most frequent ones; None for all.
        even_words : {"drop", "keep"}, default "keep"
            Whether evenly spread words are kept.

        Returns
        -------
        bool array
            True for words that are kept.
        """
        keep = np.ones(len(self.words), dtype=bool)
        removed_by: list[tuple[int, str]] = []

        def drop(unwanted: np.ndarray, limit: str) -> None:
            n_removed = int(np.count_nonzero(keep & unwanted))
            keep[unwanted] = False
            if n_removed:
                removed_by.append((n_removed, limit))

        if stop_words:
            drop(np.fromiter((word in stop_words for word in self.words), bool, len(keep)), "stop_words")
        drop(self.documents < self._number(min_df), f"min_df={min_df}")
        drop(self.documents > self._number(max_df), f"max_df={max_df}")
        if even_words == "drop":
            drop(self._even(), "even_words='drop'")
        if not keep.any():
            only = len(removed_by) == 1
            limits = removed_by[0][1] if only else ", ".join(f"{limit} ({number:,})" for number, limit in removed_by)
            raise CorpusError(
                f"no words are left: all {len(keep):,} words were removed by {limits}; relax "
                f"{'it' if only else 'them'}{_ONE if isinstance(max_df, int) and max_df == 1 else ''}",
                kind="empty vocabulary",
                parameter=limits.partition("=")[0] if only else None,
            )
        if max_words is not None and np.count_nonzero(keep) > max_words:
            candidates = np.flatnonzero(keep)
            ranked = candidates[np.argsort(-self.totals[candidates], kind="stable")]
            keep[ranked[max_words:]] = False
        return keep

    def resolve(
        self, min_df: Limit, max_df: Limit, even_words: str, from_text: bool
    ) -> tuple[int | float, int | float, str]:
        """Return the limits that "auto" stands for.

        Parameters
        ----------
        min_df, max_df : int, float or "auto"
            The limits.
        even_words : {"auto", "drop", "keep"}
            Whether evenly spread words are kept. "auto" keeps them where `max_df` is given.
        from_text : bool
            Whether the words come from text. Tokens and counts have no limits by default, and neither has a vocabulary
            of which the limits would leave fewer than 100 words.

        Returns
        -------
        tuple of (int or float, int or float, str)
            The two limits as numbers, and "drop" or "keep".
        """
        few, many = (1, 1.0)
        if from_text:
            _, few, many = next(limits for limits in _AUTO_LIMITS if self.n_documents >= limits[0])
        left = (self.documents >= self._number(few)) & (self.documents <= self._number(many))
        is_small = np.count_nonzero(left) < _FEWEST_WORDS
        if is_small:
            few, many = (1, 1.0)
        if even_words == AUTO:
            is_long = self.n_documents >= _EVEN_DOCUMENTS and self.totals.sum() >= _EVEN_TOKENS * self.n_documents
            even_words = "drop" if from_text and max_df == AUTO and is_long and not is_small else "keep"
        return few if isinstance(min_df, str) else min_df, many if isinstance(max_df, str) else max_df, even_words

    def _even(self) -> np.ndarray:
        """Return which words are common and spread evenly over the documents.

        A word of a share p of the documents has -log(1 - p) tokens per document if its tokens fall on documents at
        random (a Poisson distribution). A word that documents are about is repeated in them and has more.
        """
        share = np.minimum(self.documents / max(1, self.n_documents), 0.999)
        expected = -np.log1p(-share) * self.n_documents
        even: np.ndarray = (share > _EVEN_SHARE) & (self.totals < _EVEN_RATIO * expected)
        return even

    def _number(self, limit: int | float) -> float:
        return limit * self.n_documents if isinstance(limit, float) else limit
