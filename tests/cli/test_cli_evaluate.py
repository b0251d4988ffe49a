from __future__ import annotations

import json

import numpy as np
import pytest

from plait import read_corpus
from plait.metrics import coherence
from plait.store import load
from tests.cli.small import documents, write_lines


@pytest.fixture
def figures(run, model_file, corpus_file):
    result = run("evaluate", model_file, corpus_file, "--split", "test", "--format", "json", "--top", "5")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_figures_are_the_librarys(figures, model_file, corpus_file):
    model = load(model_file)
    test = read_corpus(corpus_file).part("test").with_vocabulary(model.vocabulary_)
    assert figures["documents"] == 12
    assert figures["tokens"] == test.n_tokens
    assert figures["perplexity_completion"] == model.perplexity(test)
    assert figures["perplexity_fold_in"] == model.perplexity(test, method="fold_in")
    words = [topic.words for topic in model.topics(top=5)]
    assert figures["coherence_npmi"] == pytest.approx(coherence(words, test).mean())
    assert figures["coherence_c_v"] == pytest.approx(coherence(words, test, measure="c_v").mean())
    assert figures["topic_diversity"] == len({*words[0], *words[1]}) / 10


def test_the_baseline_is_the_frequency_of_words_in_the_training_documents(figures, model_file, corpus_file):
    whole = read_corpus(corpus_file)
    train = whole.part("train").counts.sum(axis=0) + load(model_file).beta_
    test = whole.part("test").counts.sum(axis=0)
    expected = np.exp(-(test @ np.log(train / train.sum())) / test.sum())
    assert figures["perplexity_unigram"] == pytest.approx(expected, rel=1e-6)
    assert figures["perplexity_completion"] < expected


def test_a_table_with_the_baseline_beside_the_model(run, model_file, corpus_file, figures):
    result = run("evaluate", model_file, corpus_file, "--split", "test")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["measure", "model", "unigram", "baseline", "better", "is"]
    assert len(lines) == 7
    assert lines[6].startswith("Fold-in is optimistic")
    *_, model, baseline, better = lines[1].split()
    assert float(model) == pytest.approx(figures["perplexity_completion"], abs=0.05)
    assert float(baseline) == pytest.approx(figures["perplexity_unigram"], abs=0.05)
    assert better == "lower"


def test_documents_that_the_model_was_fitted_to_are_pointed_out(run, model_file, corpus_file):
    result = run("evaluate", model_file, corpus_file, "--format", "json")
    assert "the model was fitted to 48 of the documents: their scores are too good" in result.stderr
    assert json.loads(result.stdout)["documents_fitted_to"] == 48


def test_what_was_left_out_is_said(run, model_file, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [*documents(6), {"id": "x", "text": "zebra zebra river boat"}])
    result = run("evaluate", model_file, path)
    assert (
        "nothing skipped; 2 tokens not in the model's vocabulary (dropped when it was fitted, or new)" in result.stderr
    )


def test_documents_of_unknown_words_only(run, model_file, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [{"id": "x", "text": "zebra lion"}])
    result = run("evaluate", model_file, path)
    assert result.exit_code == 1
    assert "no tokens to predict" in result.stderr.splitlines()[-1]


def test_an_unknown_split(run, model_file, corpus_file):
    result = run("evaluate", model_file, corpus_file, "--split", "dev")
    assert result.exit_code == 1
    assert '"dev"' in result.stderr
