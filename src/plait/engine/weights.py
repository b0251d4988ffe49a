"""Weights of responses: from sums that come to the chain, or label by label at the workers.

A shard's sums take 4 K² bytes per label, 80 MB for 1,000 topics and 20 labels. Where those of all shards exceed
`LEAST_EXCHANGED_BYTES`, each worker gets the sums of some labels from all shards and draws their weights: the label
partition of Zhu, Zheng, Zhou and Zhang (2013), section 5.4. The chain is sent the weights only. The bits are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.engine.messages import LabelRequest, ResponseRequest
from plait.executors import Executor
from plait.responses.base import ChainResponse
from plait.responses.joining import add_sums
from plait.responses.linear.label_parts import cut_labels, draw_part

LEAST_EXCHANGED_BYTES = 64 << 20


class WeightDraws:
    """Draws the weights of a chain's responses.

    Parameters
    ----------
    responses : sequence of ChainResponse
        The responses.
    executor : Executor
        Has the shards.
    n_shards : int
        Number of shards.
    """

    def __init__(self, responses: Sequence[ChainResponse], executor: Executor, n_shards: int) -> None:
        self._responses = responses
        self._executor = executor
        self._n_shards = n_shards

    def draw(self, request: ResponseRequest) -> None:
        """Draw the weights of some responses.

        Parameters
        ----------
        request : ResponseRequest
            Numbers and keys of the responses.
        """
        divided, joined = self._split(request)
        keys = dict(zip(request.numbers, request.keys, strict=True))
        for number in divided:
            self._responses[number].weights = self._exchange(request, number, keys[number])
        for number, sums in self._sums(request, joined):
            self._responses[number].draw_weights(sums, keys[number], self._executor.map)

    def means(self, request: ResponseRequest) -> list[np.ndarray]:
        """Return the expected weights of some responses.

        Parameters
        ----------
        request : ResponseRequest
            Numbers of the responses.
        """
        divided, joined = self._split(request)
        found = {number: self._exchange(request, number, None) for number in divided}
        for number, sums in self._sums(request, joined):
            found[number] = self._responses[number].mean_weights(sums, self._executor.map)
        return [found[number] for number in request.numbers]

    def _split(self, request: ResponseRequest) -> tuple[list[int], list[int]]:
        """Return the responses whose labels are divided among the workers, and the others."""
        divided = [number for number in request.numbers if self._is_divided(self._responses[number])]
        return divided, [number for number in request.numbers if number not in divided]

    def _is_divided(self, response: ChainResponse) -> bool:
        if not response.divides_labels or self._executor.count_places() == 1:
            return False
        n_labels, n_topics = response.weights.shape
        return n_labels > 1 and self._n_shards * 4 * n_topics**2 * n_labels > LEAST_EXCHANGED_BYTES

    def _exchange(self, request: ResponseRequest, number: int, key: np.uint64 | None) -> np.ndarray:
        response: Any = self._responses[number]
        ranges = cut_labels(len(response.weights), self._executor.count_places())
        message = LabelRequest(request._replace(numbers=[number]), ranges)
        parts = response.label_parts(ranges, key)
        return np.concatenate(self._executor.exchange("label_statistics", message, draw_part, parts))

    def _sums(self, request: ResponseRequest, numbers: Sequence[int]) -> list[tuple[int, tuple[np.ndarray, ...]]]:
        """Return the sums that the weights of some responses depend on, added over the shards in their order."""
        if not numbers:
            return []
        parts = self._executor.each("statistics", request._replace(numbers=numbers))
        return [(number, add_sums([part[place] for part in parts])) for place, number in enumerate(numbers)]
