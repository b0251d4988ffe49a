"""Words, ids and figures as a page shows them: texts of users made safe to write, figures made fit to read."""

from __future__ import annotations

import unicodedata

_LONGEST = 300  # characters of a text that is not the page's own


def shown(text: str) -> str:
    r"""Return a text of the user's without what a page cannot hold, and cut where it is far too long.

    Control characters and halves of characters are written out; everything else, in any script, stays. That `<` is no
    tag is the template's business.

    Examples
    --------
    >>> shown("a\x00b"), shown("x" * 301)[-15:]
    ('a\\x00b', 'x… (301 in all)')
    """
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} in all)"
    if cut.isprintable():
        return cut
    return "".join(
        one.encode("unicode_escape").decode("ascii") if unicodedata.category(one) in ("Cc", "Cs") else one
        for one in cut
    )


def percent(share: float) -> str:
    """Return a share for people.

    Examples
    --------
    >>> percent(0.1234), percent(0.0001)
    ('12.3%', '< 0.1%')
    """
    return "< 0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def figure(value: float) -> str:
    """Return a figure with as many places as are worth reading.

    Examples
    --------
    >>> figure(1234), figure(1234.56), figure(-2.5), figure(0.0123)
    ('1,234', '1,234.6', '−2.5', '0.0123')
    """
    places = ",.0f" if value == int(value) else ",.1f" if abs(value) >= 100 else ".3g"
    return format(value, places).replace("-", "−")


def signed(value: float) -> str:
    """Return a weight with its sign.

    Examples
    --------
    >>> signed(0.5), signed(-12.345)
    ('+0.50', '−12.35')
    """
    return f"{value:+.2f}".replace("-", "−")
