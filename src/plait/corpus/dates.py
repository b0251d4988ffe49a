"""Formats of dates that are text: guessed from values, and checked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from plait.corpus.problems import CorpusError
from plait.corpus.values import shown

# The most likely first. Where the order of day and month is open, the larger part of the world writes the day first.
_DAYS = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d-%m-%y",
    "%d. %B %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%a, %d %b %Y",
    "%m/%Y",
    "%m.%Y",
    "%B %Y",
    "%b %Y",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", ", %H:%M", ", %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S %z")
_FORMATS = tuple(day + time for day in _DAYS for time in _TIMES)
_LEAST_SHARE = 0.95  # of the values that a format must read


def guess_date_formats(values: Iterable[str]) -> list[str]:
    """Return the formats that read nearly all of some dates, the most likely first.

    Parameters
    ----------
    values : iterable of str
        The dates as text.

    Returns
    -------
    list of str
        Formats of `datetime.datetime.strptime`; more than one if the order of day and month is open.

    Examples
    --------
    >>> guess_date_formats(["31.05.2024", "02.06.2024"]), guess_date_formats(["01/02/2024"])
    (['%d.%m.%Y'], ['%d/%m/%Y', '%m/%d/%Y'])
    """
    texts = [text for value in values if (text := value.strip())]
    if not texts:
        return []
    need = _LEAST_SHARE * len(texts)
    candidates = [form for form in _FORMATS if any(_reads(form, text) for text in texts[:20])]
    n_read = {form: sum(_reads(form, text) for text in texts) for form in candidates}
    good = [form for form in candidates if n_read[form] >= need]
    # A format that reads more of the values is the right one: only one order of day and month reads 31/05/2024.
    return [form for form in good if n_read[form] == max(n_read[one] for one in good)]


def _reads(format: str, text: str) -> bool:
    try:
        datetime.strptime(text, format)
    except ValueError:
        return False
    return True


def check_date_format(format: str | None) -> None:
    """Raise an error for a format that cannot read dates.

    Parameters
    ----------
    format : str or None
        A format of `datetime.datetime.strptime`; None for ISO dates and years.

    Examples
    --------
    >>> check_date_format("%d.%m.%Y")
    """
    if format is None:
        return
    try:
        day = datetime(2001, 2, 3, 4, 5, 6)
        valid = datetime.strptime(day.strftime(format), format).year == day.year
    except (ValueError, TypeError):
        valid = False
    if not valid:
        raise CorpusError(
            f"date_format is {shown(format)}; give a format with a year such as %d.%m.%Y (%d day, %m month, %Y year)",
            parameter="date_format",
        )
