"""Base of the lazy samplers: a sweep visits each document a fraction 1/ℓ of the times that a full sweep would.

Bíró and Szabó (2009), section 2.3: words of a document are picked with replacement, in proportion to their counts, so
that frequent words converge first. The paper makes "doclength/ℓ" picks per sweep. In its Table 1 a sweep takes about
75 + 120/ℓ seconds against 190 for limit sampling, which fits the number of distinct words, the default here; the number
of tokens is the literal form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.picking import Picker, build_picker


@dataclass(frozen=True)
class LazySampler(Sampler, ABC):
    """Sampler that visits only a fraction 1/ℓ of a document's words or tokens per sweep.

    Parameters
    ----------
    sparsity : float, default 10.0
        ℓ; at least 1.
    per : {"words", "tokens"}, default "words"
        A document is visited (number of its distinct words) / ℓ times per sweep, or (number of its tokens) / ℓ times.
    """

    sparsity: float = 10.0  # ℓ in Bíró and Szabó (2009), section 2.3
    per: Literal["words", "tokens"] = "words"

    def __post_init__(self) -> None:
        if not 1 <= self.sparsity < np.inf:
            raise ValueError(
                "sparsity must be at least 1 (1 visits a document as often as it has distinct words), "
                f"not {self.sparsity!r}"
            )
        if self.per not in ("words", "tokens"):
            raise ValueError(f"per must be 'words' or 'tokens', not {self.per!r}")

    @property
    def likelihood_window(self) -> int:
        """Number of sweeps over which the likelihood is averaged; a sweep visits only a fraction of the words."""
        return int(10 * self.sparsity)

    def prepare(self, documents: Documents) -> Picker:
        """Return the alias tables from which words are picked."""
        sizes = np.diff(documents.starts if self.per == "words" else documents.offsets)
        return build_picker(documents, sizes / self.sparsity)

    @abstractmethod
    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit each document of the shard as often as `sparsity` and `per` say, rounded up or down at random."""
