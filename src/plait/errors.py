"""The errors that plait raises for input that the user can correct."""

from __future__ import annotations

from plait._utils.text import printable


class PlaitError(ValueError):
    """Input that the user can correct: the message says what is wrong, where, and what to do.

    Parameters
    ----------
    *args : object
        The message. Control characters in it, which may come from files, are written out.
    parameter : str, optional
        Name of the parameter that the message is about. The command line uses it to name the option.

    Examples
    --------
    >>> PlaitError("n_topics must be a whole number, 1 or more, not 0", parameter="n_topics").parameter
    'n_topics'
    """

    def __init__(self, *args: object, parameter: str | None = None) -> None:
        super().__init__(*(printable(one, keep="\n\t") if isinstance(one, str) else one for one in args))
        self.parameter = parameter
