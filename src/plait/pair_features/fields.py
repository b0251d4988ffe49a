"""Fields of documents as pair features: the same value of a field, and nearness in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_above_zero
from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.pair_features.base import PairFeature
from plait.pair_features.network import KnownNetwork, PairBlock

_SECONDS_PER_DAY = 86_400
_FIELDS_HELP = "give a Corpus that has it (read with metadata=[...]), and fit with keep='titles'"


@dataclass(frozen=True)
class SameField(PairFeature):
    """Number of values of a field that both documents have: 1 for the same venue, 2 for two common authors.

    Parameters
    ----------
    field : str, default "label"
        "label", "split" or the name of a metadata field.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> known = KnownDocuments(2, metadata={"venue": np.array(["ICML", "KDD"], dtype=object)})
    >>> network = KnownNetwork(sparse.csr_array(np.eye(2)), sparse.csr_array((2, 2)), known)
    >>> new = KnownDocuments(1, metadata={"venue": np.array(["KDD"], dtype=object)})
    >>> SameField("venue").values(network.new(sparse.csr_array([[1, 0]]), new)).toarray().tolist()
    [[0.0, 1.0]]
    """

    field: str = "label"

    name: ClassVar[str] = "same"

    @property
    def label(self) -> str:
        """Name and field."""
        return f"{self.name}({self.field})"

    def check_network(self, network: KnownNetwork) -> None:
        """Reject documents without the field."""
        _fields(network.documents, self.label).field(self.field)

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the numbers of common values."""
        known = _fields(pairs.network.documents, self.label).field(self.field)
        sources = _fields(pairs.documents, self.label, new=True).field(self.field)
        numbers = {name: number for number, name in enumerate(sorted({one for names in known for one in names}))}
        return sparse.csr_array(_indicators(sources, numbers) @ _indicators(known, numbers).T)


@dataclass(frozen=True)
class DateNearness(PairFeature):
    """Nearness in time: 1 on the same day, 1/2 after `days` days; 0 where a date is unknown.

    Parameters
    ----------
    days : float, default 365.0
        Difference at which the value is 1/2.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> times = np.array(["2001-01-01", "2002-01-01"], dtype="datetime64[s]")
    >>> network = KnownNetwork(
    ...     sparse.csr_array(np.eye(2)), sparse.csr_array((2, 2)), KnownDocuments(2, times=times))
    >>> DateNearness().values(network.known(np.array([0]))).tolist()
    [[1.0, 0.5]]
    """

    days: float = 365.0

    name: ClassVar[str] = "dates"

    @property
    def label(self) -> str:
        """Name and number of days."""
        return f"{self.name}({self.days:g})"

    def check(self) -> None:
        """Reject a number of days that is not above 0."""
        check_above_zero("days", self.days)

    def check_network(self, network: KnownNetwork) -> None:
        """Reject documents without dates."""
        _times(network.documents, self.label)

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the nearness of each pair."""
        known = _times(pairs.network.documents, self.label)
        sources = _times(pairs.documents, self.label, new=True)
        apart = np.abs(sources[:, np.newaxis] - known).astype("timedelta64[s]")
        days = np.where(np.isnat(apart), np.inf, apart.astype(np.float64) / _SECONDS_PER_DAY)
        return 1 / (1 + days / self.days)


def _fields(documents: KnownDocuments | None, label: str, *, new: bool = False) -> KnownDocuments:
    if documents is None:
        which = "new" if new else "training"
        raise PlaitError(f"the pair feature {label} reads a field of the {which} documents, which have none; "
                         + _FIELDS_HELP)  # fmt: skip
    return documents


def _times(documents: KnownDocuments | None, label: str, *, new: bool = False) -> np.ndarray:
    times = _fields(documents, label, new=new).times
    if times is None:
        which = "new" if new else "training"
        raise PlaitError(f"the pair feature {label} needs dates of the {which} documents, which have none; "
                         + _FIELDS_HELP)  # fmt: skip
    return times


def _indicators(values: tuple[tuple[str, ...], ...], numbers: dict[str, int]) -> sparse.csr_array:
    """Return documents × values with 1 for each value that a document has; unknown values are left out."""
    known = [[numbers[one] for one in set(names) if one in numbers] for names in values]
    rows = np.repeat(np.arange(len(known)), [len(one) for one in known])
    columns = np.array([column for one in known for column in one], dtype=np.int64)
    return sparse.csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(known), len(numbers)))
