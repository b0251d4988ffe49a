"""Topics of a stream of documents: one model that learns slice after slice.

`estimator.py` is `OnlineLDA`, `learning.py` learns a slice, `state.py` is the state between two slices, `pending.py`
cuts a collection into slices, `growing.py` aligns a slice with the known words, `closing.py` and `evolution.py` compute
what is kept of a slice, `record.py` defines it, `answers.py` and `methods.py` say what changed, `consumed.py` is for
`plait stream`; `counts.py` has the topic–word counts of a slice; `editing.py` merges, drops and splits topics.
"""

from __future__ import annotations

from plait.models.online.consumed import Consumed, Taken, Waiting
from plait.models.online.estimator import OnlineLDA
from plait.models.online.record import KnownWords, Slice

__all__ = ["Consumed", "KnownWords", "OnlineLDA", "Slice", "Taken", "Waiting"]
