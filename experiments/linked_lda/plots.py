"""Curves over sweeps, in the style of the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plait.errors import PlaitError

_LINES = ("-", "--", ":", "-.")


def draw_over_sweeps(panels: Mapping[str, Mapping[str, Mapping[int, float]]], path: Path) -> None:
    """Save a figure, as the ending of its name says (.png, .svg, .pdf).

    Parameters
    ----------
    panels
        By what a panel's height says: curves by their names, each a value for some sweeps. In "model / sampler" the
        sampler has the colour, and the model the kind of line.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise PlaitError("--plot needs matplotlib: pip install plait[plots]") from None
    figure, rows = pyplot.subplots(len(panels), squeeze=False, figsize=(8, 5 * len(panels)), layout="constrained")
    for axes, (height, curves) in zip(rows[:, 0], panels.items(), strict=True):
        models = list(dict.fromkeys(_model_and_sampler(name)[0] for name in curves))
        samplers = list(dict.fromkeys(_model_and_sampler(name)[1] for name in curves))
        for name, values in curves.items():
            model, sampler = _model_and_sampler(name)
            style = {"color": f"C{samplers.index(sampler)}", "linestyle": _LINES[models.index(model) % len(_LINES)]}
            axes.plot(list(values), list(values.values()), label=name, linewidth=1.2, **style)
        axes.set(xlabel="sweeps", ylabel=height)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def _model_and_sampler(name: str) -> tuple[str, str]:
    model, _, sampler = name.rpartition(" / ")
    return model, sampler
