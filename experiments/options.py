"""Command-line options that all scripts with stored results have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

FIXED_PRIORS = {"alpha": 0.1, "beta": 0.01, "tolerance": 1e-3}  # of LDA in tables from before priors were learned


def base_parser(description: str, topics: Sequence[int] | None) -> argparse.ArgumentParser:
    """Return a parser with the options --topics and --results."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=topics, help=f"numbers of topics ({listed(topics)})")
    parser.add_argument("--results", type=Path, metavar="FILE", help="store figures here and reuse them")
    return parser


def listed(values: Sequence[object] | None) -> str:
    """Return a default value as text for the help."""
    return "see above" if values is None else " ".join(str(value) for value in values)
