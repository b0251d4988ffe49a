"""Warnings that point at the line of the user's code."""

from __future__ import annotations

import sys
import warnings

_INTERNAL = ("plait", "sklearn")  # scikit-learn wraps methods such as `transform`


def warn_caller(message: str) -> None:
    """Warn about the line that called plait, however many functions of plait lie between.

    Parameters
    ----------
    message : str
        The warning.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     warn_caller("the file is old")
    >>> str(found[0].message)
    'the file is old'
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INTERNAL:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
