"""Text options on the command line, and what `plait inspect` says about them."""

from __future__ import annotations

import re

import pytest

import plait
from plait.streaming import StreamReading
from tests.cli.small import QUICK, write_lines

GERMAN = (
    "Die alten Häuser am Fluss wurden 1502 gebaut und sie sind noch heute bewohnt, weil die Stadt sie pflegt. "
    "Siehe https://haus.de oder <b>Maschinelles Lernen</b> im Café."
)


@pytest.fixture
def german(tmp_path):
    return write_lines(tmp_path / "german.jsonl", [{"id": f"d{row}", "text": GERMAN} for row in range(12)])


def words(run, path, tmp_path, *options):
    model = tmp_path / "model.plait"
    result = run("fit", path, "-o", model, "--force", *QUICK, *options)
    assert result.exit_code == 0, result.output
    return set(plait.load(model).vocabulary_)


@pytest.mark.parametrize(
    ("options", "added", "removed"),
    [
        (("--language", "de"), {"häuser", "fluss"}, {"die", "und", "1502", "https"}),
        (("--language", "german", "--stop-words", "none"), {"die", "und"}, set()),
        (("--stop-words", "german"), {"häuser"}, {"die"}),
        (("--language", "de", "--lemmas"), {"haus"}, {"häuser"}),
        (("--language", "de", "--stems"), {"haus"}, {"häuser"}),
        (("--numbers", "keep"), {"1502"}, set()),
        (("--urls", "keep"), {"https", "haus"}, set()),
        (("--accents", "strip"), {"hauser", "cafe"}, {"häuser"}),
        (("--keep-html", "--min-length", "1", "--stop-words", "none"), {"b"}, set()),
        (("--min-length", "6"), {"häuser"}, {"fluss"}),
        (("--phrases",), {"maschinelles lernen"}, {"maschinelles"}),
        (("--keep-case",), {"Fluss"}, {"fluss"}),
        (("--min-df", "auto", "--max-df", "auto"), {"fluss"}, set()),
    ],
)
def test_options_of_fit(run, german, tmp_path, options, added, removed):
    found = words(run, german, tmp_path, *options)
    assert added <= found
    assert not removed & found


def test_phrases_from_a_file(run, german, tmp_path):
    (tmp_path / "phrases.txt").write_text("maschinelles lernen\n\n", encoding="utf-8")
    assert "maschinelles lernen" in words(run, german, tmp_path, "--phrase-list", tmp_path / "phrases.txt")
    result = run("inspect", german, "--phrase-list", tmp_path / "none.txt")
    assert result.exit_code == 1
    assert "none.txt is not a readable UTF-8 file" in result.stderr


@pytest.mark.parametrize("options", [("--lemmas", "--stems"), ("--phrases", "--phrase-list", "x"), ("--min-df", "few")])
def test_options_that_contradict_each_other(run, german, options):
    assert run("inspect", german, *options).exit_code == 2


def test_an_unknown_language_is_named(run, german):
    result = run("inspect", german, "--language", "germn")
    assert result.exit_code == 1
    assert 'do you mean "german"' in result.stderr


def test_inspect_shows_documents_before_and_after(run, german):
    result = run("inspect", german, "--phrases")
    assert result.exit_code == 0
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    assert "German (de)" in lines["language"]
    assert "maschinelles lernen" in lines["phrases"]
    assert "Die alten Häuser am Fluss wurden 1502" in lines["d0, before"]
    assert "häuser" in lines["d0, after"]
    assert "1502" not in lines["d0, after"]
    assert "d3, before" not in lines, "three documents"


def test_inspect_of_tokens_says_nothing_about_text(run, tmp_path):
    path = write_lines(tmp_path / "tokens.jsonl", [{"id": 1, "tokens": ["red", "fox"]}])
    assert "language" not in run("inspect", path).stdout


def test_limits_apply_to_the_split(run, tmp_path):
    rows = [{"id": row, "text": f"river word{row % 3}x", "split": "train" if row < 6 else "test"} for row in range(9)]
    path = write_lines(tmp_path / "split.jsonl", rows)
    result = run("inspect", path, "--split", "train", "--min-df", "3")
    assert "at least 3 documents" in result.stdout


def test_a_stream_keeps_the_language_of_its_first_slice(run, tmp_path):
    first = write_lines(tmp_path / "1.jsonl", [{"id": f"a{row}", "text": GERMAN} for row in range(5)])
    second = write_lines(tmp_path / "2.jsonl", [{"id": f"b{row}", "text": "Und die Stadt"} for row in range(5)])
    model = tmp_path / "stream.plait"
    for path in (first, second):
        result = run("stream", model, path, *QUICK)
        assert result.exit_code == 0, result.output
    loaded = plait.load(model)
    assert loaded.consumed_.reading["text_options"]["language"] == "de"
    assert not {"und", "die"} & set(loaded.vocabulary_)
    result = run("stream", model, second, "--language", "en")
    assert result.exit_code == 1
    assert "was started with language auto, not en" in result.stderr


def test_a_stream_of_an_earlier_version_keeps_its_words():
    from plait.models.online import Consumed

    reading = StreamReading().to_record()
    later = {"language", "accents", "numbers", "urls", "html", "min_length", "normalize", "phrases", "tokenizer"}
    earlier = Consumed("file", {name: value for name, value in reading.items() if name not in later})
    options = StreamReading.from_record(earlier).text_options(earlier)
    assert options.words("The w7 of http://x.org 1990") == ["w7", "http", "org", "1990"]
    assert StreamReading().text_options().words("The w7x of http://x.org 1990") == ["w7x"]


def test_fit_says_the_language(run, german, corpus_file, tmp_path):
    said = run("fit", german, "-o", tmp_path / "m.plait", *QUICK).stdout
    assert re.search(r"^language: German \(de\); \d+ stop words removed$", said, re.MULTILINE)
    said = run("fit", corpus_file, "-o", tmp_path / "n.plait", *QUICK).stdout
    assert "language: unknown; no stop words removed (give --language, such as de)" in said.splitlines()


def test_without_the_package_fit_says_what_to_install(run, corpus_file, tmp_path, monkeypatch):
    monkeypatch.setattr("plait.cli.show.text.find_spec", lambda name: None)
    said = run("fit", corpus_file, "-o", tmp_path / "m.plait", *QUICK).stdout
    assert "pip install '.[text]' in a checkout of plait to have it guessed" in said
