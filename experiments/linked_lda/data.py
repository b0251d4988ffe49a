"""Networks for the linked LDA experiments, from the folder that PLAIT_DATA names.

Sources: see experiments/relational/data.py. "webkb text" is webkb with the words of the page texts, which may occur
more than once per page; the other corpora only indicate whether a word occurs. The corpus of Bíró and Szabó (2009),
32,000 labelled sites of WEBSPAM-UK2007, is no longer public.
"""

from __future__ import annotations

from functools import lru_cache

from common import folder

import plait
from plait.corpus import Corpus

CORPORA = ("cora", "citeseer", "webkb", "webkb text")


@lru_cache(maxsize=1)
def load(name: str) -> Corpus:
    """Return a corpus without links from documents to themselves."""
    if name.endswith(" text"):
        return plait.read_corpus(folder(name.removesuffix(" text")), text="text", on_error="skip")
    return plait.read_corpus(folder(name), on_error="skip")
