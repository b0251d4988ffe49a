"""Forms of pages: fields sent as application/x-www-form-urlencoded."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from plait.serve.errors import RequestError


def read_form(body: bytes, longest: Mapping[str, int]) -> dict[str, str]:
    """Return the fields of a form; a missing field is empty.

    Parameters
    ----------
    body : bytes
        Body of the request.
    longest : mapping of str to int
        Names of the fields, and the most characters of each.

    Returns
    -------
    dict of str to str
        The fields.

    Examples
    --------
    >>> read_form(b"name=outer+space&other=1", {"name": 50})
    {'name': 'outer space'}
    """
    try:
        pairs = parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, errors="replace", max_num_fields=20)
    except ValueError as error:
        raise RequestError(422, "the form has too many fields; send it from the page itself") from error
    fields = dict.fromkeys(longest, "") | {name: value for name, value in pairs if name in longest}
    for name, value in fields.items():
        if len(value) > longest[name]:
            raise RequestError(422, f"{name} has {len(value):,} characters, and at most {longest[name]:,} are allowed")
    return fields
