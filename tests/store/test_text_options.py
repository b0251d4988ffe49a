"""Text options in model files: stored as plain data, restored exactly, and refused where they are forged."""

from __future__ import annotations

import pytest
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.errors import PlaitError
from plait.store import load, save
from tests.store.forging import forge
from tests.store.small import TEXTS, fitted

OPTIONS = {
    "language": {"language": "de", "stop_words": ["und"]},
    "phrases": {"phrases": ["river bank", "money loan"]},
    "vectorizer": {"tokenizer": CountVectorizer(ngram_range=(1, 2), min_df=1)},
    "limits": {"min_df": 1, "max_df": 0.9, "max_words": 5},
}


def model_with(options):
    corpus = plait.Corpus.from_texts(TEXTS, **options)
    model = fitted(corpus)
    model.text_options_ = corpus.text_options
    return model


@pytest.mark.parametrize("name", OPTIONS)
def test_options_are_restored(tmp_path, name):
    model = model_with(OPTIONS[name])
    again = load(save(model, tmp_path / "model"))
    assert again.text_options_ == model.text_options_
    assert again.text_options_.words(TEXTS[0]) == model.text_options_.words(TEXTS[0])


def test_no_options_are_restored(tmp_path):
    model = fitted(plait.Corpus.from_texts(TEXTS))
    model.text_options_ = None
    assert load(save(model, tmp_path / "model")).text_options_ is None


def test_a_tokenizer_is_stored_by_name(tmp_path):
    again = load(save(model_with({"tokenizer": str.split}), tmp_path / "model"))
    with pytest.raises(PlaitError, match=r"the tokenizer builtins:str\.split; give it again: .*tokenizer=split\)"):
        again.text_options_.words("red fox")
    assert plait.Corpus.from_texts(["red fox"], like=again, tokenizer=str.split).n_words == 2


def change(name, value):
    def changed(manifest, tensors):
        content = manifest["fitted"]["text_options_"]["text_options"]
        if value is None:
            del content[name]
        else:
            content[name] = value

    return changed


FORGED = {
    "another language": change("language", "tlh"),
    "unresolved language": change("language", "auto"),
    "unresolved phrases": change("phrases", True),
    "a path of stop words": change("stop_words", "/etc/passwd"),
    "numbers as stop words": change("stop_words", [1, 2]),
    "missing field": change("html", None),
    "unknown field": change("colour", "red"),
    "a choice that does not exist": change("numbers", "some"),
    "negative length": change("min_length", -1),
    "a share above one": change("max_df", 3.5),
    "a phrase of one word": change("phrases", ["river"]),
    "a tokenizer that is code": change("tokenizer", {"dict": {"code": "import os"}}),
    "a name that is a number": change("tokenizer", {"dict": {"name": 7}}),
    "half of a vectorizer": change("tokenizer", {"dict": {"vectorizer": {"dict": {"analyzer": "word"}}}}),
    "no mapping": lambda manifest, tensors: manifest["fitted"].update({"text_options_": {"text_options": 3}}),
    "no options": lambda manifest, tensors: manifest["fitted"].update({"text_options_": "english"}),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_options_are_refused(tmp_path, name):
    path = save(model_with({}), tmp_path / "model")
    forge(path, FORGED[name])
    with pytest.raises(PlaitError, match="model"):
        load(path)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|aa)+b", r"\w*\w*\w*\w*x", "[", "a" * 300])
def test_a_pattern_that_could_be_slow_is_refused(tmp_path, pattern):
    path = save(model_with(OPTIONS["vectorizer"]), tmp_path / "model")

    def changed(manifest, tensors):
        tokenizer = manifest["fitted"]["text_options_"]["text_options"]["tokenizer"]
        tokenizer["dict"]["vectorizer"]["dict"]["token_pattern"] = pattern

    forge(path, changed)
    with pytest.raises(PlaitError, match="invalid values"):
        load(path)
