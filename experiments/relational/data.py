"""Corpora for the experiments with links, from the folder that PLAIT_DATA names, and their folds.

Sources: cora and citeseer (Sen, Namata, Bilgic, Getoor, Galligher and Eliassi-Rad, 2008) and webkb (Craven et al.,
1998, reduced to 877 pages) are published by LINQS, linqs.org/datasets; cora_rtm is the Cora of the R package lda
(Jonathan Chang), other papers than those of cora and with readable words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import scipy.sparse as sparse
from common import N_FOLDS, folder

import plait
from plait.corpus import Corpus
from plait.metrics import split_documents, undirected_links

CORPORA = ("cora", "webkb", "citeseer")


class Fold(NamedTuple):
    """Training documents, held-out documents, and the links between both."""

    train: Corpus
    test: Corpus
    links: sparse.csr_array  # held-out × training, in either direction


@lru_cache(maxsize=1)
def load(name: str) -> Corpus:
    """Return a corpus without links from documents to themselves (92 in webkb, 124 in citeseer)."""
    return plait.read_corpus(folder(name), on_error="skip")


@lru_cache(maxsize=1)
def load_fold(name: str, number: int, *, inner: bool = False) -> Fold:
    """Return one of five folds of a corpus or, for choosing settings, of its first fold's training documents."""
    corpus = load_fold(name, 0).train if inner else load(name)
    training, held_out = split_documents(len(corpus), N_FOLDS)[number]
    links = undirected_links(corpus.links)[held_out][:, training]
    return Fold(corpus.select(training), corpus.select(held_out), links)
