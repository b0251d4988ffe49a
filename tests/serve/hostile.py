"""Texts that break careless servers: markup, bidirectional controls, NUL, lone surrogates, very long lines."""

from __future__ import annotations

import random
from collections.abc import Iterator

MARKUP = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</textarea><script>alert(1)</script>",
    "<svg/onload=alert(1)>", "\"><script>alert(1)</script>", "' onmouseover='alert(1)", "{{ 7 * 7 }}", "{% raw %}",
    "<!--", "]]>", "<a href=javascript:alert(1)>x</a>", "&lt;script&gt;", "</div></main></body>", "<style>*{}</style>",
)  # fmt: skip
CHARACTERS = (
    "\x00", "\x00river\x00", "\u202ereversed\u202c", "\u2066\u2067\u2069", "\ufeff", "\ud800", "\udfff\ud800", "\uffff",
    "\u0085\u2028\u2029", "\x1b[31mred", "a\u0300" * 500, "\U0001f9ec" * 500, "\u200b" * 1_000, "\r\n\r\n", "\x7f\x80",
    "ﷺ" * 200, "İ" * 300, "Ω≈ç√∫", "田中さんにあげて下さい", "ثم نفس سقطت", "Z\u0351\u036b\u0343" * 200,
)  # fmt: skip
LARGE = (
    "river " * 100_000,
    "x" * 300_000,
    "a." * 100_000,
    "http://a.b/" * 20_000,
    "-" * 500_000,
    "&#x3c;" * 50_000,
    "five " * 1_000_000,
)
WORDS = ("river", "loan", "bank", "fish", "the", "money", "1993", "l'amour", "...", "\t", "\n")


def hostile_texts(number: int, seed: int = 0) -> Iterator[str]:
    """Yield texts: the fixed ones first, then mixtures of their parts and random characters."""
    fixed = [*MARKUP, *CHARACTERS, *LARGE, "", " "]
    yield from fixed[:number]
    generator = random.Random(seed)
    for _ in range(max(0, number - len(fixed))):
        parts = generator.choices([*MARKUP, *CHARACTERS, *WORDS], k=generator.randint(1, 30))
        noise = "".join(chr(generator.randrange(0x110000)) for _ in range(generator.randint(0, 50)))
        yield generator.choice(("", " ")).join([*parts, noise])
