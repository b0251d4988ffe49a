"""`plait knowledge`, `plait fit --prior` and `--seeds`: files, names of topics, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plait.cli.options.models import MODELS
from plait.cli.options.priors import read_seeds
from plait.errors import PlaitError
from plait.priors import SeedPrior
from plait.store import load
from tests.cli.small import MONEY, QUICK, WATER, write_lines

ARTICLES = [
    {"id": "a1", "title": "River", "text": "river stream lake fish boat rain the the"},
    {"id": "a2", "title": "Bank (finance)", "text": "bank loan money credit"},
    {"id": "a3", "title": "Opera", "text": "song guitar river"},
]


FIXED = ["--topics", 2, "--strength", 0.5]


@pytest.fixture
def articles_file(tmp_path):
    return write_lines(tmp_path / "articles.jsonl", ARTICLES)


@pytest.fixture
def prior_file(tmp_path, run, articles_file, corpus_file):
    result = run("knowledge", articles_file, corpus_file, "-o", tmp_path / "prior.plait", *FIXED, "-q")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    return tmp_path / "prior.plait"


def seeds_file(tmp_path, content='{"wet": ["river", "stream"], "dry": ["loan"]}', name="seeds.json"):
    (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / name


def test_a_prior_is_made_saved_and_reported(run, tmp_path, articles_file, corpus_file):
    path = tmp_path / "p.plait"
    options = ["--topics", 2, "--strength", 0.5, "--beta", 0.05, "--sweeps", 15, "--seed", 4]
    result = run("knowledge", articles_file, corpus_file, "-o", path, *options)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"read {corpus_file}: 60 documents")
    assert lines[1] == "3 of 3 titles searched in the texts of 60 documents"
    assert lines[2] == "2 mentioned; left out none; 2 articles used"
    assert any(line.endswith("River") for line in lines)
    assert lines[-1] == f"saved {path}: plait fit {corpus_file} --prior {path}"
    prior = load(path)
    assert (prior.n_topics, prior.strength, prior.base) == (2, 0.5, 0.05)
    assert "the" not in prior.words


def test_of_one_split_only_its_documents_are_searched(run, tmp_path, articles_file, corpus_file):
    result = run("knowledge", articles_file, corpus_file, "-o", tmp_path / "p.plait", "--split", "test", "--topics", 2)
    assert "in the texts of 12 documents" in result.stdout


def test_limits_of_mentions_and_a_chosen_strength(run, tmp_path, articles_file, corpus_file):
    options = ["--min-mentions", 19, "--topics", 2, "--method", "counts"]
    result = run("knowledge", articles_file, corpus_file, "-o", tmp_path / "p.plait", *options)
    assert result.exit_code == 1
    assert "no article is related" in result.stderr
    options = ["--min-mentions", 2, "--max-mentions", 0.9, "--strength", "auto", "--topics", 2, "--sweeps", 5]
    result = run("knowledge", articles_file, corpus_file, "-o", tmp_path / "p.plait", *options)
    assert result.exit_code == 0, result.stderr
    assert "strength  held-out perplexity" in result.stdout
    assert load(tmp_path / "p.plait").trials


def test_a_model_of_a_large_corpus_is_a_prior(run, tmp_path, corpus_file, model_file):
    path = tmp_path / "p.plait"
    result = run("knowledge", model_file, corpus_file, "-o", path, "--topics", 2, "--strength", 0.5, "--sweeps", 5)
    assert result.exit_code == 0, result.stderr
    assert "strength 0.5" in result.stdout
    assert (load(path).n_topics, load(path).articles) == (2, None)
    refused = run("knowledge", model_file, corpus_file, "-o", path, "--force", "--min-mentions", 3)
    assert refused.exit_code == 2
    assert "--min-mentions is for articles" in " ".join(refused.stderr.replace("│", " ").split())


def test_fit_begins_from_a_prior_with_as_many_topics(run, tmp_path, corpus_file, prior_file):
    path = tmp_path / "m.plait"
    result = run("fit", corpus_file, "-o", path, "--prior", prior_file, "--sweeps", 10)
    assert result.exit_code == 0, result.stderr
    model, prior = load(path), load(prior_file)
    assert model.n_topics == 2
    assert model.beta == prior
    expected = prior.for_vocabulary(model.vocabulary_, 2).pseudo_counts(2, 16)
    np.testing.assert_array_equal(model.beta_, expected)


@pytest.mark.parametrize(
    "seeds", ['{"wet": ["river", "stream"], "dry": ["loan"]}', "# two\nwet: river, stream\n\ndry: loan\n"]
)
def test_fit_begins_from_seeds_and_shows_their_names(run, tmp_path, corpus_file, seeds):
    path = tmp_path / "m.plait"
    options = ["--seeds", seeds_file(tmp_path, seeds), "--seed-strength", 7, "--beta", 0.2, "--sweeps", 30]
    result = run("fit", corpus_file, "-o", path, "--topics", 3, *options)
    assert result.exit_code == 0, result.stderr
    model = load(path)
    assert model.beta == SeedPrior({"wet": ["river", "stream"], "dry": ["loan"]}, 7.0, 0.2)
    header, wet, dry, other = [line.split() for line in result.stdout.splitlines() if line and line[0] in " t"][:4]
    assert header == ["topic", "share", "name", "words"]
    assert (wet[2], dry[2]) == ("wet", "dry")
    assert set(wet[3:6]) <= set(WATER)
    assert set(dry[3:6]) <= set(MONEY)
    assert other[2] in WATER + MONEY
    as_json = json.loads(run("topics", path, "--format", "json").stdout)
    assert [topic["name"] for topic in as_json] == ["wet", "dry", ""]
    rows = run("topics", path, "--format", "csv", "--top", 1).stdout.splitlines()
    assert rows[0] == "topic,share,name,rank,word,weight"
    assert rows[1].split(",")[2] == "wet"


@pytest.mark.filterwarnings("default")
def test_words_of_seeds_that_are_not_there_are_named_in_one_line(run, tmp_path, corpus_file):
    options = ["--seeds", seeds_file(tmp_path, '{"wet": ["river", "tide"]}'), *QUICK]
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", *options, "-q")
    assert result.stderr == "warning: 1 of 2 seed words are not in the vocabulary and are ignored: tide\n"


@pytest.mark.parametrize("model", MODELS)
def test_every_model_takes_seeds(tmp_path, model):
    from plait.cli.options.building import build_model
    from plait.cli.options.model_options import ModelOptions
    from plait.cli.options.targets import Target

    built = build_model(model, [Target.labels] if model == "combined" else [], ModelOptions(seeds=seeds_file(tmp_path)))
    assert built._make_prior() == SeedPrior({"wet": ["river", "stream"], "dry": ["loan"]})


def test_a_stopped_fit_goes_on_with_the_same_prior_only(run, tmp_path, corpus_file, prior_file, articles_file):
    path = tmp_path / "m.plait"
    begin = ["fit", corpus_file, "-o", path, "--sweeps", 12, "--tolerance", 0, "--checkpoint-every", 5]
    assert run(*begin, "--prior", prior_file).exit_code == 0
    from plait.models import LDA

    stopped = LDA(2, beta=load(prior_file), n_sweeps=12, tolerance=0, random_state=0, n_jobs=1, verbose=False)
    import plait

    stopped.fit(plait.read_corpus(corpus_file), checkpoint=path, checkpoint_every=5)
    resumed = run("fit", corpus_file, "-o", path, "--resume", "--prior", prior_file)
    assert resumed.exit_code == 0, resumed.stderr
    np.testing.assert_array_equal(load(path).topic_word_, stopped.topic_word_)
    stopped.fit(plait.read_corpus(corpus_file), checkpoint=path, checkpoint_every=5)
    other = tmp_path / "other.plait"
    run("knowledge", articles_file, corpus_file, "-o", other, "--topics", 2, "--strength", 0.7, "-q")
    refused = run("fit", corpus_file, "-o", path, "--resume", "--prior", other)
    assert refused.exit_code == 1
    assert "was started with --prior KnowledgePrior(2 topics" in refused.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prior", "PRIOR", "--seeds", "SEEDS"], "give one of them"),
        (["--prior", "PRIOR", "--beta", "0.1"], "leave --beta out"),
        (["--seed-strength", "3"], "--seed-strength is for --seeds"),
        (["--prior", "PRIOR", "--topics", "1"], "KnowledgePrior has 2 topics"),
        (["--prior", "nothing.plait"], "nothing.plait does not exist; give a prior that plait knowledge saved"),
        (["--prior", "MODEL"], r"holds a model (LDA), not a prior"),
        (["--seeds", "nothing.json"], "nothing.json cannot be read: No such file"),
        (["--seeds", "SEEDS", "--topics", "1"], "SeedPrior has 2 topics (wet, dry)"),
    ],
)
def test_what_does_not_go_together_is_refused(run, tmp_path, corpus_file, prior_file, model_file, options, message):
    places = {"PRIOR": prior_file, "SEEDS": seeds_file(tmp_path), "MODEL": model_file}
    result = run("fit", corpus_file, "-o", tmp_path / "new.plait", *(places.get(word, word) for word in options))
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_a_prior_is_no_model(run, prior_file):
    result = run("topics", prior_file)
    assert result.exit_code == 1
    assert "holds a prior (KnowledgePrior), not a model" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no seeds"),
        ("{}", "holds no seeds"),
        ('{"wet": [', "line 1: "),
        ("wet river", "line 1: no topic and words"),
        ("wet: river\nwet: sea", "line 2: the topic 'wet' is there twice"),
        ("wet:", "line 1: no topic and words"),
    ],
)
def test_files_of_seeds_that_make_no_sense_are_refused(tmp_path, content, message):
    with pytest.raises(PlaitError, match=message):
        read_seeds(seeds_file(tmp_path, content))
