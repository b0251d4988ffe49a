"""Raw corpora give clean words without any option."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait.corpus import read_corpus

DATA = os.environ.get("PLAIT_DATA", "")

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA, reason="PLAIT_DATA does not name a folder of corpora")]


@pytest.fixture(scope="module")
def newsgroups():
    return read_corpus(Path(DATA, "20news_bydate"), on_error="skip")


def test_newsgroups_have_no_fragments_hosts_and_numbers(newsgroups):
    words = set(newsgroups.vocabulary)
    assert not {"cx", "w7", "mv", "uw", "ax", "max'ax", "34u", "1d9", "g9v", "1993"} & words
    assert not [word for word in words if word[0].isdigit() and sum(map(str.isdigit, word)) > len(word) / 2]
    assert not [word for word in words if "@" in word or "/" in word]
    assert newsgroups.text_options.language == "en"
    assert {"space", "god", "hockey", "windows"} <= words


def test_most_tokens_of_newsgroups_are_kept(newsgroups):
    assert len(newsgroups) >= 18_800
    assert newsgroups.n_tokens > 1_500_000
