"""Records of a stream: one per slice, and the known words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


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


@dataclass(frozen=True, eq=False)
class KnownWords:
    """The words of all slices so far, in order of appearance."""

    names: np.ndarray | None  # None for matrices without column names
    last_seen: np.ndarray  # words: number of the last slice that has the word

    @property
    def size(self) -> int:
        """Number of words."""
        return int(self.last_seen.size)
