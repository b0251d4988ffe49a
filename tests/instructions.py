"""Instructions of the processor that NumPy and OpenBLAS may use in tests: those of every x86-64 processor since 2013.

Topics are drawn by kernels that give the same bits on every processor. Sums, logarithms and matrix products of NumPy,
SciPy and OpenBLAS are rounded differently where a processor has AVX-512, so digests of what they compute are made
without it. Import this module before NumPy: both libraries choose their code when they are loaded.
"""

from __future__ import annotations

import os

# Names of NumPy 2.4, then of earlier versions; those that a version does not have are ignored.
_AVX512 = "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_KNL AVX512_KNM AVX512_SKX AVX512_CLX AVX512_CNL"
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", _AVX512)
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
