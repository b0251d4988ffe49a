"""Corpora that need no download: each function here returns a Corpus."""

from __future__ import annotations

from plait.datasets.installed_packages import installed_packages

__all__ = ["installed_packages"]
