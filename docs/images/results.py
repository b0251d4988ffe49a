"""Draw the charts of docs/reproduction.md from the tables of that page: docs/images/result-NAME.svg.

python docs/images/results.py    (needs matplotlib: pip install plait[plots])
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot

_FOLDER = Path(__file__).parent
_PAGE = (_FOLDER.parent / "reproduction.md").read_text(encoding="utf-8")
_GREY = "#85858f"
_COLOURS = ("#2d8fd5", "#e08a00", "#00a07a", "#c06a9a")

mpl.rcParams |= {
    "svg.hashsalt": "plait",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 12,
    "axes.edgecolor": _GREY,
    "axes.labelcolor": _GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlecolor": _GREY,
    "text.color": _GREY,
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "legend.frameon": False,
}


def _table(heading: str, first: str) -> list[list[str]]:
    """Return the rows, header first, of the table below a heading whose header begins with `first`."""
    section = _PAGE[_PAGE.index(f"### {heading}") :]
    start = section.index(f"| {first} |")
    lines = section[start:].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [rows[0], *rows[2:]]


def _number(cell: str, part: int = 0) -> float | None:
    found = re.findall(r"-?[\d,]+\.?\d*", cell.replace("−", "-"))
    return float(found[part].replace(",", "")) if found else None


def _curves(name: str, curves: dict[str, list[tuple[str, float]]], x: str, y: str, *, log: bool = False) -> None:
    figure, axes = pyplot.subplots(figsize=(7, 3.6), layout="constrained")
    for (label, points), colour, marker in zip(curves.items(), _COLOURS, "osD^", strict=False):
        axes.plot(*zip(*points, strict=True), label=label, color=colour, marker=marker)
    axes.set(xlabel=x, ylabel=y)
    if log:
        axes.set_yscale("log")
    axes.tick_params("x", rotation=20 if max(len(tick) for points in curves.values() for tick, _ in points) > 4 else 0)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(curves))
    figure.savefig(_FOLDER / f"result-{name}.svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)


def _columns(rows: list[list[str]], columns: dict[str, int], part: int = 0) -> dict[str, list[tuple[str, float]]]:
    """Return one curve per column of a table, with the first column as x."""
    return {
        label: [(row[0], value) for row in rows[1:] if (value := _number(row[column], part)) is not None]
        for label, column in columns.items()
    }


def _rows(rows: list[list[str]], names: dict[str, str]) -> dict[str, list[tuple[str, float]]]:
    """Return one curve per row of a table, with the header as x."""
    by_name = {row[0]: row for row in rows[1:]}
    ticks = [re.sub(r"[^\d]*", "", cell) for cell in rows[0]]
    return {
        label: [
            (tick, value)
            for tick, cell in zip(ticks[1:], by_name[name][1:], strict=True)
            if (value := _number(cell)) is not None
        ]
        for name, label in names.items()
    }


def main() -> None:
    """Draw all charts."""
    speed = _table("Table 1: seconds per sweep", "sampler")
    _curves("samplers", _columns(speed, {"paper": 2, "plait": 4}), "sampler", "× faster than plain", log=True)
    table4 = _table("Table 4", "sampler")[:9]
    corpora = {"paper's web sites": 1, "cora": 2, "citeseer": 3, "webkb's text": 4}
    _curves("table4", _columns(table4, corpora), "sampler", "AUC, linked LDA, BayesNet")
    links = _table("Figures 1 and 2", "Cora")
    names = {"gRTM": "gRTM", "RTM (diagonal)": "RTM (diagonal)", "Var-RTM": "Var-RTM"}
    _curves("links", _rows(links, names), "number of topics", "link rank (lower is better)")
    history = _table("Figures 10.4 and 10.6", "total weight")
    names = {"0.05": "total weight 0.05", "0.2": "0.2", "1": "1"}
    _curves("history", _rows(history, names), "window δ", "perplexity of the next slice")


if __name__ == "__main__":
    main()
