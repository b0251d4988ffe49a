"""What models answer once they have learnt: a mixin for each kind of thing that topics explain besides words."""

from __future__ import annotations

from plait.models.predictions.availability import explains
from plait.models.predictions.influence import InfluenceAnswers
from plait.models.predictions.labels import LabelPredictions
from plait.models.predictions.links import LinkPredictions
from plait.models.predictions.values import ValuePredictions

__all__ = ["InfluenceAnswers", "LabelPredictions", "LinkPredictions", "ValuePredictions", "explains"]
