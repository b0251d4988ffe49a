"""What the experiments with time and outside knowledge share: where things are, and how figures are kept and shown."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # what others share, when a script is run as it is

from benchmarks.tables import print_table, say
from experiments.folders import folder
from experiments.options import base_parser
from experiments.results import Figures, Results, Setting

__all__ = ["Figures", "Results", "Setting", "base_parser", "folder", "print_table", "say"]
