"""A warning for tables without a header, whose first row was taken as names of columns."""

from __future__ import annotations

import re

from plait._utils.warn import warn_caller
from plait.corpus.readers.records import Source
from plait.corpus.readers.streams import plain_name
from plait.corpus.values import shown

_TABLES = (".csv", ".tsv", ".xlsx", ".ods")
_LONGEST_NAME = 60  # characters; longer names of the text are texts, or questions of a survey
_VALUE = re.compile(r"\d+([.,:/-]\d+)*")  # numbers and dates


def warn_of_missing_header(source: Source) -> None:
    """Warn if the names of the fields that were taken look like values.

    Parameters
    ----------
    source : Source
        What was read.
    """
    path = source.path
    if path is None or not plain_name(path).endswith(_TABLES):
        return
    for choice in source.choices():
        for name in choice.names:
            is_text = choice.role == "text" and len(name) > _LONGEST_NAME and not name.rstrip().endswith("?")
            if choice.role != "sheet" and not choice.named and (is_text or _VALUE.fullmatch(name.strip())):
                warn_caller(
                    f"{source.name}: the first row was taken as names of columns, but {shown(name)} looks like data; "
                    "if it is, add a header row"
                )
                return
