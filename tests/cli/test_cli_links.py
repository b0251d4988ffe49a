from __future__ import annotations

import json

import polars
import pytest

from plait.store import load
from tests.cli.small import MUSIC, QUICK, THREE, WATER, lines_from_reading, write_lines, write_linked

RELATIONAL = ["--model", "relational", "--pair-features", "none"]


def _mistake(result, code: int = 1) -> str:
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.replace("│", " ").split())


def theme_of(name: str) -> str:
    return ("money", "music", "water")[int(name.removeprefix("d")) % 3]


@pytest.fixture
def new_file(tmp_path):
    rows = [{"id": "song", "text": " ".join(MUSIC)}, {"id": "sea", "text": " ".join(WATER)}]
    return write_lines(tmp_path / "new.jsonl", rows)


def test_fit_says_what_is_learned_and_which_topics_link(run, linked_folder, tmp_path):
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *THREE)
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    assert lines[1] == "180 links"
    assert "learned from 180 directed links and 1,800 unlinked pairs" in lines
    assert sum("links to topic" in line for line in lines) == 5
    header = next(line for line in lines if line.startswith("topic"))
    assert header.split("  ")[-1].strip() == "words"
    assert "links to" in header
    model = load(tmp_path / "m.plait")
    assert (model.n_links_, model.n_negatives_, model.directed_) == (180, 1800, True)


def test_options_of_links_reach_the_model(run, linked_folder, tmp_path):
    given = ["--link-weights", "diagonal", "--undirected", "--negative-share", "0.1", "--fresh-negatives", "3"]
    given += ["--negative-cost", "2", "--weights-every", "2", "--cost", "5", "--loss", "hinge", "--chains", "1"]
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *QUICK, *given)
    assert result.exit_code == 0, result.stderr
    wanted = {"form": "diagonal", "directed": False, "negative_share": 0.1, "fresh_negatives": 3, "c_negative": 2}
    wanted |= {"weights_every": 2, "c": 5, "loss": "hinge", "n_chains": 1}
    parameters = load(tmp_path / "m.plait").get_params()
    assert {name: parameters[name] for name in wanted} == wanted


def test_low_rank_weights_reach_the_model_and_others_are_refused(run, linked_folder, tmp_path):
    given = ["--link-weights", "low_rank(2)", "--chains", "1"]
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *QUICK, *given)
    assert result.exit_code == 0, result.stderr
    assert load(tmp_path / "m.plait").form == "low_rank(2)"
    result = run("fit", linked_folder, "-o", tmp_path / "n.plait", *RELATIONAL, "--link-weights", "low_rank(0)")
    assert result.exit_code == 2
    assert "'low_rank(0)' is not full, diagonal" in " ".join(result.stderr.split())


def test_pair_features_are_learned_and_named(run, linked_folder, new_file, tmp_path):
    chosen = ["--pair-features", "text, votes(5, itself)", "--chains", "1"]
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *QUICK, *chosen)
    assert result.exit_code == 0, result.stderr
    assert "weights of pair features (text, votes(5, itself)) learned from" in " ".join(result.stdout.split())
    assert load(tmp_path / "m.plait").pair_features == ["text", "votes(5, itself)"]
    result = run("links", tmp_path / "m.plait", new_file, "--top", "3", "-o", tmp_path / "found.csv")
    assert result.exit_code == 0, result.stderr
    found = polars.read_csv(tmp_path / "found.csv")
    assert found.columns == ["id", "rank", "link", "score", "value", "part", "topics"]
    assert set(found["part"]) <= {"topics", "text", "votes(5, itself)"}
    assert {theme_of(name) for name in found["link"][3:]} <= {"music", "water"}  # both are linked with water
    result = run("links", tmp_path / "m.plait", "-d", "d1")
    assert "part" in result.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("words", "there is no pair feature 'words'"),
        ("matrix(x)", "leave matrix out"),
        (",", "name at least one feature"),
    ],
)
def test_pair_features_that_cannot_be_read(run, linked_folder, tmp_path, given, message):
    options = [*RELATIONAL, "--pair-features", given]
    assert message in _mistake(run("fit", linked_folder, "-o", tmp_path / "m.plait", *options), 2)


