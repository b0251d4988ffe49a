"""Words of texts: word boundaries, clitics, markup, addresses, mail, numbers; hostile texts are not slow."""

from __future__ import annotations

import time

import pytest

from plait.corpus import Corpus, TextOptions
from plait.corpus.text.analyzers import TextAnalyzer
from plait.corpus.text.cleaning import remove_addresses, remove_mail_noise, remove_markup


def words(text, language="en", **options):
    options = {"stop_words": None, "min_length": 1} | options
    return TextOptions(language=language, **options).words(text)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "A well-known, state-of-the-art idea", ["a", "well", "known", "state", "of", "the", "art", "idea"]),
        ("en", "God's o’neill don’t THEY'LL", ["god", "o'neill", "don't", "they"]),
        ("fr", "L'amour d’une qu'il aujourd'hui", ["amour", "une", "il", "aujourd'hui"]),
        ("it", "dell'arte un'idea", ["arte", "idea"]),
        ("de", "Straße Äpfel Donaudampfschiff", ["straße", "äpfel", "donaudampfschiff"]),
        ("hi", "हिन्दी भाषा में", ["हिन्दी", "भाषा", "में"]),
        ("ar", "السَّلامُ عَلَيْكُم", ["السَّلامُ", "عَلَيْكُم"]),
        ("fa", "می‌خواهم", ["می‌خواهم"]),
        ("ru", "Привет, мир!", ["привет", "мир"]),
        ("el", "Ελλάδα", ["ελλάδα"]),
        ("ko", "안녕하세요 세계", ["안녕하세요", "세계"]),
        ("ca", "col·lecció", ["col·lecció"]),
        (
            None,
            "foo_bar foo/bar foo.bar U.S.A. ﬁsh co\u00adop",
            ["foo", "bar", "foo", "bar", "foo", "bar", "u.s.a.", "fish", "coop"],
        ),
        (None, "🎉 great 👍🏽 day", ["great", "day"]),
    ],
)
def test_word_boundaries(language, text, expected):
    assert words(text, language) == expected


def test_composed_and_decomposed_letters_are_the_same_word():
    assert words("caf\u00e9") == words("cafe\u0301") == ["caf\u00e9"]
    assert words("caf\u00e9 M\u00fcller", accents="strip") == ["cafe", "muller"]


@pytest.mark.parametrize(
    ("text", "dropped", "kept"),
    [
        ("1990 3.5% 1,234.5 12:30", [], ["1990", "3.5", "1,234.5", "12", "30"]),
        ("1st 2nd 1990s 80s 12th", [], ["1st", "2nd", "1990s", "80s", "12th"]),
        ("mp3 3d x86 covid19", ["mp3", "3d", "x86", "covid19"], ["mp3", "3d", "x86", "covid19"]),
        ("½ ² ٣٤", [], None),
    ],
)
def test_numbers(text, dropped, kept):
    assert words(text) == dropped
    if kept is not None:
        assert words(text, numbers="keep") == kept


def test_markup_is_removed_and_entities_are_decoded():
    page = "<html><head><style>p {x: y}</style><SCRIPT>var z</SCRIPT></head><!-- no --><p class='a'>"
    assert words(page + "Fish &amp; ch<b>ip</b>s<br/>caf&eacute;<BP> 3 < 4 > 2</p>") == ["fish", "chips", "café", "bp"]
    assert words("<p>red</p>", html=False) == ["p", "red", "p"]
    assert remove_markup("a < b and <unclosed tag") == "a < b and <unclosed tag"
    assert remove_markup("<!-- never closed") == "<!-- never closed"


def test_addresses_are_removed():
    text = "see https://a.org/x?y=1 www.b.com, (joe.x+y@c.edu) <1993Apr5.09@d.e.com> ftp.uu.net e.com end.The"
    assert words(text) == ["see", "end", "the"]
    assert {"https", "org", "joe", "edu", "ftp"} <= set(words(text, urls="keep"))
    assert remove_addresses("at 10:30 a.m. yes/no") == "at 10:30 a.m. yes/no"


MAIL = """From: joe@a.edu (Joe)
Subject: Re: Mars rover
Article-I.D.: a.1993
Organization: Big University
Lines: 12

In article <1@b.com> jim@b.com (Jim) writes:
>Is the rover red?
M9&%R:R!W92!A<F4@<F5D(&%N9"!B;'5E(&%N9"!G<F5E;B!A;F0@=&AE<F4@
MANY PEOPLE WRITE THIS IN UPPER CASE AND THE LINE IS LONG TOO

Yes: it is.
"""


def test_mail_headers_and_attachments_are_removed_and_quotations_kept():
    kept = "re mars rover is the rover red many people write this in upper case and the line is long too yes it is"
    assert " ".join(words(MAIL)) == kept
    assert "organization" in words(MAIL, urls="keep")
    assert remove_mail_noise("Note: this\nis prose: really") == "Note: this\nis prose: really"


def test_length_and_case():
    assert words("An ox ate hay", min_length=3) == ["ate", "hay"]
    assert words("An Ox", lowercase=False) == ["An", "Ox"]
    assert words("The ox THE", lowercase=False, stop_words=["the"]) == ["ox"]
    assert words("The ox", stop_words=["The"]) == ["ox"], "stop words of any case"
    assert words("Ça là ca", language="fr", accents="strip", stop_words=["ça"]) == ["la"]
    assert TextOptions(language="en").words("An ox ate EU hay") == ["ate", "hay"]
    assert TextOptions(language="zh").resolve([]).min_length == 2


def test_own_tokenizers_get_clean_text():
    options = TextOptions(language="en", tokenizer=lambda text: text.split("|"))
    assert options.words("<b>Red</b>|x|12|the|fox") == ["red", "x", "fox"]


HOSTILE = [
    "a" * 100_000,
    "a." * 50_000,
    "a'" * 50_000,
    "1," * 50_000,
    "a-" * 50_000,
    "<" * 100_000,
    "<a " * 40_000,
    "<!--" * 25_000,
    "<script>" * 12_000,
    "<b>" * 30_000 + "deep" + "</b>" * 30_000,
    "@" * 100_000,
    "a@" * 50_000,
    "&" * 100_000,
    "&amp;" * 20_000,
    "http:" * 20_000,
    "www." * 25_000,
    "From:\n" * 20_000,
    "In article <" * 8_000,
    " writes:" * 12_000,
    "\n>M" * 30_000,
    "\nM" + "A!" * 50_000,
    "\u0301" * 100_000,
    "\u202e\u0000" * 50_000,
    "\ufdfa" * 20_000,
    "ا" * 100_000,
    "\n" * 100_000,
    " " * 100_000,
    "A+/" * 33_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_texts_take_linear_time(number):
    text = HOSTILE[number]
    analyzers = [
        TextAnalyzer(TextOptions(language="en", **options).resolve([]))
        for options in (
            {},
            {"numbers": "keep", "accents": "strip", "phrases": ["a b", "red fox"]},
            {"normalize": "stems"},
        )
    ]
    start = time.process_time()
    for analyze in analyzers:
        analyze(text)
    assert time.process_time() - start < 5, "quadratic time would take minutes"


def test_strange_characters_are_no_words():
    assert words("red\x00fox \u202eblue\u202c \ufeffsea") == ["red", "fox", "blue", "sea"]
    corpus = Corpus.from_texts(["red\x00 \u202efox", "a" * 100_000])
    assert set(corpus.vocabulary) == {"red", "fox", "a" * 100_000}
