"""Nothing from a file controls the terminal: words, ids, labels, field names and file names are printed escaped."""

from __future__ import annotations

import json
import unicodedata
import warnings

import pytest

from plait import LDA, Corpus, MedLDA, PlaitError, read_corpus
from plait._utils.text import one_line, printable, printable_json
from plait.cli.show.screen import Table
from tests.cli.small import THEMES, write_lines

TITLE, CLEAR, RETURN, LEFT, CSI = "\x1b]0;owned\x07", "\x1b[2J", "\r", "\u202e", "\x9b31m"
NASTY = TITLE + CLEAR + RETURN + LEFT + CSI
QUICK = ["--topics", "3", "--sweeps", "8", "--samples", "1"]


def _check(result, code=0):
    """Check the exit code, and that nothing but line ends and tabs controls the terminal."""
    printed = result.stdout + result.stderr
    found = {repr(one) for one in printed if unicodedata.category(one) in ("Cc", "Cf", "Cs") and one not in "\n\t"}
    assert found == set()
    assert result.exit_code == code, result.stderr
    return printed


def _rows(n_documents=60):
    names = sorted(THEMES)
    for row in range(n_documents):
        theme = THEMES[names[row % 3]]
        tokens = [f"{NASTY}{theme[(row // 3 + step) % 8]}" for step in (0, 0, 1, 2, 4, 7)]
        date = f"2020-{1 + row // 20:02d}-01"
        yield {
            "id": f"{NASTY}{row}",
            "tokens": tokens,
            f"label{NASTY}": f"{names[row % 3]}{NASTY}",
            f"date{NASTY}": date,
            "title": f"{NASTY}title",
        }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A corpus folder whose name, fields, ids, words and labels are hostile."""
    made = tmp_path_factory.mktemp("hostile") / f"a{TITLE}{CLEAR}{RETURN}{LEFT}"
    made.mkdir()
    rows = list(_rows())
    write_lines(made / "documents.jsonl", rows)
    links = [{"source": rows[row]["id"], "target": rows[(row + 3) % 60]["id"]} for row in range(60)]
    write_lines(made / "links.jsonl", links)
    return made


@pytest.fixture(scope="module")
def fit(run, folder):
    """Fit a model of a kind, once, and check what is printed."""
    made = {}

    def fit_model(kind, *options):
        path = folder.parent / f"{kind}{CLEAR}{LEFT}.plait"
        if kind not in made:
            _check(run("fit", folder, "-o", path, "--model", kind, *QUICK, *options))
            made[kind] = path
        return path

    return fit_model


LABEL = ["--label", f"label{NASTY}"]


def test_lda(run, folder, fit):
    model = fit("lda")
    printed = _check(run("inspect", folder, *LABEL))
    assert "\\x1b" in printed
    for form in ("table", "csv", "json"):
        _check(run("topics", model, "--format", form))
    words = json.loads(run("topics", model, "--format", "json").stdout)[0]["words"]
    assert words[0]["word"].startswith(NASTY)  # JSON is escaped, not changed
    _check(run("transform", model, folder, "-o", folder.parent / f"t{NASTY[:-4]}.csv"))
    _check(run("report", model, "-o", folder.parent / f"r{CLEAR}.html"))
    _check(run("evaluate", model, folder))
    _check(run("fit", folder, "-o", model), 1)
    _check(run("fit", folder, "-o", folder.parent / "new.plait", "--text-field", NASTY), 1)
    _check(run("topics", folder.parent / NASTY), 1)
    _check(run(f"fit{NASTY}"), 2)
    _check(run("fit", folder, "-o", model, f"--{NASTY}"), 2)


def test_medlda(run, folder, fit):
    model = fit("medlda", *LABEL, "--chains", "1")
    assert "music" in _check(run("topics", model))
    _check(run("predict", model, folder, "-o", folder.parent / "p.csv"))
    printed = _check(run("evaluate", model, folder, *LABEL, "--train", folder))
    assert "music" in printed
    _check(run("evaluate", model, folder, *LABEL, "--train", folder, "--format", "json"))


def test_links_and_influence(run, folder, fit):
    model = fit("relational", "--chains", "1")
    _check(run("links", model))
    _check(run("links", model, folder))
    _check(run("links", model, "-d", NASTY), 1)
    model = fit("linked", "--chains", "1")
    _check(run("influence", model))
    _check(run("influence", model, f"{NASTY}3"))


def test_stream_and_trends(run, folder):
    model, source = folder.parent / f"s{CLEAR}.plait", folder / "documents.jsonl"
    options = ["--date-field", f"date{NASTY}", "--by", "month", "--final"]
    _check(run("stream", model, source, *options, *QUICK))
    _check(run("trends", model))
    by_file = folder.parent / f"f{CLEAR}.plait"
    write_lines(folder.parent / f"one{LEFT}{CLEAR}.jsonl", list(_rows(6)))
    _check(run("stream", by_file, folder.parent / f"one{LEFT}{CLEAR}.jsonl", "--final", *QUICK))
    _check(run("stream", by_file, folder.parent / f"one{LEFT}{CLEAR}.jsonl", "--by", "day"), 1)


def test_damaged_input_of_a_hostile_name(run, folder):
    bad = folder.parent / f"bad{NASTY}.jsonl"
    bad.write_text('{"id": "' + LEFT + '", "text": 5}\n{"' + LEFT + "\n", encoding="utf-8")
    _check(run("inspect", bad, "--strict"), 1)
    model = folder.parent / f"bad{NASTY}.plait"
    model.write_text("not a model")
    _check(run("topics", model), 1)


def test_errors_and_warnings_of_the_library_are_printable():
    assert str(PlaitError(f"bad {NASTY}\nword")) == f"bad {printable(NASTY)}\nword"
    corpus = Corpus.from_texts(["river lake", "money bank"] * 5)
    from plait.priors import SeedPrior

    model = LDA(2, n_sweeps=2, beta=SeedPrior({"water": ["river", NASTY]}), verbose=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(corpus)
    assert [printable(str(one.message)) == str(one.message) for one in caught] == [True]


def test_results_are_printable_in_python(folder):
    corpus = read_corpus(folder, label=f"label{NASTY}")
    model = MedLDA(2, n_sweeps=5, n_samples=1, n_chains=1, random_state=0, verbose=False).fit(corpus)
    shown = [str(model.topics()[0]), str(model.topics()[1]), str(model.explain(corpus[:1])), repr(corpus[0])]
    assert all(one == "\n" or one.isprintable() for text in shown for one in text)
    assert all("\\x1b" in text for text in shown)


def test_long_texts_are_cut_when_they_are_printed():
    table = Table(["label", "words"])
    table.add("x" * 1_000_000, " ".join(["river", "y" * 1_000_000, "lake"]))
    assert len(table.plain()) < 1_200
    assert "… (1,000,000 characters)" in table.plain()
    assert table.plain().endswith("lake")
    line = one_line("start " + "x" * 1_000_000 + " end")
    assert len(line) < 2_100
    assert (line[:6], line[-4:]) == ("start ", " end")


def test_json_keeps_its_values():
    value = {"word": NASTY + "\ud800é\U000e0001", "n": 1.5}
    text = printable_json(value)
    assert json.loads(text) == value
    assert all(one == "\n" or one.isprintable() for one in text)


def test_a_long_label_in_an_error_is_cut(run, tmp_path):
    rows = [{"id": "a", "text": "river lake", "date": "x" * 1_000_000}]
    result = run("inspect", write_lines(tmp_path / "one.jsonl", rows), "--strict")
    assert result.exit_code == 1
    assert len(result.stderr) < 2_500
