"""The sampler that a corpus decides: synchronous where it reaches a given quality soonest, otherwise plain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.samplers.base import Sampler
from plait.samplers.plain import Plain
from plait.samplers.synchronous import Synchronous

LEAST_TOKENS = 100_000  # below, synchronous is hardly faster, and plain is exact (benchmarks/plain_synchronous.py)


@dataclass(frozen=True)
class Auto(Plain):
    """Plain sampling, or synchronous sampling for more than 256 topics and at least 100,000 tokens.

    Synchronous is chosen only where it uses lists of topics: β is one number, tokens draw from their own document, and
    there are no responses. The choice depends on the corpus and the model, never on the number of workers.

    Examples
    --------
    >>> Auto().for_corpus(2_000_000, 1000, lists=True)
    Synchronous()
    >>> Auto().for_corpus(2_000_000, 100, lists=True)
    Plain()
    """

    name: ClassVar[str] = "auto"

    def for_corpus(self, n_tokens: float, n_topics: int, *, lists: bool) -> Sampler:
        """Return the sampler of a chain.

        Parameters
        ----------
        n_tokens : float
            Tokens of the corpus.
        n_topics : int
            Number of topics.
        lists : bool
            Whether β is one number, tokens draw from their own document, and there are no responses.

        Returns
        -------
        Sampler
            `Synchronous()` or `Plain()`.
        """
        chosen = Synchronous()
        return chosen if lists and n_tokens >= LEAST_TOKENS and chosen.lists_topics(n_topics) else Plain()
