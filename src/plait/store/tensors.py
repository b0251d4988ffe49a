"""Tensors of a file by name, each unpacked once per kind of use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from plait._utils.text import short
from plait.errors import PlaitError

_Value = TypeVar("_Value")
_FREE_BYTES = 1 << 20  # that may be made of the tensors of any file
_MOST_USES = 8  # bytes of values made from tensors, relative to the bytes of all tensors


class Tensors:
    """Arrays of a file, which the manifest may refer to more than once.

    Values with the same use share an array, as they did when they were saved. A value with another use gets a copy: a
    change in place can then never turn the numbers of one value into the indices of another.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays by name.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._arrays = arrays
        self._uses: dict[str, str] = {}  # the first use of each array
        self._made: dict[Any, Any] = {}
        self._n_bytes = 0  # of the arrays that values were made from

    @cached_property
    def _file_bytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())

    def get(self, name: Any, use: str, kinds: str | None = None, ndim: int | None = None) -> np.ndarray:
        """Return an array; raise an error if there is none of the name, type and number of dimensions.

        Parameters
        ----------
        name : object
            Name of the tensor, as the manifest has it.
        use : str
            What the array is used for.
        kinds : str or None, default None
            Accepted kinds of types, as in `dtype.kind`; None for all.
        ndim : int or None, default None
            Number of dimensions; None for any.

        Returns
        -------
        ndarray
            The array.
        """
        if not isinstance(name, str) or name not in self._arrays:
            raise PlaitError(f"there is no tensor {short(repr(name))}")
        array = self._arrays[name]
        if (kinds is not None and array.dtype.kind not in kinds) or (ndim is not None and array.ndim != ndim):
            raise PlaitError(f"{short(name)} has the type {array.dtype} and {array.ndim} dimensions")
        if self._uses.setdefault(name, use) == use:
            return array
        return self.once((name, use), [array], array.copy)

    def once(self, key: Any, arrays: Sequence[np.ndarray], make: Callable[[], _Value]) -> _Value:
        """Return a value that is made from arrays when its key is used first, so that it takes memory once.

        A short manifest could name ever new combinations of large arrays, so there is a limit on all that is made.

        Parameters
        ----------
        key : hashable
            Identifies the value.
        arrays : sequence of ndarray
            The arrays.
        make : callable
            Makes the value.

        Returns
        -------
        object
            The value.
        """
        if key not in self._made:
            self._n_bytes += sum(array.nbytes for array in arrays)
            if self._n_bytes > _FREE_BYTES and self._n_bytes > _MOST_USES * self._file_bytes:
                raise PlaitError("its manifest refers to the same tensors too often")
            self._made[key] = make()
        value: _Value = self._made[key]
        return value
