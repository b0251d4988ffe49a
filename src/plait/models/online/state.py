"""The state of a stream between two slices: a value that is replaced as a whole when a slice was learned."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.models.fitting import Fit
from plait.models.online.consumed import Consumed
from plait.models.online.pending import PendingSlice, format_days, time_span
from plait.models.online.record import KnownWords, Slice
from plait.responses.carried import Carried
from plait.samplers.random import stream_key

# Fields of the state, by the names of the estimator's attributes.
_ATTRIBUTES = {
    "seed_": "seed",
    "slices_": "slices",
    "new_words_": "new_words",
    "consumed_": "consumed",
    "_known_words": "known_words",
    "_past": "past",
    "_opened": "opened",
    "_ahead": "ahead",
    "_carried": "carried",
    "_gathered": "gathered",
}


@dataclass(frozen=True)
class StreamState:
    """What a stream knows besides the topics of the last slice."""

    seed: int
    slices: list[Slice] = field(default_factory=list)
    new_words: list[str] = field(default_factory=list)  # of the last slice
    known_words: KnownWords | None = None  # of all slices; None before the first one
    # Topic–word counts (topics × words) of the last slices: those of the window, and of the slice after it.
    past: list[np.ndarray] = field(default_factory=list)
    # Label, first time and last time of the slice that is being learned; its perplexity, predicted before.
    opened: tuple[str, str | None, str | None] = ("", None, None)
    ahead: float | None = None
    carried: dict[str, Carried] = field(default_factory=dict)  # weights of the responses, by kind
    # Topic proportions of the documents of each slice, and what is known of them, during `fit`.
    gathered: list[tuple[np.ndarray, KnownDocuments]] | None = None
    consumed: Consumed | None = None  # what `plait stream` has read

    @classmethod
    def of(cls, model: Any) -> StreamState:
        """Return the state of a fitted model."""
        known = vars(model)
        return cls(**{name: known[attribute] for attribute, name in _ATTRIBUTES.items() if attribute in known})

    def attributes(self) -> dict[str, Any]:
        """Return the state as attributes of the estimator."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        found = {attribute: values[name] for attribute, name in _ATTRIBUTES.items()}
        if self.consumed is None:  # it is public, and only set by `plait stream`
            del found["consumed_"]
        return found

    @property
    def slice_seed(self) -> int:
        """Seed of the next slice; the first one has that of the stream."""
        number = len(self.slices)
        return self.seed if number == 0 else int(stream_key(self.seed, "slice", number))

    @property
    def n_known_words(self) -> int:
        """Number of known words."""
        return 0 if self.known_words is None else self.known_words.size

    def window_past(self, window: int) -> list[np.ndarray]:
        """Return the topic–word counts that the next slice builds on, oldest first."""
        return self.past[max(len(self.past) - window, 0) :] if window else []

    def open_slice(self, pending: PendingSlice, in_order: bool) -> StreamState:
        """Return the state in which a slice is about to be learned, with its label and time span."""
        begins, ends = time_span(pending.X)
        if in_order and begins is not None:
            before = [one.ends for one in self.slices if one.ends is not None]
            if before and begins < before[-1]:
                raise PlaitError(
                    f"this slice begins on {begins}, before the end of the slice learned last ({before[-1]}); give "
                    "slices in their order, or in_order=False to learn late documents with the present",
                    parameter="in_order",
                )
        label = pending.label or format_days(begins, ends) or f"slice {len(self.slices)}"
        return replace(self, opened=(label, begins, ends))


@dataclass(kw_only=True)
class SliceFit(Fit):
    """The fit of one slice: a fit, the state before it, and whether its columns have names."""

    state: StreamState
    has_feature_names: bool

    @property
    def continues(self) -> bool:
        """Whether it continues an earlier fit: an interrupted one, or that of the slice before."""
        return bool(self.runs) or bool(self.state.slices)
