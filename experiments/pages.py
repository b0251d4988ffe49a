"""Put the stored tables into the pages of the documentation, and draw their plots, without running an experiment.

    python experiments/pages.py                     rewrite docs/reproduction/*.md and docs/images/result-*.svg
    python experiments/pages.py --check             change nothing; fail if a table in a page is not the stored one

A page has blocks: the line `<!-- results: KEY -->`, the table, and the line `<!-- end of results -->`. KEY is a script
below experiments/, the options of the run, and the number of the table in it: `linked_lda/table4.py --paper #1`.
`#0` is a summary of several runs. `| columns: A; B` after the key shows these columns only, in this order.
`experiments/run.py` stores tables. Plots need matplotlib: pip install plait[plots].
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # shared modules, when this file is run directly

from experiments.stored import ROOT, StoredTable, read_all

PAGES = ROOT / "docs" / "reproduction"
IMAGES = ROOT / "docs" / "images"
_BLOCK = re.compile(
    r"<!-- results: (?P<key>[^\n|]*?) *(?:\| columns: (?P<columns>[^\n]*?) )?-->\n.*?<!-- end of results -->", re.DOTALL
)
_GREY = "#85858f"
_COLOURS = ("#2d8fd5", "#e08a00", "#00a07a", "#c06a9a", "#6a6ad0")
Curve = list[tuple[str, float]]  # labels of the x axis, and values


def rewrite(text: str, stored: Mapping[str, StoredTable]) -> str:
    """Return a page with the stored tables in its blocks."""

    def block(found: re.Match[str]) -> str:
        head = found[0].partition("\n")[0]
        return f"{head}\n\n{render(_table(stored, found['key']), found['columns'])}\n\n<!-- end of results -->"

    return _BLOCK.sub(block, text)


def render(table: StoredTable, columns: str | None = None) -> str:
    """Return a table as Markdown, followed by a line with its command and origin."""
    chosen = table.columns if columns is None else [name.strip() for name in columns.split(";")]
    places = [_place(table, name) for name in chosen]
    lines = [chosen, ["---", *["---:"] * (len(chosen) - 1)]]
    lines += [[row[place] for place in places] for row in table.rows]
    rows = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    seconds = "" if table.seconds is None else f", {table.seconds:,.0f} s"
    summary = " (a summary of several runs)" if table.number == 0 else ""
    return f"{rows}\n\n`{table.command}`{summary}; measured {table.date} at {table.commit}, {table.machine}{seconds}."


def _table(stored: Mapping[str, StoredTable], key: str) -> StoredTable:
    if key not in stored:
        raise SystemExit(f"experiments/results has no table {key!r}; store it with: python experiments/run.py …")
    return stored[key]


def _place(table: StoredTable, column: str) -> int:
    if column not in table.columns:
        raise SystemExit(f"the table {table.key!r} has no column {column!r}; its columns are {table.columns}")
    return table.columns.index(column)


# Plots


def number(cell: str, part: int = 0) -> float | None:
    """Return a number in a cell, the first by default; None if it has none."""
    found = re.findall(r"-?[\d,]*\d\.?\d*", cell.replace("−", "-"))
    return float(found[part].replace(",", "")) if len(found) > part else None


def column_curve(table: StoredTable, column: str, *, start: str = "", second: str | None = None) -> Curve:
    """Return a column by the first column of the rows that begin with `start`, which is removed.

    With `second`, only rows with this in the second column.
    """
    place = _place(table, column)
    rows = [row for row in table.rows if row[0].startswith(start) and second in (None, row[1])]
    points = [(row[0].removeprefix(start), number(row[place])) for row in rows]
    return [(label, value) for label, value in points if value is not None]


def labelled_curve(table: StoredTable, labels: str, column: str, chosen: Mapping[str, str] | None = None) -> Curve:
    """Return a column by another column, of the rows whose cells are the chosen ones, by column."""
    x, y = _place(table, labels), _place(table, column)
    wanted = {_place(table, name): cell for name, cell in (chosen or {}).items()}
    rows = [row for row in table.rows if all(row[place] == cell for place, cell in wanted.items())]
    points = [(row[x], number(row[y])) for row in rows]
    return [(label, value) for label, value in points if value is not None]


def row_curve(table: StoredTable, name: str, part: int = 0, until: str | None = None) -> Curve:
    """Return a row by the digits of the column names, up to a column or to the end."""
    (row,) = [row for row in table.rows if row[0] == name]
    end = None if until is None else _place(table, until) + 1
    points = [
        ("".join(re.findall(r"[\d.]", column)), number(cell, part))
        for column, cell in zip(table.columns[1:end], row[1:end], strict=True)
    ]
    return [(label, value) for label, value in points if value is not None]


class Plot(NamedTuple):
    """A plot: docs/images/result-NAME.svg."""

    name: str
    x: str
    y: str
    curves: Callable[[Mapping[str, StoredTable]], dict[str, Curve]]
    log: bool = False
    joined: bool = True  # whether points are joined by lines: labels have an order


_TABLE_5 = "linked_lda/table5.py --alpha 0.5 --beta 0.1 --seeds 0 1 2"
_STRENGTH = "linked_lda/strength.py --paper --seeds 0 1 2"
_WEBKB = "relational/figure1_2.py --corpora webkb --paper --losses probit --jobs 1"
_CORA = "relational/figure1_2.py --corpora cora --jobs 1"
_NEWSGROUPS = "medlda/figure1.py --expected --one-vs-all 5 --jobs 1"
_SWEEPS = "linked_lda/figures3_5.py --paper"
_BY_SWEEP = ("LDA / plain", *(f"linked LDA / {sampler}" for sampler in ("plain", "aggregated", "limit", "sparse(10)")))
# A word occurs once per document: aggregated sampling is plain sampling.
_BY_SWEEP_OF_WORDS = tuple(name.replace("aggregated", "sparse(2)") for name in _BY_SWEEP)
_SPARSE = tuple(f"linked LDA / {sampler}" for sampler in ("plain", *(f"sparse({most})" for most in (2, 5, 10, 50))))
_SLICES = "online/figures10_4_to_10_6.py --corpora reuters --totals 1 --whole 20 --curves"
_HISTORY = "online/figures10_4_to_10_6.py --corpora reuters --distributions #1"
PLOTS = (
    Plot(
        "samplers",
        "sampler",
        "× faster than plain",
        lambda stored: {
            "paper": column_curve(_table(stored, "linked_lda/samplers.py #1"), "paper's mean"),
            "plait": column_curve(_table(stored, "linked_lda/samplers.py #1"), "× faster, mean"),
        },
        log=True,
    ),
    Plot(
        "table4",
        "sampler",
        "AUC, linked LDA, BayesNet",
        lambda stored: {
            name: column_curve(
                _table(stored, f"linked_lda/table4.py --paper {options}"),
                column,
                start="linked LDA / ",
                second="doc_topic_",
            )
            for name, column, options in (
                ("paper's web sites", "BayesNet paper's", "--seeds 0 1 2 --corpora cora #1"),
                ("cora", "BayesNet AUC", "--seeds 0 1 2 --corpora cora #1"),
                ("citeseer", "BayesNet AUC", "--seeds 0 1 2 --corpora citeseer --jobs 1 #1"),
                ("webkb's words", "BayesNet AUC", "--seeds 0 1 2 --corpora webkb --jobs 1 #1"),
                ("webkb's text", "BayesNet AUC", "--seeds 0 1 2 --corpora 'webkb text' --jobs 1 #1"),
            )
        },
    ),
    Plot(
        "table5",
        "edges",
        "AUC of BayesNet",
        lambda stored: {
            name: column_curve(_table(stored, f"{_TABLE_5} #0"), column)
            for name, column in {
                "paper's web sites": "paper",
                "cora": "cora",
                "citeseer": "citeseer",
                "webkb's words": "webkb, words",
            }.items()
        },
        joined=False,
    ),
    Plot(
        "strength",
        "p",
        "AUC, linked LDA, BayesNet",
        lambda stored: (
            {"paper's web sites": column_curve(_table(stored, f"{_STRENGTH} #1"), "paper's AUC")}
            | {
                name: column_curve(_table(stored, f"{_STRENGTH} #{place}"), "doc_topic_ AUC")
                for name, place in {"cora": 1, "citeseer": 2, "webkb's words": 3, "webkb's text": 4}.items()
            }
        ),
    ),
    *(
        Plot(
            name,
            "sweep",
            height,
            lambda stored, key=key, models=models: {
                model: row_curve(_table(stored, key), model, until="50") for model in models
            },
        )
        for name, height, key, models in (
            ("perplexity-by-sweep", "perplexity per token", f"{_SWEEPS} #1", _BY_SWEEP),
            ("auc-by-sweep", "AUC of BayesNet", f"{_SWEEPS} #2", _BY_SWEEP),
            ("perplexity-sparse", "perplexity per token", f"{_SWEEPS} #1", _SPARSE),
            ("perplexity-words", "perplexity per token", f"{_SWEEPS} --corpora webkb #1", _BY_SWEEP_OF_WORDS),
            ("auc-words", "AUC of BayesNet", f"{_SWEEPS} --corpora webkb #2", _BY_SWEEP_OF_WORDS),
        )
    ),
    Plot(
        "links",
        "number of topics",
        "link rank on Cora (lower is better)",
        lambda stored: {
            name: labelled_curve(_table(stored, f"{_CORA} #1"), "topics", "link rank", {"method": name})
            for name in ("gRTM, plait's", "gRTM-cached, plait's", "RTM, plait's", "Var-RTM", "LDA + logistic")
        },
    ),
    Plot(
        "words",
        "number of topics",
        "word rank on Cora (lower is better)",
        lambda stored: {
            name: labelled_curve(_table(stored, f"{_CORA} #1"), "topics", "word rank", {"method": name})
            for name in ("gRTM, plait's", "gRTM-cached, plait's", "RTM, plait's", "Var-RTM", "LDA, links hidden")
        },
    ),
    Plot(
        "accuracy",
        "number of topics",
        "accuracy, mean of three seeds",
        lambda stored: {
            name: labelled_curve(_table(stored, f"{_NEWSGROUPS} #1"), "topics", "accuracy", {"method": name})
            for name in ("MedLDA, plait's", "MedLDA, paper's", "MedLDA, expected classifier", "LDA + LinearSVC")
        },
    ),
    Plot(
        "burn-in",
        "burn-in, sweeps",
        "accuracy, 20 Newsgroups",
        lambda stored: {
            name: labelled_curve(_table(stored, "medlda/figure2.py --seeds 0 --jobs 1 #1"), "burn-in", column)
            for name, column in {"new documents": "accuracy", "training documents": "training accuracy"}.items()
        },
    ),
    Plot(
        "burn-in-labels",
        "burn-in, sweeps",
        "F1, one sample, mean of three seeds",
        lambda stored: {
            f"{name}, {corpus}": labelled_curve(
                _table(stored, "medlda/figure5.py --jobs 1 #1"), "burn-in", name, {"corpus": corpus}
            )
            for corpus in ("r90", "bibtex")
            for name in ("micro F1", "macro F1")
        },
    ),
    Plot(
        "costs",
        "cost c of a link",
        "link rank on Cora (lower is better)",
        lambda stored: {
            name: labelled_curve(
                _table(stored, f"relational/figure3_4.py {options} --jobs 1 #1"), "c", "link rank", {"method": name}
            )
            for name, options in (
                ("RTM, plait's", "--paper --models RTM"),
                ("RTM, paper's", "--paper --models RTM"),
                ("gRTM, plait's", "--paper --models gRTM"),
                ("gRTM, paper's", "--paper --models gRTM"),
            )
        },
    ),
    Plot(
        "negatives",
        "pairs without a link, % of all",
        "link rank on Cora (lower is better)",
        lambda stored: {
            name: [
                (label.removesuffix("% of pairs"), value)
                for label, value in labelled_curve(
                    _table(stored, "relational/figure5.py --paper --jobs 1 #1"),
                    "negatives",
                    "link rank",
                    {"method": name},
                )
                if label.endswith("% of pairs")
            ]
            for name in ("gRTM, plait's", "gRTM, paper's")
        },
    ),
    Plot(
        "burn-in-links",
        "burn-in, sweeps",
        "link rank on Cora (lower is better)",
        lambda stored: {
            name: labelled_curve(
                _table(stored, "relational/figure6.py --averaged --jobs 1 #1"),
                "burn-in",
                "link rank",
                {"predicted from": name},
            )
            for name in ("gRTM, one sample", "gRTM, four chains")
        },
    ),
    Plot(
        "links-webkb",
        "number of topics",
        "link rank, WebKB (lower is better)",
        lambda stored: {
            name: labelled_curve(_table(stored, f"{_WEBKB} #1"), "topics", "link rank", {"method": name})
            for name in ("gRTM, plait's", "gRTM, paper's", "RTM, paper's", "Var-RTM", "gRTM, probit loss")
        },
    ),
    Plot(
        "words-webkb",
        "number of topics",
        "word rank, WebKB (lower is better)",
        lambda stored: {
            name: labelled_curve(_table(stored, f"{_WEBKB} #1"), "topics", "word rank", {"method": name})
            for name in ("gRTM, plait's", "gRTM, paper's", "RTM, paper's", "Var-RTM", "LDA, links hidden")
        },
    ),
    Plot(
        "labels",
        "method",
        "F1 (micro)",
        lambda stored: {
            name: column_curve(_table(stored, "medlda/figure4.py #0"), column)
            for name, column in {
                "Reuters, 90 topics": "Reuters micro F1",
                "bibtex, 159 tags": "bibtex micro F1",
            }.items()
        },
        joined=False,
    ),
    Plot(
        "history",
        "window δ",
        "perplexity of the next slice of Reuters",
        lambda stored: {
            f"total weight {name}": row_curve(_table(stored, _HISTORY), name) for name in ("0.05", "0.2", "1")
        },
    ),
    Plot(
        "slices",
        "slice",
        "perplexity of the slice of Reuters",
        lambda stored: {
            name: column_curve(_table(stored, f"{_SLICES} #3"), name)
            for name in ("δ = 0, fixed prior", "δ = 1, weight 1", "δ = 2, weight 1", "δ = 5, weight 1")
        },
    ),
    Plot(
        "articles",
        "slice",
        "perplexity of the next slice of Reuters",
        lambda stored: {
            name: column_curve(_table(stored, "online/figure10_3.py #2"), name) for name in ("without", "with articles")
        },
    ),
)


def draw(plot: Plot, stored: Mapping[str, StoredTable], path: Path) -> None:
    """Draw a plot; the same tables give the same file with the same version of matplotlib."""
    import matplotlib as mpl
    from matplotlib import pyplot

    style = {"svg.hashsalt": "plait", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 12}
    style |= dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), _GREY)
    style |= {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
    curves = plot.curves(stored)
    with mpl.rc_context(style):
        figure, axes = pyplot.subplots(figsize=(7.5, 4), layout="constrained")
        # A curve may lack points: those of the longest one give the order.
        by_length = sorted(curves.values(), key=len, reverse=True)
        ticks = list(dict.fromkeys(label for points in by_length for label, _ in points))
        if all(re.fullmatch(r"[\d.]+", tick) for tick in ticks):
            ticks.sort(key=float)
        for (label, points), colour, marker in zip(curves.items(), _COLOURS, "osD^v", strict=False):
            x, y = [ticks.index(tick) for tick, _ in points], [value for _, value in points]
            axes.plot(x, y, label=label, color=colour, marker=marker, linestyle="-" if plot.joined else "")
        axes.set(xlabel=plot.x, ylabel=plot.y, xticks=range(len(ticks)))
        turned = {"rotation": 20, "ha": "right", "rotation_mode": "anchor"} if max(map(len, ticks)) > 4 else {}
        every = 1 + len(ticks) // 16  # so that labels do not overlap
        axes.set_xticklabels(["" if place % every else tick for place, tick in enumerate(ticks)], **turned)
        if plot.log:
            axes.set_yscale("log")
        n_columns = max(1, min(len(curves), 4, 66 // (max(map(len, curves)) + 5)))  # of the legend, as wide as the plot
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=n_columns)
        figure.savefig(path, transparent=True, metadata={"Date": None})
        pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is out of date")
    options = parser.parse_args()
    stored = read_all()
    old = []
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = rewrite(text, stored)
        if new != text:
            old.append(str(page.relative_to(ROOT)))
            if not options.check:
                page.write_text(new, encoding="utf-8")
    if options.check:
        if old:
            raise SystemExit(f"out of date: {', '.join(old)}; run: python experiments/pages.py")
        return
    for plot in PLOTS:
        draw(plot, stored, IMAGES / f"result-{plot.name}.svg")
    print(f"{len(old)} pages changed, {len(PLOTS)} plots drawn, {len(stored)} tables stored")


if __name__ == "__main__":
    main()
