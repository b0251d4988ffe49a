"""Curves over sweeps, in the style of the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plait.errors import PlaitError

_LINES = ("-", "--", ":", "-.")


def draw_over_sweeps(panels: Mapping[str, Mapping[str, Mapping[int, float]]], path: Path) -> None:
    """Save a figure; the suffix of the file name selects the format (.png, .svg, .pdf).

    Parameters
    ----------
    panels
        Label of the y axis → name of a curve → value by sweep. In "model / sampler" the sampler selects the colour
        and the model the line style.
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
