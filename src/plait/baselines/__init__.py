"""Simple strong models that a topic model must stand beside."""

from __future__ import annotations

from plait.baselines.lda_logistic import LdaLogistic
from plait.baselines.link_plsa_lda import LinkPLSALDA
from plait.baselines.lsa_bilinear import LsaBilinear
from plait.baselines.network import LinkBaseline
from plait.baselines.tfidf_cosine import TfidfCosine
from plait.baselines.tfidf_svm import TfidfSVM
from plait.baselines.var_rtm import VarRTM

__all__ = ["LdaLogistic", "LinkBaseline", "LinkPLSALDA", "LsaBilinear", "TfidfCosine", "TfidfSVM", "VarRTM"]
