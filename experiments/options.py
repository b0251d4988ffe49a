"""Command-line options that all scripts with stored results have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def base_parser(description: str, topics: Sequence[int] | None) -> argparse.ArgumentParser:
    """Return a parser that knows numbers of topics and where results are kept."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=topics, help=f"how many ({listed(topics)})")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep figures here, and do not measure them again")
    return parser


def listed(values: Sequence[object] | None) -> str:
    """Return a default as help shows it."""
    return "as the script says" if values is None else " ".join(str(value) for value in values)
