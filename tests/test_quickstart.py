"""The commands of docs/quickstart.md on a made German survey, as a user types them."""

from __future__ import annotations

import re
import shlex

import pytest
from typer.testing import CliRunner

import plait
from plait.cli.app import app
from tests.german import SUBJECTS, answers, write_csv
from tests.test_docs import ROOT, SHELL, blocks_of

PAGE = ROOT / "docs/quickstart.md"


def commands():
    """Return the commands of the page, from the virtual environment to the report."""
    (_, code), *_ = blocks_of(PAGE, *SHELL)
    return [shlex.split(line, comments=True) for line in code.splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Run all plait commands of the page in a folder with the survey; return the folder and what they printed."""
    folder = tmp_path_factory.mktemp("quickstart")
    write_csv(folder / "survey.csv", answers())
    printed = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for program, *arguments in commands():
            if program == "plait":
                result = CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)
                assert result.exit_code == 0, result.output
                printed[arguments[0]] = result.stdout
    return folder, printed


def test_six_commands_from_an_environment_to_a_report():
    programs = [words[0] for words in commands()]
    assert programs == ["python3", "pip", *["plait"] * 4]
    assert [words[1] for words in commands()[2:]] == ["fit", "topics", "edit", "report"]


def test_auto_finds_about_as_many_topics_as_there_are_subjects(finished):
    folder, _ = finished
    assert len(SUBJECTS) <= plait.load(folder / "survey.plait").n_topics <= len(SUBJECTS) + 2


def test_topics_are_printed_with_titles_of_documents(finished):
    _, printed = finished
    lines = printed["topics"].splitlines()
    assert "typical documents" in lines[0]
    titles = {title for _, _, titles in SUBJECTS.values() for title in titles}
    for line in lines[1:]:
        assert any(title in line for title in titles), line


def test_named_topics_have_titles_in_the_model_and_in_the_report(finished):
    folder, printed = finished
    model = plait.load(folder / "named.plait")
    assert model.topic_names_[:2] == ["schools", "public transport"]
    assert "public transport" in printed["edit"]
    assert model.documents_.titles[0] == answers()[0]["title"]
    page = (folder / "survey.html").read_text(encoding="utf-8")
    assert "public transport" in page
    assert any(row["title"] in page for row in answers())


def test_top_words_are_german_words_and_no_junk(finished):
    folder, _ = finished
    model = plait.load(folder / "survey.plait")
    assert model.text_options_.language == "de"
    words = {word for topic in model.topics(10) for word in topic.words}
    assert {word for word in words if re.search(r"[äöüß]", word)} & {"straßenbahn", "universität", "schüler", "bäume"}
    vocabulary = set(model.vocabulary_)
    assert {"grundschullehrerin", "kindertagesstätte", "mietpreisbremse", "grüße"} <= vocabulary
    assert all(re.fullmatch(r"[a-zäöüß-]+", word) for word in vocabulary)
    assert not vocabulary & {"die", "der", "und", "ist", "für", "nur", "sich"}
    assert not vocabulary & {"https", "www", "beispiel", "umfrage", "html", "uuml", "szlig", "br", "amp"}


def test_new_texts_are_read_as_the_model_was_read(finished):
    folder, _ = finished
    model = plait.load(folder / "named.plait")
    new = [
        "Der Bus war wieder überfüllt, die Straßenbahn zu spät 😡 https://beispiel.de",
        "Die Miete der Wohnung steigt.",
    ]
    bus, rent = model.transform(new)
    assert bus.argmax() != rent.argmax()
    assert "straßenbahn" in model.topics(20)[int(bus.argmax())].words