def test_links_of_a_named_file(run, linked_folder, tmp_path):
    (tmp_path / "few.csv").write_text("source,target\nd0,d3\nd3,d6\nd1,nobody\nd2,d2\n", encoding="utf-8")
    options = ["--links", tmp_path / "few.csv"]
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    assert "1 × self link" in result.stdout
    assert "2 links; 87 documents have none: only their words are used" in result.stdout


def test_a_corpus_without_links_is_refused(run, corpus_file, tmp_path):
    line = _mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", *RELATIONAL, *QUICK))
    assert "no document links to another; name a file of links with --links" in line
    line = _mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", "--links", "x.csv"), 2)
    assert "--links is for --model relational" in line
    line = _mistake(
        run("fit", corpus_file, "-o", tmp_path / "m.plait", "--model", "medlda", "--link-weights", "full"), 2
    )
    assert "--link-weights is for --model relational" in line


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--cost", "0"], "must be a number above 0, not 0.0 (option --cost)"),
        (["--negative-cost", "0"], "must be a number above 0, not 0.0 (option --negative-cost)"),
        (
            ["--negatives", "2", "--negative-share", "0.1"],
            "give negatives_per_link or negative_share, not both (option --negative-share)",
        ),
        (
            ["--topics", "95"],
            "use at most 90 topics (126 with directed=False), or form='low_rank(8)' or 'diagonal' (option --topics)",
        ),
    ],
)
def test_settings_that_cannot_work(run, linked_folder, tmp_path, options, line):
    assert line in _mistake(run("fit", linked_folder, "-o", tmp_path / "m.plait", *RELATIONAL, *options))


def test_a_share_of_the_documents_is_held_out(run, linked_folder, tmp_path):
    path = tmp_path / "m.plait"
    for seed in (0, 1):
        options = [*RELATIONAL, *QUICK, "--hold-out", "0.2", "--seed", seed, "--force"]
        assert run("fit", linked_folder, "-o", path, *options).exit_code == 0
        ids = set(load(path).doc_ids_)
        assert len(ids) == 72
        if seed == 0:
            first = ids
    assert ids != first


@pytest.mark.parametrize("share", ["0", "1", "-0.5", "nan"])
def test_a_share_that_leaves_nothing_is_refused(run, linked_folder, tmp_path, share):
    line = _mistake(run("fit", linked_folder, "-o", tmp_path / "m.plait", f"--hold-out={share}", *QUICK), 2)
    assert "is not a share of the documents between 0 and 1, such as 0.2" in line


