"""What topics must explain besides words, as a user asks for it: specifications of responses, one file each."""

from __future__ import annotations

from plait.models.explained.base import Explained
from plait.models.explained.carried import Carried
from plait.models.explained.labels import GivenLabels, LabelResponse
from plait.models.explained.links import LinkResponse
from plait.models.explained.values import ValueResponse

EXPLAINED: dict[str, type[Explained]] = {one.kind: one for one in (LabelResponse, ValueResponse, LinkResponse)}

__all__ = ["EXPLAINED", "Carried", "Explained", "GivenLabels", "LabelResponse", "LinkResponse", "ValueResponse"]
