"""Pair features: what is known of a pair of documents beside their topics.

`base.py` is the contract, `network.py` has the known documents and blocks of pairs. One file per subject: `text.py`
(words, also of neighbours), `latent.py` (latent dimensions of words), `words.py` (rare words, words that linked
documents share), `likelihood.py` (probability of the source's words in a document and its neighbours), `votes.py`
(links of similar documents), `links.py` (degrees and common neighbours), `fields.py` (metadata and dates),
`matrices.py` (the user's own). `choosing.py` reads the parameter of models, `combining.py` learns the weights of topics
and features, and `examples.py` the pairs that they are learned from.
"""

from __future__ import annotations

from plait.pair_features.base import PairFeature
from plait.pair_features.choosing import AUTO, FEATURES, fitted_features, read_features
from plait.pair_features.combining import PairWeights
from plait.pair_features.fields import DateNearness, SameField
from plait.pair_features.latent import LatentCosine, LatentLabels, LatentVotes
from plait.pair_features.likelihood import QueryLikelihood
from plait.pair_features.links import CommonNeighbours, Popularity, PreferentialAttachment
from plait.pair_features.matrices import PairMatrix
from plait.pair_features.network import KnownNetwork, PairBlock
from plait.pair_features.text import NeighbourCosine, RelativeCosine, TextCosine
from plait.pair_features.votes import BestVote, NeighbourVotes, SharpVotes
from plait.pair_features.words import LinkWords, RareWords

__all__ = [
    "AUTO",
    "FEATURES",
    "BestVote",
    "CommonNeighbours",
    "DateNearness",
    "KnownNetwork",
    "LatentCosine",
    "LatentLabels",
    "LatentVotes",
    "LinkWords",
    "NeighbourCosine",
    "NeighbourVotes",
    "PairBlock",
    "PairFeature",
    "PairMatrix",
    "PairWeights",
    "Popularity",
    "PreferentialAttachment",
    "QueryLikelihood",
    "RareWords",
    "RelativeCosine",
    "SameField",
    "SharpVotes",
    "TextCosine",
    "fitted_features",
    "read_features",
]
