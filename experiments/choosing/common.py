"""Shared by the experiments on the number of topics: stored figures, tables."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

from benchmarks.tables import print_table, say
from experiments.options import base_parser
from experiments.results import Figures, Results, Setting

__all__ = ["Figures", "Results", "Setting", "base_parser", "print_table", "say"]
