"""Colours that colour-blind readers can tell apart: categories, and scales from low to high.

The categories are in the order in which neighbours differ most for all common forms of colour blindness; lightness
differs, too. Each has a variant for light and for dark paper.
"""

from __future__ import annotations

CATEGORIES = (
    "#3566b0",
    "#d98200",
    "#117a5b",
    "#b8336a",
    "#5aa9d6",
    "#8a6d00",
    "#7a4fb5",
    "#c0504d",
    "#3d8f8f",
    "#6b7a2a",
)
CATEGORIES_DARK = (
    "#7ba6ea", "#f0a63c", "#3fbf95", "#ee79a5", "#8ccdf2", "#d2b54a", "#b394ea", "#ee8a86", "#6fc7c7", "#aebd62",
)  # fmt: skip
MUTED_COLOUR, MUTED_COLOUR_DARK = "#8b949b", "#7e8890"

# From strongly negative (blue) over 0 to strongly positive (orange), and from 0 to the maximum.
DIVERGING = (
    "#1a4f8f", "#2f6fb3", "#5b95cf", "#94bde3", "#cadff1", "#f3f3f0",
    "#fbdfbb", "#f6bd7c", "#e8953a", "#c46c0e", "#8f4604",
)  # fmt: skip
DIVERGING_DARK = (
    "#a5d0ff", "#7eb3f2", "#5a92d4", "#3f6fa6", "#2e4d70", "#262b30",
    "#5f4423", "#8f6227", "#c3832b", "#eda848", "#ffd08a",
)  # fmt: skip
SEQUENTIAL = (
    "#f1f4f6", "#dde9f2", "#c5dcee", "#a6cbe6", "#82b5da", "#5e9ccb",
    "#4182ba", "#2c69a5", "#1e518b", "#163d6e", "#102c52",
)  # fmt: skip
SEQUENTIAL_DARK = (
    "#22272c", "#26343f", "#2a4154", "#2f516b", "#356283", "#3d759c",
    "#4b8ab5", "#62a1cb", "#82b8dd", "#a9d0ed", "#d4e8f8",
)  # fmt: skip


_PAPER, _INK = "#fdfdfb", "#1d2226"
_OTHERS = {-1: MUTED_COLOUR, -2: _PAPER, -3: _INK}
_OWN_RULES = ".co{--c:var(--plot-paper)}.ci{--c:var(--plot-ink)}"


def colour_of(number: int) -> str:
    """Return the colour of a category on light paper, as hexadecimal RGB.

    Parameters
    ----------
    number : int
        Number of the category; −1 is grey, −2 that of the paper, −3 that of texts. Numbers beyond the last colour start
        again.

    Returns
    -------
    str
        Such as "#3566b0".
    """
    return _OTHERS[number] if number < 0 else CATEGORIES[number % len(CATEGORIES)]


def class_of(number: int) -> str:
    """Return the class of a category in the style rules.

    Parameters
    ----------
    number : int
        Number of the category, as in `colour_of`.

    Returns
    -------
    str
        Such as "c0".

    Examples
    --------
    >>> class_of(0), class_of(-1), class_of(-2), class_of(-3)
    ('c0', 'cm', 'co', 'ci')
    """
    return ("ci", "co", "cm")[number] if number < 0 else f"c{number % len(CATEGORIES)}"


def step_of(value: float, limit: float, scale: str) -> int:
    """Return the number of a value's colour in a scale.

    Parameters
    ----------
    value : float
        The value.
    limit : float
        Value of the last colour.
    scale : {"diverging", "sequential"}
        The scale.

    Returns
    -------
    int
        From 0 to 10.

    Examples
    --------
    >>> step_of(0.0, 2.0, "diverging"), step_of(-9.0, 2.0, "diverging"), step_of(2.0, 2.0, "sequential")
    (5, 0, 10)
    """
    top = len(SEQUENTIAL) - 1
    part = value / limit if limit > 0 else 0.0
    step = (part + 1) / 2 * top if scale == "diverging" else part * top
    return max(0, min(top, round(step)))


def scale_colours(scale: str) -> tuple[str, ...]:
    """Return the colours of a scale on light paper."""
    return DIVERGING if scale == "diverging" else SEQUENTIAL


def style_rules(scope: str = ":root") -> str:
    """Return the colours as style rules: classes `c0`, `c1` … (categories), `d0` … (diverging), `q0` … (sequential).

    Parameters
    ----------
    scope : str, default ":root"
        Selector that gets the colours. With ":root", colours are dark where the reader prefers them.

    Returns
    -------
    str
        CSS.
    """
    light = _variables(CATEGORIES, MUTED_COLOUR, DIVERGING, SEQUENTIAL, (_PAPER, _INK, "#566069", "#dfe2de"))
    dark = _variables(
        CATEGORIES_DARK,
        MUTED_COLOUR_DARK,
        DIVERGING_DARK,
        SEQUENTIAL_DARK,
        ("#16191c", "#e6e8e6", "#a3adb5", "#30363b"),
    )
    rules = [f".c{number}{{--c:var(--c{number})}}" for number in range(len(CATEGORIES))]
    rules += [
        f".plot .{kind}{number}{{fill:var(--{kind}{number})}}" for kind in "dq" for number in range(len(SEQUENTIAL))
    ]
    on_dark = f"@media screen and (prefers-color-scheme:dark){{{scope}{{{dark}}}}}\n" if scope == ":root" else ""
    return f"{scope}{{{light}}}\n{on_dark}.cm{{--c:var(--cm)}}{_OWN_RULES}{''.join(rules)}"


def _variables(
    categories: tuple[str, ...],
    muted: str,
    diverging: tuple[str, ...],
    sequential: tuple[str, ...],
    paper: tuple[str, str, str, str],
) -> str:
    """Return the colours as declarations; `paper` has those of the background, texts, muted texts and lines."""
    named = {"c": categories, "d": diverging, "q": sequential}
    numbered = [f"--{kind}{at}:{colour}" for kind, colours in named.items() for at, colour in enumerate(colours)]
    names = ("--plot-paper", "--plot-ink", "--plot-muted", "--plot-line")
    others = [f"{name}:{colour}" for name, colour in zip(names, paper, strict=True)]
    return ";".join([*numbered, f"--cm:{muted}", *others])
