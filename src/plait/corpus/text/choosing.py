"""Which text options a reader uses: keywords, ready options, or those of a corpus or model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from plait.corpus.problems import CorpusError
from plait.corpus.text.options import LIMITS, NO_LIMITS, NamedTokenizer, TextOptions

FIELD_NAMES = tuple(one.name for one in fields(TextOptions))


def choose_options(given: Mapping[str, Any], text_options: TextOptions | None = None, like: Any = None) -> TextOptions:
    """Return the options of a reader.

    Parameters
    ----------
    given : mapping of str to object
        Keyword arguments, such as ``{"language": "de"}``; an unknown name raises an error that lists the known ones.
    text_options : TextOptions, optional
        All options at once.
    like : Corpus or fitted model, optional
        What was read before. Its limits (`min_df`, `max_df`, `max_words`, `even_words`) are not repeated, because they
        are about the numbers of its own documents.

    Returns
    -------
    TextOptions
        The options.

    Examples
    --------
    >>> choose_options({"language": "German", "min_df": 2})
    TextOptions(language='de', min_df=2)
    """
    unknown = sorted(set(given) - set(FIELD_NAMES))
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; the options are {', '.join(FIELD_NAMES)}")
    if text_options is None and like is None:
        return TextOptions(**given)
    if text_options is not None and like is not None:
        raise CorpusError("text_options and like are both given; give one of them", parameter="like")
    name = "text_options" if like is None else "like"
    options = _checked(text_options) if like is None else _options_of(like)
    allowed = {"tokenizer"} if like is None else {"tokenizer", *LIMITS}
    wrong = sorted(set(given) - allowed)
    if wrong:
        raise CorpusError(
            f"{wrong[0]} and {name} are both given, but {name} decides how text is read; leave {wrong[0]} out",
            parameter=wrong[0],
        )
    if "tokenizer" in given:
        options = options.with_tokenizer(given["tokenizer"])
    return replace(options, **{limit: given[limit] for limit in LIMITS if limit in given})


def _checked(options: Any) -> TextOptions:
    if not isinstance(options, TextOptions):
        raise CorpusError(
            f"text_options is of the type {type(options).__name__}; give plait.TextOptions(...)",
            parameter="text_options",
        )
    return options


def _options_of(like: Any) -> TextOptions:
    """Return the options of a corpus or a fitted model, without limits."""
    for attribute in ("text_options_", "text_options"):
        if hasattr(like, attribute):
            options = getattr(like, attribute)
            if options is None:
                raise CorpusError(
                    f"like is a {type(like).__name__} whose words came as tokens, counts or a matrix, so it does not "
                    "say how text is read; give text options, such as language=",
                    parameter="like",
                )
            return replace(_checked(options), **NO_LIMITS)
    raise CorpusError(f"like is of the type {type(like).__name__}; give a Corpus or a fitted model", parameter="like")


def same_reading(first: TextOptions | None, second: TextOptions | None) -> TextOptions | None:
    """Return the options of two corpora that are merged; raise an error if they were read differently.

    Parameters
    ----------
    first, second : TextOptions or None
        Options of the two corpora; None for words that came as tokens, counts or a matrix.

    Returns
    -------
    TextOptions or None
        The options of both; None if one of the two has none.
    """
    if first is None or second is None:
        return None
    different = first.differences(second)
    if different:
        raise CorpusError(
            f"the two corpora were read with different text options ({', '.join(different)}), so their words do not "
            "match; read the second one with like=first, such as Corpus.from_texts(texts, like=first)",
            parameter="like",
        )
    # A function in place of its name, if one of them has it.
    return second if isinstance(first.tokenizer, NamedTokenizer) else first
