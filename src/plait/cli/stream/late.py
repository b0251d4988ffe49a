"""What happens to late documents."""

from __future__ import annotations

from enum import StrEnum


class Late(StrEnum):
    """A document from before the slice at hand is an error, left out, or learnt with the present."""

    stop = "stop"
    skip = "skip"
    join_ = "join"