def test_suggests_what_new_documents_should_link_to(run, link_model, new_file):
    result = run("links", link_model, new_file, "--top", "3", "--direction", "to")
    assert result.exit_code == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    start = rows.index(["id", "rank", "link", "score", "value", "topics"]) + 1
    suggested = [row[-4] if "-" in row[-1] else row[-2] for row in rows[start : start + 6]]
    table = polars.DataFrame({"rank": [row[1] if len(row[0]) > 1 else row[0] for row in rows[start : start + 6]]})
    assert table["rank"].to_list() == ["1", "2", "3"] * 2
    assert len(suggested) == 6
    assert "2 documents, at most 3 links each; nothing skipped" in result.stdout
    assert ["topic", "words"] in rows


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_writes_what_the_model_says(run, link_model, new_file, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    result = run("links", link_model, new_file, "--top", "4", "--direction", "to", "-o", out)
    assert result.exit_code == 0, result.stderr
    read = {".csv": polars.read_csv, ".jsonl": polars.read_ndjson, ".parquet": polars.read_parquet}[suffix]
    table = read(out)
    assert table.columns == ["id", "rank", "link", "score", "value", "topics"]
    assert table["id"].to_list() == ["song"] * 4 + ["sea"] * 4
    assert table["rank"].to_list() == [1, 2, 3, 4] * 2
    assert {theme_of(name) for name in table["link"]} == {"water"}  # music links to water, and water to itself
    model = load(link_model)
    from plait.corpus import read_corpus

    suggestions = model.suggest_links(read_corpus(new_file), top=4, direction="to")
    assert table["score"].to_list() == pytest.approx([one.score for own in suggestions for one in own])
    assert "exists already" in _mistake(run("links", link_model, new_file, "-o", out))


def test_suggests_links_that_known_documents_miss(run, link_model, tmp_path):
    out = tmp_path / "out.csv"
    assert run("links", link_model, "--top", "2", "-o", out).exit_code == 0
    table = polars.read_csv(out)
    model = load(link_model)
    assert table["id"].unique(maintain_order=True).to_list() == model.doc_ids_.tolist()
    row_of = {name: row for row, name in enumerate(model.doc_ids_)}
    for name, link in table.select("id", "link").iter_rows():
        assert not model.links_[row_of[name], row_of[link]]
        assert not model.links_[row_of[link], row_of[name]]
    one = run("links", link_model, "-d", "d1", "--top", "2")
    assert "1 document of the model" in one.stdout
    assert [line.split()[0] for line in one.stdout.splitlines()][1] == "d1"


def test_mistakes_of_links(run, link_model, model_file, new_file, tmp_path):
    assert "'nobody' is not the id of a training document" in _mistake(run("links", link_model, "-d", "nobody"))
    assert "leave NEW out" in _mistake(run("links", link_model, new_file, "-d", "d1"), 2)
    assert "holds an LDA, which has not learned from links" in _mistake(run("links", model_file, new_file))
    assert "use a file name that ends in .csv" in _mistake(run("links", link_model, new_file, "-o", tmp_path / "x.txt"))
    line = _mistake(run("predict", link_model, new_file, "-o", tmp_path / "x.csv"))
    assert "predicts no labels; plait links" in line


def test_documents_without_known_words_are_counted(run, link_model, tmp_path):
    path = write_lines(tmp_path / "odd.jsonl", [{"id": "odd", "text": "xylophone zebra"}])
    result = run("links", link_model, path, "--top", "1")
    assert result.exit_code == 0
    assert (
        "1 document without a word of the model's vocabulary: their links are predicted from the prior" in result.stdout
    )


def test_topics_name_the_topic_that_each_links_to(run, link_model, tmp_path):
    found = json.loads(run("topics", link_model, "--format", "json").stdout)
    weights = load(link_model).weights_
    assert [topic["links_to"]["topic"] for topic in found] == weights.argmax(axis=1).tolist()
    header, first, *_ = run("topics", link_model, "--format", "csv").stdout.splitlines()
    assert header == "topic,share,links_to,rank,word,weight"
    assert first.split(",")[2] == str(weights[0].argmax())


def test_evaluate_ranks_links_of_new_documents_beside_baselines(run, link_model, linked_folder):
    result = run("evaluate", link_model, linked_folder, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["documents"] == 18
    links = found["links"]
    assert (links["documents_known"], links["n_documents"]) == (72, 18)
    assert links["auc"] > 0.8
    assert len(links["baselines"]) == 11
    assert {"link_rank", "auc", "average_precision", "hits"} <= links["baselines"]["TF-IDF cosine"].keys()
    table = run("evaluate", link_model, linked_folder, "--split", "test", "--no-baselines").stdout
    assert "links of 18 new documents" in table
    assert "TF-IDF" not in table
    assert "36.5 at random" in table


def test_evaluate_says_why_links_are_not_measured(run, link_model, new_file, linked_folder, model_file, tmp_path):
    result = run("evaluate", link_model, new_file, "--no-baselines")
    assert result.exit_code == 0
    assert "links are not evaluated: the corpus has no links; give some (option --links)" in result.stderr
    assert "--train is for models with labels" in _mistake(run("evaluate", link_model, new_file, "--train", new_file))
    assert "--links is for models with links" in _mistake(run("evaluate", model_file, new_file, "--links", new_file))
    whole = write_linked(tmp_path / "whole")
    assert run("fit", whole, "-o", tmp_path / "w.plait", *RELATIONAL, *QUICK).exit_code == 0
    assert "fitted to all of these documents" in _mistake(run("evaluate", tmp_path / "w.plait", whole))


def test_a_stopped_fit_goes_on(run, linked_folder, tmp_path, monkeypatch):
    path, whole = tmp_path / "m.plait", tmp_path / "w.plait"
    assert run("fit", linked_folder, "-o", whole, *RELATIONAL, *QUICK).exit_code == 0
    from tests.models.small import press_ctrl_c_in_sweep

    with monkeypatch.context() as patch:
        press_ctrl_c_in_sweep(5, patch)
        assert run("fit", linked_folder, "-o", path, *RELATIONAL, *QUICK).exit_code == 130
    assert run("fit", linked_folder, "-o", path, *RELATIONAL, *QUICK, "--resume").exit_code == 0
    assert load(path).weights_.tobytes() == load(whole).weights_.tobytes()
