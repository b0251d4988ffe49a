"""Reports of real corpora in a browser: size, first view, errors, requests, accessibility, and screenshots.

    PLAIT_DATA=... python benchmarks/report_pages.py                  all reports, printed as a table
    PLAIT_DATA=... python benchmarks/report_pages.py cora-linked      one of them
    python benchmarks/report_pages.py demo --page demo=FILE.html      a page that exists already

Each page is opened at 400 and 1,600 pixels, light and dark. First view is the first contentful paint, the larger of two
visits; loaded is the end of the load event. axe-core (PLAIT_AXE, or node_modules) counts its serious findings. Fits are
short: they are enough for the size and the layout of a page, not for good topics.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the helpers of the tests

import plait  # noqa: E402
from tests.browser.conftest import FLAGS, Visit, find_chromium, serious_findings  # noqa: E402

SIZES = [(width, dark) for width in (400, 1600) for dark in (False, True)]
HEAD = ["report", "MB", "first view, s", "loaded, s", "errors and requests", "too wide, px", "serious findings"]
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def read(name: str, **options: Any) -> Any:
    """Return a corpus of the folder that PLAIT_DATA names."""
    data = os.environ.get("PLAIT_DATA")
    if data is None:
        raise SystemExit("set PLAIT_DATA to the folder with the corpora, or name an existing page with --page")
    return plait.read_corpus(Path(data, name), on_error="skip", **options)


def demo(path: Path, sweeps: int) -> None:
    """Write the page of `plait demo`; its sweeps are fixed."""
    subprocess.run(
        [sys.executable, "-m", "plait", "demo", "--report", str(path)], check=True, stdout=subprocess.DEVNULL
    )


def cora_relational(path: Path, sweeps: int) -> None:
    """Write the report of citations; a tenth of the papers is held out."""
    corpus = read("cora_rtm")
    train, _ = corpus.split(0.1, random_state=0)
    model = plait.RelationalTopicModel(20, n_chains=1, n_sweeps=sweeps, random_state=0).fit(train)
    plait.write_report(model, path, title="Papers and citations: relational", corpus=corpus)


def cora_linked(path: Path, sweeps: int) -> None:
    """Write the report of influence along citations."""
    corpus = read("cora_rtm")
    model = plait.LinkedLDA(20, n_sweeps=sweeps, random_state=0).fit(corpus)
    plait.write_report(model, path, title="Papers and citations: influence", corpus=corpus)


def news_labels(path: Path, sweeps: int) -> None:
    """Write the report of newsgroups; the corpus has its own held-out part."""
    corpus = read("20news_bydate")
    model = plait.MedLDA(40, n_chains=1, cached=True, n_sweeps=sweeps, random_state=0).fit(corpus.part("train"))
    plait.write_report(model, path, title="20 Newsgroups", corpus=corpus)


def reuters_stream(path: Path, sweeps: int) -> None:
    """Write the report of newswire in 30 time slices."""
    corpus = read("reuters21578", text=["title", "text"])
    model = plait.OnlineLDA(50, window=3, n_sweeps=sweeps, random_state=0, verbose=False)
    for label, part in corpus.slice_by_time(30):
        model.partial_fit(part, label=label)
    plait.write_report(model, path, title="Newswire of 1987", corpus=corpus)


def wikipedia_many(path: Path, sweeps: int) -> None:
    """Write the report of 300 topics."""
    corpus = read("wikipedia_vital")
    model = plait.LDA(300, n_sweeps=sweeps, random_state=0).fit(corpus)
    plait.write_report(model, path, title="Vital articles of Wikipedia", corpus=corpus)


REPORTS: dict[str, Callable[[Path, int], None]] = {
    "demo": demo,
    "cora-relational": cora_relational,
    "cora-linked": cora_linked,
    "20news-medlda": news_labels,
    "reuters-online": reuters_stream,
    "wikipedia-300": wikipedia_many,
}


def measure(browser: Any, path: Path, axe: str | None, shots: Path | None) -> list[str]:
    """Return the row of a page, after visits in all sizes and colours."""
    paints, loads, problems, findings, widest = [], [], [], set(), 0
    for width, dark in SIZES:
        # The policy of the page forbids the script of axe, so it is off in these visits but not in those for errors.
        for audited in (False, True) if axe else (False,):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", bypass_csp=audited
            )
            visit = Visit(context.new_page(), path.as_uri())
            visit.page.goto(path.as_uri())
            if audited:
                findings |= {f"{one[0]} {one[2][0][:60]}" for one in serious_findings(visit, axe)}
            else:
                visit.page.wait_for_function(LOADED)
                paints.append(visit.page.evaluate(PAINT) or float("inf"))
                loads.append(visit.page.evaluate(LOADED))
                problems += visit.problems
                widest = max(widest, visit.overflow())
                if shots is not None:
                    name = f"{path.stem}-{width}-{'dark' if dark else 'light'}.png"
                    visit.page.screenshot(path=shots / name)
            context.close()
    for one in (*problems, *findings):
        print(f"   {path.stem}: {one[:300]}", file=sys.stderr)
    return [
        path.stem,
        f"{path.stat().st_size / 1e6:.2f}",
        f"{max(paints) / 1000:.2f}",
        f"{max(loads) / 1000:.2f}",
        str(len(problems)),
        str(widest),
        str(len(findings)) if axe else "no axe-core",
    ]


def main() -> None:
    """Make the reports, open them and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="*", choices=[*REPORTS, []], metavar="REPORT", help=", ".join(REPORTS))
    parser.add_argument("--page", action="append", default=[], metavar="REPORT=FILE", help="use this page")
    parser.add_argument("--folder", type=Path, help="keep pages here, and use those that are here already")
    parser.add_argument("--shots", type=Path, help="write screenshots to this folder")
    parser.add_argument("--sweeps", type=int, default=30)
    options = parser.parse_args()
    given = {name: Path(file).resolve() for name, _, file in (one.partition("=") for one in options.page)}
    named = os.environ.get("PLAIT_AXE")
    script = Path(named) if named else ROOT / "node_modules" / "axe-core" / "axe.min.js"
    axe = script.read_text(encoding="utf-8") if script.is_file() else None
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("needs Chromium: apt-get install chromium, or set PLAIT_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as driver:
        folder = (options.folder or Path(temporary)).resolve()
        for place in filter(None, (folder, options.shots)):
            place.mkdir(parents=True, exist_ok=True)
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|", flush=True)
        for name in options.reports or REPORTS:
            path = given.get(name, folder / f"{name}.html")
            if not path.is_file():
                start = time.perf_counter()
                REPORTS[name](path, options.sweeps)
                print(f"   {name}: made in {time.perf_counter() - start:.0f} s", file=sys.stderr)
            print("| " + " | ".join(measure(browser, path, axe, options.shots)) + " |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
