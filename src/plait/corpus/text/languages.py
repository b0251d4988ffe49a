"""Languages: their names and codes, and the stemmers, lemmas and word splitters that exist for them."""

from __future__ import annotations

import difflib

from plait._utils.wording import how_to_install
from plait.corpus.problems import CorpusError
from plait.corpus.values import shown

INSTALL = how_to_install("text")

# ISO 639-1 code → English name.
LANGUAGES = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "br": "Breton", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
    "gl": "Galician", "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "ka": "Georgian", "ko": "Korean", "ku": "Kurdish", "la": "Latin", "lb": "Luxembourgish", "lt": "Lithuanian",
    "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mr": "Marathi", "ms": "Malay", "ne": "Nepali",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "sq": "Albanian", "sr": "Serbian", "st": "Sesotho",
    "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese", "yi": "Yiddish", "yo": "Yoruba", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
_OTHER_NAMES = {"nb": "no", "nn": "no", "farsi": "fa", "filipino": "tl", "slovene": "sl", "iw": "he", "in": "id"}
_CODE_OF = {name.lower(): code for code, name in LANGUAGES.items()} | _OTHER_NAMES | {code: code for code in LANGUAGES}

# Code → name of the stemmer in snowballstemmer.
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Code → code in simplemma.
LEMMAS = {
    "ar": "ar", "bg": "bg", "ca": "ca", "cs": "cs", "cy": "cy", "da": "da", "de": "de", "el": "el", "en": "en",
    "eo": "eo", "es": "es", "et": "et", "fa": "fa", "fi": "fi", "fr": "fr", "ga": "ga", "gl": "gl", "he": "he",
    "hi": "hi", "hr": "hbs", "hu": "hu", "hy": "hy", "id": "id", "is": "is", "it": "it", "ka": "ka", "la": "la",
    "lb": "lb", "lt": "lt", "lv": "lv", "mk": "mk", "ml": "ml", "ms": "ms", "nl": "nl", "no": "nb", "pl": "pl",
    "pt": "pt", "ro": "ro", "ru": "ru", "sk": "sk", "sl": "sl", "sq": "sq", "sr": "hbs", "sv": "sv", "sw": "sw",
    "tl": "tl", "tr": "tr", "uk": "uk",
}  # fmt: skip

# Languages without spaces between words → the package that splits them.
SEGMENTED = {"ja": "janome", "th": "pythainlp", "zh": "jieba"}


def is_language(name: str) -> bool:
    """Return whether a text is the code or the English name of a language.

    Parameters
    ----------
    name : str
        Such as ``"de"`` or ``"german"``.

    Returns
    -------
    bool
        Whether `language_code` knows it.
    """
    return name.strip().lower() in _CODE_OF


def language_code(name: str, parameter: str = "language") -> str:
    """Return the code of a language.

    Parameters
    ----------
    name : str
        Its ISO 639-1 code or its English name, in any case.
    parameter : str, default "language"
        Name of the parameter, for the error.

    Returns
    -------
    str
        The code, such as ``"de"``.

    Examples
    --------
    >>> language_code("German"), language_code("de")
    ('de', 'de')
    """
    key = name.strip().lower()
    if key in _CODE_OF:
        return _CODE_OF[key]
    close = difflib.get_close_matches(key[:50], _CODE_OF, n=1)
    hint = f' (do you mean "{close[0]}"?)' if close else ""
    raise CorpusError(
        f"{parameter} is {shown(name)}, which is not a known language{hint}; give an ISO 639-1 code such as "
        '"de" or an English name such as "german"',
        parameter=parameter,
    )


def language_name(code: str | None) -> str:
    """Return a language as it is printed.

    Parameters
    ----------
    code : str or None
        Its code; None for an unknown language.

    Returns
    -------
    str
        Such as ``"German (de)"``.
    """
    return "unknown" if code is None else f"{LANGUAGES[code]} ({code})"
