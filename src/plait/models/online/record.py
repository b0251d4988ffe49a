"""What a stream keeps of the slices that it has learnt, and of the words that it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True, eq=False)
class Slice:
    """One slice of a stream, as it was when it was learnt; it stays small, however many documents there were."""

    kept_in_columns: ClassVar[bool] = True  # in model files: there may be thousands

    number: int  # from 0
    label: str
    begins: str | None  # the time of its first document, where documents have times
    ends: str | None
    n_documents: int
    n_tokens: float
    n_new_words: int  # that no slice before held
    n_forgotten_words: int  # unseen for so long that they are known no more
    seed: int  # of its chain
    topic_tokens: np.ndarray  # topics: how many words each held
    topic_repeats: np.ndarray  # topics: how many of its words stand together, Σ_d n_dk² / Σ_d n_dk over documents d
    drift: np.ndarray  # topics: share of a topic's words that its window did not expect; NaN where there is none
    noise: np.ndarray  # topics: how large that share would be by chance
    novelty: np.ndarray  # topics: share of its words that no topics of the window account for, beyond chance
    risen: np.ndarray  # topics × some: the words that this share is made of, most first; "" where there are no more
    words: np.ndarray  # topics × some: the first words of each topic
    probabilities: np.ndarray  # topics × some: of these words
    perplexity: float | None = None  # of its words, predicted before they were learnt

    @property
    def empty(self) -> bool:
        """Whether it held no words, so that nothing was learnt of it."""
        return self.n_tokens == 0

    @property
    def topic_share(self) -> np.ndarray:
        """The share of each topic in its words (NaN for an empty slice)."""
        return self.topic_tokens / (self.n_tokens if self.n_tokens else np.nan)


@dataclass(frozen=True, eq=False)
class KnownWords:
    """The words of all slices so far, in the order in which they came."""

    names: np.ndarray | None  # None where documents are rows of a matrix without names
    last_seen: np.ndarray  # words: the number of the last slice that held each

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.last_seen.size)
