"""Corpora that need no download; each function returns a Corpus.

`installed_packages.py` reads the Python packages of this machine, `python_source.py` parses one of their files.
"""

from __future__ import annotations

from plait.datasets.installed_packages import installed_packages

__all__ = ["installed_packages"]
