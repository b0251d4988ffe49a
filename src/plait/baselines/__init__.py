"""Baselines: models to compare topic models with.

Labels: `tfidf_svm.py`, `expected_medlda.py` (with `expected_medlda_kernels.py`). Links: `tfidf_cosine.py`,
`knn_votes.py`, `lsa_bilinear.py`, `lda_logistic.py` (the last two with `pair_logistic.py`), `var_rtm.py` (with
`var_rtm_documents.py`) and `link_plsa_lda.py` (with `link_plsa_lda_sides.py` and `link_plsa_lda_cited.py`). Time of
LDA: `fast_gibbs.py` (with `fast_gibbs_sweep.py`). `network.py` and `citations.py` read their input; `variational.py` is
shared by the variational models.
"""

from __future__ import annotations

from plait.baselines.expected_medlda import ExpectedMedLDA
from plait.baselines.fast_gibbs import FastGibbsLDA
from plait.baselines.knn_votes import KnnVotes
from plait.baselines.lda_logistic import LdaLogistic
from plait.baselines.link_plsa_lda import LinkPLSALDA
from plait.baselines.lsa_bilinear import LsaBilinear
from plait.baselines.network import LinkBaseline
from plait.baselines.tfidf_cosine import TfidfCosine
from plait.baselines.tfidf_svm import TfidfSVM
from plait.baselines.var_rtm import VarRTM

__all__ = [
    "ExpectedMedLDA",
    "FastGibbsLDA",
    "KnnVotes",
    "LdaLogistic",
    "LinkBaseline",
    "LinkPLSALDA",
    "LsaBilinear",
    "TfidfCosine",
    "TfidfSVM",
    "VarRTM",
]
