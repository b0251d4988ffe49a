"""Records of a stream: one per slice, and the known words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plait._utils.arrays import WHOLE, check_array, check_texts
from plait.errors import PlaitError


@dataclass(frozen=True, eq=False)
class Slice:
    """Record of one slice of a stream; its size does not depend on the number of documents."""

    kept_in_columns: ClassVar[bool] = True  # in model files, because a stream may have thousands of slices

    number: int  # from 0
    label: str
    begins: str | None  # time of its first document, if documents have times
    ends: str | None
    n_documents: int
    n_tokens: float
    n_new_words: int  # words of no earlier slice
    n_forgotten_words: int  # unseen for `forget_after` slices
    seed: int  # of its chain
    topic_tokens: np.ndarray  # topics: number of tokens
    topic_repeats: np.ndarray  # topics: tokens of the topic per document, Σ_d n_dk² / Σ_d n_dk
    drift: np.ndarray  # topics: total variation distance from the window; NaN where there is no window
    noise: np.ndarray  # topics: drift expected by chance
    novelty: np.ndarray  # topics: share of its tokens that no topics of the window explain, beyond chance
    risen: np.ndarray  # topics × some: the words of this share, most tokens first; "" as filler
    words: np.ndarray  # topics × some: top words of each topic
    probabilities: np.ndarray  # topics × some: of these words
    perplexity: float | None = None  # of its words, predicted before the slice was learned

    @property
    def empty(self) -> bool:
        """Whether it has no words, so that nothing was learned from it."""
        return self.n_tokens == 0

    @property
    def topic_share(self) -> np.ndarray:
        """Share of each topic in its tokens (NaN for an empty slice)."""
        return self.topic_tokens / (self.n_tokens if self.n_tokens else np.nan)

    def check_sizes(self, n_topics: int) -> None:
        """Raise an error unless the arrays have one row per topic: the record may come from a file.

        Parameters
        ----------
        n_topics : int
            Number of topics of the stream.
        """
        if min(self.number, self.n_documents, self.n_tokens, self.n_new_words, self.n_forgotten_words) < 0:
            raise PlaitError(f"slice {self.number} has a negative number of documents, tokens or words")
        for name in ("topic_tokens", "topic_repeats", "drift", "noise", "novelty"):
            check_array(f"{name} of a slice", getattr(self, name), (n_topics,), finite=False)  # NaN is "none"
        check_array("probabilities of a slice", self.probabilities, (n_topics, None), finite=False)
        if self.words.shape != self.probabilities.shape or self.risen.ndim != 2 or len(self.risen) != n_topics:
            raise PlaitError(f"slice {self.number} has top words of another number of topics")
        for name, words in (("words", self.words), ("risen", self.risen)):
            check_texts(f"{name} of a slice", words.reshape(-1), words.size)


@dataclass(frozen=True, eq=False)
class KnownWords:
    """The words of all slices so far, in order of appearance."""

    names: np.ndarray | None  # None for matrices without column names
    last_seen: np.ndarray  # words: number of the last slice that has the word

    @property
    def size(self) -> int:
        """Number of words."""
        return int(self.last_seen.size)

    def check_sizes(self, n_words: int) -> None:
        """Raise an error unless there are at most this many words: the record may come from a file.

        Parameters
        ----------
        n_words : int
            Number of words of the model, which may have learned part of a slice with new words.
        """
        check_array("last_seen of the known words", self.last_seen, (None,), WHOLE, least=0)
        if self.size > n_words:
            raise PlaitError(f"there are {self.size:,} known words, but the model has {n_words:,}")
        if self.names is not None:
            check_texts("names of the known words", self.names, self.size)
