"""`plait evaluate` of models that follow links: labels and numbers from words alone, and with links."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import plait
from plait import Corpus, LabelResponse, LinkedDocuments, TopicModel, ValueResponse, read_corpus
from plait.metrics.classification import score_labels
from tests.cli.small import THEMES, write_lines

NAMES = list(THEMES)
N_KNOWN = 45  # documents that models are fitted to
STARS = {name: 1 + 2 * number for number, name in enumerate(NAMES)}
SETTINGS = {"n_topics": 3, "n_chains": 1, "n_sweeps": 30, "random_state": 0, "verbose": False}


def _known() -> list[dict]:
    """Documents about one theme each, which is their label."""
    made = []
    for row in range(N_KNOWN):
        name = NAMES[row % 3]
        text = " ".join(THEMES[name][(row // 3 + step) % 8] for step in (0, 0, 1, 2, 4, 7))
        made.append({"id": f"d{row}", "text": text, "split": "train", "label": name})
    return made


def _new() -> list[dict]:
    """Documents of a word that no model knows, but for the last; the first has no label, the last no link."""
    themes = [None, "water", "money", "music", "water", "money", "music"]
    made = [{"id": f"n{row}", "text": "zebra", "split": "test"} for row in range(len(themes))]
    for document, theme in zip(made, themes, strict=True):
        if theme is not None:
            document["label"] = theme
    made[-1]["text"] = "song opera drum tune"
    return made


def _new_links() -> list[tuple[str, str]]:
    """Links of the new documents to others of their theme; the first, whose theme nobody knows, to money."""
    theme_of = [document.get("label", "money") for document in _new()[:-1]]
    return [
        (f"n{row}", f"d{known}")
        for row, theme in enumerate(theme_of)
        for known in range(NAMES.index(theme), N_KNOWN, 9)
    ]


def _with_stars(documents: list[dict]) -> list[dict]:
    return [
        {**document, "stars": STARS[document["label"]]} if "label" in document else document for document in documents
    ]


pytestmark = pytest.mark.slow  # sweeps over linked documents with labels or values are compiled for few tests


@pytest.fixture
def folder(tmp_path):
    """All documents as files, with the links of the new ones."""
    path = tmp_path / "corpus"
    path.mkdir()
    write_lines(path / "documents.jsonl", _with_stars(_known() + _new()))
    _write_links(path, _new_links())
    return path


def _write_links(folder, links):
    lines = ["source,target", *(f"{source},{target}" for source, target in links)]
    (folder / "links.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _saved(path, response, labels=None, **given):
    """Fit a model that follows links to the known documents, and return its file."""
    documents = _known()
    corpus = Corpus.from_texts(
        [document["text"] for document in documents],
        ids=[document["id"] for document in documents],
        labels=[document["label"] for document in documents] if labels is None else labels,
        links=[(f"d{row}", f"d{(row + step) % N_KNOWN}") for row in range(N_KNOWN) for step in (3, 6)],
    )
    model = TopicModel(mixing=LinkedDocuments(0.2), responses=[response], **SETTINGS).fit(corpus, **given)
    return plait.save(model, path)


@pytest.fixture(scope="module")
def label_path(tmp_path_factory):
    return _saved(tmp_path_factory.mktemp("followed") / "labels.plait", LabelResponse())


@pytest.fixture(scope="module")
def value_path(tmp_path_factory):
    stars = [STARS[document["label"]] for document in _known()]
    return _saved(tmp_path_factory.mktemp("followed") / "values.plait", ValueResponse(), values=stars)


@pytest.fixture
def figures(run):
    def evaluate(*arguments):
        result = run("evaluate", *arguments, "--split", "test", "--format", "json", "--top", "3")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return evaluate


def _measured(folder, model, **roles):
    """The new documents that have a label, and their links to those of the model, worked out one by one."""
    whole = read_corpus(folder, **roles).part("test").with_vocabulary(model.vocabulary_)
    test = whole.select([row for row, names in enumerate(whole.labels) if names])
    links = np.zeros((len(test), N_KNOWN))
    for source, target in _new_links():
        if source in test.ids:
            links[list(test.ids).index(source), list(model.doc_ids_).index(target)] = 1
    return test, links


def test_labels_are_measured_with_and_without_links(figures, folder, label_path):
    labels = figures(label_path, folder)["labels"]
    model = plait.load(label_path)
    test, links = _measured(folder, model)
    words, both = (
        score_labels(test.labels, model.predict_labels(test, links=given), model.classes_, multilabel=False)
        for given in (None, links)
    )
    assert (labels["documents"], labels["documents_without_label"], labels["documents_with_links"]) == (6, 1, 5)
    for key in ("accuracy", "micro_f1", "macro_f1"):
        assert labels[key] == pytest.approx(getattr(words, key))
        assert labels[f"{key}_links"] == pytest.approx(getattr(both, key))
    assert labels["accuracy_links"] == 1 > labels["accuracy"]
    # The details are those of what is told from all that is known.
    assert [row["recall"] for row in labels["per_label"]] == [row.recall for row in both.per_label]
    assert labels["per_label_told_from"] == labels["confusion"]["told_from"] == "words and links"
    assert labels["confusion"]["matrix"] == both.confusion.matrix.tolist() != words.confusion.matrix.tolist()
    assert "accuracy_links" not in labels["baseline"]


def test_the_tables_say_what_labels_are_told_from(run, folder, label_path, tmp_path):
    command = ("evaluate", label_path, folder, "--split", "test", "--confusion", tmp_path / "c.csv")
    result = run(*command)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    start = lines.index("Labels of 6 documents (1 more has no label):")
    names = [" ".join(line.split()[:-3]) for line in lines[start + 2 : start + 8]]
    assert names == [
        "accuracy",
        "micro F1",
        "macro F1",
        *(f"{name} with links" for name in ("accuracy", "micro F1", "macro F1")),
    ]
    assert lines[start + 8] == (
        "With links: 5 of 6 documents have links to training documents; the others are predicted from words"
    )
    each = lines.index("Each label, predicted from words and links:")
    assert [line.split()[4] for line in lines[each + 2 : each + 5]] == ["1.000"] * 3
    assert "c.csv has the labels predicted from words and links" in " ".join(result.stderr.split())
    matrix = np.array([row[1:] for row in csv.reader((tmp_path / "c.csv").open(encoding="utf-8"))][1:], dtype=int)
    np.testing.assert_array_equal(matrix, 2 * np.eye(3))


@pytest.mark.parametrize("kept", ["none", "of the one without a label"])
def test_without_links_of_the_labelled_there_is_nothing_to_add(run, figures, folder, label_path, tmp_path, kept):
    links = [link for link in _new_links() if link[0] == "n0"]
    if kept == "none":
        (folder / "links.csv").unlink()
    else:
        _write_links(folder, links)
    found = figures(label_path, folder)
    assert ("perplexity_completion_links" in found) == (kept != "none")
    assert not [key for key in found["labels"] if "links" in key or "told" in key]
    result = run("evaluate", label_path, folder, "--split", "test", "--confusion", tmp_path / "c.csv")
    assert "with links" not in result.stdout.split("Labels of")[1]
    assert "Each label:" in result.stdout.splitlines()
    assert "Most often confused:" in result.stdout.splitlines()
    assert "predicted from" not in result.stderr
    matrix = np.array([row[1:] for row in csv.reader((tmp_path / "c.csv").open(encoding="utf-8"))][1:], dtype=int)
    assert matrix.tolist() == found["labels"]["confusion"]["matrix"]
    assert np.trace(matrix) < matrix.sum() == 6


def test_numbers_are_measured_with_and_without_links(run, figures, folder, value_path):
    options = (value_path, folder, "--label", "stars")
    values = figures(*options)["values"]
    model = plait.load(value_path)
    test, links = _measured(folder, model, label="stars")
    true = np.array([float(names[0]) for names in test.labels])
    for key, given in (("mean_absolute_error", None), ("mean_absolute_error_links", links)):
        assert values[key] == pytest.approx(np.abs(model.predict_values(test, links=given) - true).mean())
    assert values["mean_absolute_error_links"] < values["mean_absolute_error"]
    assert values["r2_links"] > values["r2"]
    assert (values["documents"], values["documents_with_links"]) == (6, 5)
    assert set(values["baseline"]) >= {"r2", "mean_absolute_error"}
    assert not [key for key in values["baseline"] if "links" in key]
    lines = run("evaluate", *options, "--split", "test").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines if "with links" in line and not line.startswith("perplexity")] == [
        "R² with links",
        "mean absolute error with links",
    ]
    assert "With links: 5 of 6 documents" in "\n".join(lines)
    (folder / "links.csv").unlink()
    assert not [key for key in figures(*options)["values"] if "links" in key]


def test_several_labels_a_document(run, figures, folder, tmp_path):
    labels = [[document["label"], "all"] for document in _known()]
    path = _saved(tmp_path / "m.plait", LabelResponse(), labels)
    new = [{**one, "label": [one["label"], "all"]} if "label" in one else one for one in _new()]
    write_lines(folder / "documents.jsonl", _known() + new)
    found = figures(path, folder)["labels"]
    assert found["micro_f1_links"] > found["micro_f1"]
    assert found["per_label_told_from"] == "words and links"
    assert "confusion" not in found
    output = run("evaluate", path, folder, "--split", "test").stdout
    assert "accuracy with links (all labels of a document)" in output
