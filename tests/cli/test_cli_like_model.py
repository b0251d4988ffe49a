"""Commands that apply a model read texts as the texts of the model were read."""

from __future__ import annotations

import numpy as np
import polars
import pytest

from plait import Corpus, load, read_corpus, save
from tests.cli.small import QUICK, documents, labelled, write_lines

GERMAN = [
    "Die Flüsse fließen in den See",
    "Der Fluss fließt durch die Stadt und in das Meer",
    "Die Banken geben Kredite",
]


@pytest.fixture
def german_file(tmp_path):
    rows = [{"id": f"g{n}", "text": f"{GERMAN[n % 3]} {2000 + n}", "split": "ab"[n % 2]} for n in range(30)]
    return write_lines(tmp_path / "german.jsonl", rows)


def fit(run, path, target, *options):
    result = run("fit", path, "-o", target, *QUICK, "--min-df", "1", *options)
    assert result.exit_code == 0, result.output
    return load(target)


@pytest.mark.parametrize(
    "options", [["--stems"], ["--numbers", "keep"], ["--phrases"], ["--keep-case", "--stop-words", "none"]], ids=str
)
def test_transform_reads_as_the_model_did(options, run, german_file, tmp_path):
    model = fit(run, german_file, tmp_path / "m.plait", "--language", "de", *options)
    result = run("transform", tmp_path / "m.plait", german_file, "-o", tmp_path / "out.csv")
    assert result.exit_code == 0
    assert "token outside" not in result.output
    table = polars.read_csv(tmp_path / "out.csv")
    found = table.select(polars.selectors.starts_with("topic_")).to_numpy()
    np.testing.assert_allclose(found, model.transform(read_corpus(german_file, like=model)))


def test_evaluate_and_links_read_as_the_model_did(run, german_file, tmp_path):
    fit(run, german_file, tmp_path / "m.plait", "--language", "de", "--stems")
    result = run("evaluate", tmp_path / "m.plait", german_file)
    assert result.exit_code == 0
    assert "token outside" not in result.output


def test_a_contradicting_option_is_an_error(run, german_file, tmp_path):
    fit(run, german_file, tmp_path / "m.plait")
    for command in (["transform", "-o", tmp_path / "out.csv"], ["evaluate"]):
        refused = run(command[0], tmp_path / "m.plait", german_file, "--keep-case", *command[1:])
        assert refused.exit_code == 1
        assert "converted to lower case; leave --keep-case out" in refused.stderr


def test_models_that_do_not_know_say_so(run, corpus_file, tmp_path):
    model = fit(run, corpus_file, tmp_path / "m.plait")
    model.text_options_ = None  # as in files of earlier versions
    save(model, tmp_path / "old.plait")
    result = run("transform", tmp_path / "old.plait", corpus_file, "-o", tmp_path / "out.csv")
    assert result.exit_code == 0
    assert "texts are split as scikit-learn's CountVectorizer does" in result.stderr
    tokens = [{"id": one["id"], "tokens": one["text"].split()} for one in documents()]
    path = write_lines(tmp_path / "tokens.jsonl", tokens)
    for name in ("m.plait", "old.plait"):
        result = run("transform", tmp_path / name, path, "-o", tmp_path / f"{name}.csv")
        assert (result.exit_code, result.stderr) == (0, "")


def test_transform_and_predict_take_one_split(run, german_file, tmp_path):
    fit(run, german_file, tmp_path / "m.plait")
    assert run("transform", tmp_path / "m.plait", german_file, "-o", tmp_path / "a.csv", "--split", "a").exit_code == 0
    assert polars.read_csv(tmp_path / "a.csv")["id"].to_list() == [f"g{n}" for n in range(0, 30, 2)]
    wrong = run("transform", tmp_path / "m.plait", german_file, "-o", tmp_path / "b.csv", "--split", "test")
    assert wrong.exit_code == 1
    assert 'belongs to the split "test"; its splits are a, b' in wrong.stderr
    path = write_lines(tmp_path / "labelled.jsonl", labelled())
    fit(run, path, tmp_path / "labels.plait", "--model", "medlda", "--split", "train")
    result = run("predict", tmp_path / "labels.plait", path, "-o", tmp_path / "p.csv", "--split", "test")
    assert result.exit_code == 0
    assert polars.read_csv(tmp_path / "p.csv").height == sum(one["split"] == "test" for one in labelled())
    other = run(
        "predict", tmp_path / "labels.plait", path, "-o", tmp_path / "q.csv", "--split", "x", "--split-field", "id"
    )
    assert 'belongs to the split "x"' in other.stderr


def test_tokens_may_follow_the_options_of_a_corpus_of_texts():
    texts = Corpus.from_texts(["The river and the lake", "The bank and the loan"], language="en")
    frame = polars.DataFrame({"tokens": [["river", "loan", "the"]]})
    assert Corpus.from_frame(frame, like=texts).vocabulary.tolist() == ["loan", "river"]
    with pytest.raises(ValueError, match="language= is for text"):
        Corpus.from_frame(frame, language="en")
