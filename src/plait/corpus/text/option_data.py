"""Text options as plain data for files, and back. Files may come from strangers: every value is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from plait.corpus.problems import CorpusError
from plait.corpus.text.options import NamedTokenizer, TextOptions, tokenizer_name
from plait.corpus.text.vectorizers import VectorizerWords
from plait.corpus.values import check_text, shown

_MAX_NAME = 1000
_VECTORIZER, _NAME = "vectorizer", "name"


def options_to_dict(options: TextOptions) -> dict[str, Any]:
    """Return options as plain data; see `TextOptions.to_dict`."""
    data = {one.name: getattr(options, one.name) for one in fields(options)}
    if isinstance(data["stop_words"], frozenset):
        data["stop_words"] = sorted(data["stop_words"])
    if isinstance(data["phrases"], tuple):
        data["phrases"] = list(data["phrases"])
    tokenizer = data["tokenizer"]
    if isinstance(tokenizer, VectorizerWords):
        data["tokenizer"] = {_VECTORIZER: tokenizer.to_dict()}
    elif tokenizer is not None:
        data["tokenizer"] = {_NAME: tokenizer_name(tokenizer)}
    return data


def options_from_dict(data: Mapping[str, Any]) -> TextOptions:
    """Return the options of plain data; see `TextOptions.from_dict`."""
    if not isinstance(data, Mapping):
        raise CorpusError(f"the text options are {shown(data)}; give the result of TextOptions.to_dict()")
    known = {one.name for one in fields(TextOptions)}
    unknown = sorted(str(name) for name in data if name not in known)
    if unknown:
        raise CorpusError(f"the text options have {shown(unknown[0])}, which this version of plait does not have")
    values = {"even_words": "keep"} | dict(data)  # earlier versions did not have it
    missing = sorted(known - set(values))
    if missing:
        raise CorpusError(f"the text options have no {missing[0]}")
    stop_words = values["stop_words"]
    # A name or a path would be read from the disk of whoever loads the file.
    if not (
        stop_words is None or isinstance(stop_words, list) or (isinstance(stop_words, str) and stop_words == "auto")
    ):
        raise CorpusError(f'stop_words is {shown(stop_words)}; a file has a list, None or "auto"')
    if not isinstance(values["phrases"], bool | list):
        raise CorpusError(f"phrases is {shown(values['phrases'])}; a file has a list, true or false")
    values["tokenizer"] = _tokenizer(values["tokenizer"])
    return TextOptions(**values)


def _tokenizer(data: Any) -> Any:
    if data is None:
        return None
    if isinstance(data, Mapping) and len(data) == 1:
        if isinstance(data.get(_VECTORIZER), Mapping):
            return VectorizerWords.from_dict(data[_VECTORIZER])
        name = data.get(_NAME)
        if isinstance(name, str) and 0 < len(name) <= _MAX_NAME:
            return NamedTokenizer(check_text(name))
    raise CorpusError(f"tokenizer is {shown(data)}; a file has the settings of a vectorizer or a name")
