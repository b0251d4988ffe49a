"""What models of one target share: α that suits predictions, and a y that must be given."""

from __future__ import annotations

from typing import Any

from plait.models.responding import RespondingEstimator

_SPREAD = 4.0  # α summed over topics, where alpha is None; chosen on 20 Newsgroups' training documents


class SupervisedEstimator(RespondingEstimator):
    """A topic model whose topics also explain targets; `MedLDA` documents the parameters that all share."""

    @property
    def _alpha(self) -> Any:
        return _SPREAD / self.n_topics if self.alpha is None else self.alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
