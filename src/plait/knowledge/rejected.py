"""Titles that documents mention and that are not used, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait._utils.arrays import WHOLE, check_array, check_texts


class RejectedTitle(NamedTuple):
    """A title that was not used.

    Attributes
    ----------
    title : str
        The title.
    mentions : int
        Number of documents with the words of the title.
    reason : str
        Why it was not used.

    Examples
    --------
    >>> RejectedTitle("Don (river)", 77, "agreement 0.9, below 2").mentions
    77
    """

    title: str
    mentions: int
    reason: str


@dataclass(frozen=True, eq=False)
class RejectedTitles:
    """A sequence of `RejectedTitle`, ordered by decreasing number of mentions.

    Parameters
    ----------
    titles : ndarray of str
        The titles.
    mentions : ndarray of int
        Number of documents with the words of each title.
    reasons : ndarray of str
        Why each was not used.

    Examples
    --------
    >>> table = RejectedTitles(np.array(["Don (river)"]), np.array([77]), np.array(["agreement 0.9, below 2"]))
    >>> [one.title for one in table]
    ['Don (river)']
    """

    titles: np.ndarray
    mentions: np.ndarray
    reasons: np.ndarray

    def __post_init__(self) -> None:
        check_texts("rejected titles", self.titles, len(self.mentions))
        check_texts("reasons of rejected titles", self.reasons, len(self.mentions))
        check_array("mentions of rejected titles", self.mentions, (len(self.mentions),), WHOLE)

    def __len__(self) -> int:
        return len(self.titles)

    def __getitem__(self, index: int) -> RejectedTitle:
        return RejectedTitle(str(self.titles[index]), int(self.mentions[index]), str(self.reasons[index]))

    def __iter__(self) -> Iterator[RejectedTitle]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"RejectedTitles({len(self):,} titles)"
