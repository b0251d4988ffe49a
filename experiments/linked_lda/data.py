"""The networks of the experiments with influence, from the folder that PLAIT_DATA names.

Where to get them: experiments/relational/data.py. "webkb text" is webkb with the words of its pages counted anew, so
that a word may stand in a page more than once; the others only say whether it does. The corpus of Bíró and Szabó
(2009), 32,000 labelled sites of WEBSPAM-UK2007, is not public any more.
"""

from __future__ import annotations

from functools import lru_cache

from common import folder

import plait
from plait.corpus import Corpus

CORPORA = ("cora", "citeseer", "webkb", "webkb text")


@lru_cache(maxsize=1)
def load(name: str) -> Corpus:
    """Return a corpus without the links of documents to themselves."""
    if name.endswith(" text"):
        return plait.read_corpus(folder(name.removesuffix(" text")), text="text", on_error="skip")
    return plait.read_corpus(folder(name), on_error="skip")
