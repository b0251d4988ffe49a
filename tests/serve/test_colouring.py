"""Words of a text with their topics."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait.corpus import Corpus
from plait.serve.colouring import colour_words


@pytest.fixture(scope="module")
def model():
    texts = ["new york bridge river l'amour", "money loan bank houses"] * 6
    corpus = Corpus.from_texts(texts, language="en", phrases=["new york"])
    return plait.LDA(2, n_sweeps=10, n_samples=1, random_state=0, verbose=False).fit(corpus)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "River",
        "<b>river</b> in New  York, loan's\n\n bank\x00 river",
        "İİİ river",
        "\u202eriver\u202c",
        "zzz",
        "river" * 3,
    ],
)
def test_pieces_are_the_text(model, text):
    pieces = colour(model, text)
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert (piece.topic >= 0) == (piece.word != "")


def test_phrases_and_case(model):
    words = [piece.word for piece in colour(model, "In New York a RIVER; loan's bank") if piece.word]
    assert words == ["new york", "river", "loan", "bank"]


def test_topics_are_the_most_probable_ones(model):
    shares = np.array([0.9, 0.1])
    columns = {word: column for column, word in enumerate(model.vocabulary_)}
    for piece in colour_words(model, "river money", shares, columns):
        if piece.word:
            joint = model.topic_word_[:, columns[piece.word]] * shares
            assert piece.topic == joint.argmax()
            assert piece.probability == pytest.approx(joint.max() / joint.sum())


def colour(model, text):
    columns = {word: column for column, word in enumerate(model.vocabulary_)}
    return colour_words(model, text, np.array([0.5, 0.5]), columns)
