"""Curves over slices, in the style of the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plait.errors import PlaitError


def draw_over_slices(panels: Mapping[str, Mapping[str, Sequence[float]]], path: Path) -> None:
    """Save a figure; the suffix of the file name selects the format (.png, .svg, .pdf).

    Parameters
    ----------
    panels
        Label of the y axis → name of a curve → value of every slice from the second on.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise PlaitError("--plot needs matplotlib: pip install plait[plots]") from None
    figure, rows = pyplot.subplots(len(panels), squeeze=False, figsize=(9, 4.5 * len(panels)), layout="constrained")
    for axes, (height, curves) in zip(rows[:, 0], panels.items(), strict=True):
        for name, values in curves.items():
            axes.plot(range(1, len(values) + 1), values, marker=".", label=name)
        axes.set(xlabel="slice", ylabel=height)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
