"""Models whose words may draw from linked documents: how they are fitted, and what `plait influence` says of them."""

from __future__ import annotations

import json

import numpy as np
import polars
import pytest
import scipy.sparse as sparse

from plait.cli.io import batches
from plait.corpus import read_corpus
from plait.models import LinkedLDA, TopicModel
from plait.store import load, save
from tests.cli.small import MONEY, QUICK, WATER, lines_from_reading, write_lines

LINKED = ["--model", "linked"]
READ = {".csv": polars.read_csv, ".jsonl": polars.read_ndjson, ".parquet": polars.read_parquet}


def _mistake(result, code: int = 1) -> str:
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.replace("│", " ").split())


def _rows(result) -> list[list[str]]:
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.stdout.splitlines()]


def test_fit_says_what_is_followed_and_who_shapes_others(run, linked_folder, tmp_path):
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *LINKED, *QUICK, "--most-links", "1")
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    assert lines[1] == (
        "180 links to follow; 90 beyond the heaviest of each document are not followed "
        "(ties are broken at random; --most-links follows more)"
    )
    model = load(tmp_path / "m.plait")
    assert isinstance(model, LinkedLDA)
    assert model.n_cut_links_ == 90
    first = model.most_influential(1)[0]
    place = lines.index("most influential documents (tokens of other documents):")
    assert lines[place + 1] == f"  {first.document}: {first.words:.1f} tokens of {first.documents} documents"
    assert lines[place - 1].endswith("% of all tokens come from linked documents")


def test_options_of_influence_reach_the_model(run, linked_folder, tmp_path):
    path = tmp_path / "m.plait"
    given = ["--openness", "3", "--most-links", "all", "--direction", "both"]
    assert run("fit", linked_folder, "-o", path, *LINKED, *QUICK, *given).exit_code == 0
    parameters = load(path).get_params()
    assert (parameters["p"], parameters["most_links"], parameters["direction"]) == (3.0, None, "both")
    assert run("fit", linked_folder, "-o", path, *LINKED, *QUICK, "--p", "4", "--force").exit_code == 0
    parameters = load(path).get_params()
    assert (parameters["p"], parameters["most_links"], parameters["direction"]) == (4.0, 10, "out")


def test_documents_without_links_are_counted(run, linked_folder, tmp_path):
    (tmp_path / "few.csv").write_text("source,target\nd0,d3\nd3,d6\n", encoding="utf-8")
    options = [*LINKED, *QUICK, "--links", tmp_path / "few.csv"]
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *options)
    assert "2 links to follow; 88 documents have none" in result.stdout
    result = run("fit", linked_folder, "-o", tmp_path / "m.plait", *options, "--direction", "both", "--force")
    assert "4 links to follow; 87 documents have none" in result.stdout


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--openness", "3"], 2, "--openness is for --model linked or combined"),
        (["--most-links", "3"], 2, "--most-links is for --model linked or combined"),
        (["--model", "relational", "--direction", "in"], 2, "--direction is for --model linked or combined"),
        ([*LINKED, "--most-links", "none"], 2, "'none' is not a number of links, 1 or more, or all"),
        ([*LINKED, "--most-links", "0"], 2, "'0' is not a number of links, 1 or more, or all"),
        ([*LINKED, "--cost", "3"], 2, "--cost is for --model medlda or relational or combined"),
        ([*LINKED, "--openness", "0"], 1, "must lie between 1e-06 and 1e+06, not 0.0 (option --openness)"),
    ],
)
def test_options_that_cannot_work(run, linked_folder, tmp_path, options, code, line):
    assert line in _mistake(run("fit", linked_folder, "-o", tmp_path / "m.plait", *options), code)
    assert not (tmp_path / "m.plait").exists()


def test_a_corpus_without_links_is_refused(run, corpus_file, tmp_path):
    line = _mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", *LINKED, *QUICK))
    assert "no document links to another; name a file of links with --links" in line


def test_a_number_of_topics_can_be_chosen(run, linked_folder, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", linked_folder, "-o", path, *LINKED, *QUICK[2:], "--topics", "1,3")
    assert result.exit_code == 0, result.stderr
    assert load(path).n_topics == 3


def test_a_stopped_fit_goes_on_to_the_same_bits(run, linked_folder, tmp_path, monkeypatch):
    from tests.models.small import press_ctrl_c_in_sweep

    path, whole = tmp_path / "m.plait", tmp_path / "w.plait"
    command = ("fit", linked_folder, *LINKED, *QUICK, "--hold-out", "0.2", "--openness", "5")
    assert run(*command, "-o", whole).exit_code == 0
    with monkeypatch.context() as patch:
        press_ctrl_c_in_sweep(5, patch)
        assert run(*command, "-o", path).exit_code == 130
    line = _mistake(run(*command[:-1], "6", "-o", path, "--resume"))
    assert "was started with --openness 5.0, not 6.0" in line
    assert run(*command, "-o", path, "--resume").exit_code == 0
    assert len(load(path).doc_ids_) == 72
    assert np.array_equal(load(path).influence_.toarray(), load(whole).influence_.toarray())


def test_the_documents_that_others_draw_from_most(run, influence_model):
    result = run("influence", influence_model, "--top", "3")
    header, *rows, last = _rows(result)
    assert header == ["document", "tokens", "of", "others", "linked", "documents"]
    found = load(influence_model).most_influential(3)
    assert rows == [[one.document, f"{one.words:.1f}", str(one.documents)] for one in found]
    assert " ".join(last[1:]) == "of all tokens come from linked documents"


def test_whom_documents_draw_from(run, influence_model):
    model = load(influence_model)
    row_of = {name: row for row, name in enumerate(model.doc_ids_)}
    n_cut = [int((model.influence_[[row]].data == 0).sum()) for row in range(len(row_of))]
    drawing = next(name for name, row in row_of.items() if n_cut[row] == 1)
    other = next(name for name in model.doc_ids_ if name != drawing and model.influencers(name))
    rows = _rows(run("influence", influence_model, drawing, other))
    assert rows[0] == ["document", "source", "share"]
    own = model.influence_[row_of[drawing], row_of[drawing]]
    assert rows[1] == [drawing, "itself", f"{own:.1%}"]
    best = model.influencers(drawing)[0]
    assert rows[2] == [best.document, f"{best.share:.1%}"]
    assert rows[3][:2] == [other, "itself"]
    cut = f"{drawing}: 1 link beyond the heaviest was not followed (plait fit --most-links follows more)"
    assert cut.split() in rows


def test_those_that_are_not_shown_are_counted(run, combined_model):
    model = load(combined_model)
    name = next(name for name in model.doc_ids_ if len(model.influencers(name)) == 2)
    first, second = model.influencers(name)
    rows = _rows(run("influence", combined_model, name, "--top", "1"))
    assert rows[2:4] == [[first.document, f"{first.share:.1%}"], ["1", "more", f"{second.share:.1%}"]]
    assert len(rows) == 4


@pytest.mark.parametrize("suffix", READ)
def test_writes_all_links_with_their_influence(run, influence_model, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    result = run("influence", influence_model, "-o", out)
    assert result.exit_code == 0, result.stderr
    model = load(influence_model)
    table = READ[suffix](out)
    assert table.columns == ["source", "target", "influence"]
    assert table.height == model.influence_.nnz - len(model.doc_ids_)
    assert f"{table.height} links of 72 documents" in result.stdout
    row_of = {name: row for row, name in enumerate(model.doc_ids_)}
    matrix = model.influence_.toarray()
    for source, target, share in table.iter_rows():
        assert source != target
        assert share == pytest.approx(matrix[row_of[source], row_of[target]])
    assert (table["influence"] == 0).sum() == model.n_cut_links_ > 0
    assert "exists already" in _mistake(run("influence", influence_model, "-o", out))
    name = table["source"][0]
    assert run("influence", influence_model, name, "-o", out, "--force").exit_code == 0
    assert READ[suffix](out).rows() == [row for row in table.iter_rows() if row[0] == name]


def test_documents_of_a_matrix_are_named_by_their_rows(run, tmp_path):
    counts = np.random.default_rng(0).poisson(1.0, size=(9, 6))
    links = np.eye(9, k=1)
    model = LinkedLDA(2, n_sweeps=5, n_samples=1, random_state=0, verbose=False).fit(counts, links=links)
    path = save(model, tmp_path / "m.plait")
    rows = _rows(run("influence", path, "3"))
    assert rows[1][:2] == ["3", "itself"]
    assert rows[2][0] == "4"
    assert run("influence", path, "-o", tmp_path / "x.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "x.csv").select("source", "target").rows() == [(i, i + 1) for i in range(8)]


def test_mistakes_of_influence(run, influence_model, link_model, tmp_path):
    assert "'nobody' is not the id of a training document" in _mistake(run("influence", influence_model, "nobody"))
    line = _mistake(run("influence", link_model))
    assert "holds a RelationalTopicModel, which does not follow links" in line
    assert "plait fit --model linked" in line
    assert "use a file name that ends in .csv" in _mistake(run("influence", influence_model, "-o", tmp_path / "x.txt"))
    line = _mistake(run("predict", influence_model, tmp_path / "new", "-o", tmp_path / "x.csv"))
    assert "predicts no labels; plait influence" in line


@pytest.fixture
def new_file(tmp_path):
    rows = [{"id": "new", "text": "loan lake"}, {"id": "alone", "text": "loan lake"}]
    return write_lines(tmp_path / "new.jsonl", rows)


@pytest.fixture
def new_links(tmp_path, influence_model):
    """A file of links from a new document to two of the model's about money, and others that are of no use."""
    known = [name for name in load(influence_model).doc_ids_ if int(name[1:]) % 3 == 0][:2]
    lines = [f"new,{known[0]}", f"new,{known[1]}", "new,nobody", f"elsewhere,{known[0]}", "new,new"]
    (tmp_path / "new.csv").write_text("\n".join(["source,target", *lines]) + "\n", encoding="utf-8")
    return tmp_path / "new.csv"


@pytest.fixture
def given_links(monkeypatch):
    """Links of new documents that models were given."""
    seen = []
    plain = LinkedLDA.transform

    def transform(model, documents, *, links=None):
        seen.append(None if links is None else np.asarray(links.todense() if sparse.issparse(links) else links))
        return plain(model, documents, links=links)

    monkeypatch.setattr(LinkedLDA, "transform", transform)
    return seen


def test_topics_of_new_documents_follow_their_links(run, influence_model, new_file, new_links, given_links, tmp_path):
    out = tmp_path / "out.csv"
    result = run("transform", influence_model, new_file, "-o", out, "--links", new_links)
    assert result.exit_code == 0, result.stderr
    line = result.stdout.splitlines()[1]
    assert line.startswith("used 2 links of 1 document; 2 other links in the file do not go to a known source document")
    assert line.endswith("skipped 1 × self link")
    model = load(influence_model)
    corpus = read_corpus(new_file).with_vocabulary(model.vocabulary_)
    links = np.zeros((2, 72))
    known = [line.split(",")[1] for line in new_links.read_text().splitlines()[1:3]]
    links[0, [model.doc_ids_.tolist().index(name) for name in known]] = 1
    table = polars.read_csv(out)
    assert table["id"].to_list() == ["new", "alone"]
    assert table.drop("id", "tokens").to_numpy() == pytest.approx(model.transform(corpus, links=links))
    assert given_links[0].tolist() == links.tolist()


@pytest.mark.parametrize("at_once", [1, 2048])
def test_new_documents_follow_links_to_each_other(
    run, influence_model, new_file, new_links, given_links, tmp_path, monkeypatch, at_once
):
    monkeypatch.setattr(batches, "DOCUMENTS_AT_ONCE", at_once)
    with new_links.open("a", encoding="utf-8") as file:
        file.write("alone,new\nnobody,new\n")
    out = tmp_path / "out.csv"
    result = run("transform", influence_model, new_file, "-o", out, "--links", new_links)
    assert result.exit_code == 0, result.stderr
    line = result.stdout.splitlines()[1]
    assert line.startswith(
        "used 3 links of 2 documents; 3 other links in the file do not go to a known source document"
    )
    model = load(influence_model)
    corpus = read_corpus(new_file).with_vocabulary(model.vocabulary_)
    known = [line.split(",")[1] for line in new_links.read_text().splitlines()[1:3]]
    links = np.zeros((2, 74))
    links[0, [model.doc_ids_.tolist().index(name) for name in known]] = 1
    links[1, 72] = 1
    assert [given.tolist() for given in given_links] == [links.tolist()]
    shares = polars.read_csv(out).drop("id", "tokens").to_numpy()
    assert shares == pytest.approx(model.transform(corpus, links=links))
    assert shares[1] != pytest.approx(model.transform(corpus, links=links[:, :72])[1])


def test_links_to_a_known_document_that_is_given_again_lead_to_the_known_one(
    run, influence_model, given_links, tmp_path
):
    known = load(influence_model).doc_ids_.tolist()
    rows = [{"id": known[0], "text": "loan lake"}, {"id": "new", "text": "loan lake"}]
    path = write_lines(tmp_path / "again.jsonl", rows)
    (tmp_path / "l.csv").write_text(f"source,target\nnew,{known[0]}\nnew,other\n", encoding="utf-8")
    result = run("transform", influence_model, path, "-o", tmp_path / "x.csv", "--links", tmp_path / "l.csv")
    assert "used 1 link of 1 document; 1 other link in the file does not go" in result.stdout
    assert [given.shape for given in given_links] == [(2, 72)]
    assert given_links[0].nonzero()[0].tolist() == [1]
    assert given_links[0].nonzero()[1].tolist() == [0]


def test_labels_of_new_documents_follow_their_links(run, combined_model, new_file, new_links, tmp_path, monkeypatch):
    seen = []
    plain = TopicModel.decision_function

    def decision_function(model, documents, *, links=None):
        seen.append(links.toarray().sum(axis=1).tolist())
        return plain.__get__(model)(documents, links=links)

    monkeypatch.setattr(TopicModel, "decision_function", decision_function)
    monkeypatch.setattr(batches, "DOCUMENTS_AT_ONCE", 1)
    result = run("predict", combined_model, new_file, "-o", tmp_path / "out.csv", "--links", new_links)
    assert result.exit_code == 0, result.stderr
    # The file joins "new" to "nobody", so all documents are read at once; but "nobody" is not among them.
    assert seen == [[2, 0]]
    assert "used 2 links of 1 document" in result.stdout
    with new_links.open("a", encoding="utf-8") as file:
        file.write("alone,new\n")
    result = run("predict", combined_model, new_file, "-o", tmp_path / "both.csv", "--links", new_links)
    assert seen[1:] == [[2, 1]]
    assert "used 3 links of 2 documents" in result.stdout


def test_links_say_nothing_to_models_that_do_not_follow_them(run, link_model, new_file, new_links, tmp_path):
    line = _mistake(run("transform", link_model, new_file, "-o", tmp_path / "x.csv", "--links", new_links))
    assert "--links is for models that follow links" in line
    assert "holds a RelationalTopicModel" in line


def test_direction_says_which_end_is_new(run, linked_folder, new_file, given_links, tmp_path):
    path = tmp_path / "m.plait"
    assert run("fit", linked_folder, "-o", path, *LINKED, *QUICK, "--direction", "in").exit_code == 0
    (tmp_path / "l.csv").write_text("source,target\nd0,new\nd3,new\nnew,d6\n", encoding="utf-8")
    result = run("transform", path, new_file, "-o", tmp_path / "x.csv", "--links", tmp_path / "l.csv")
    assert "used 2 links of 1 document; 1 other link in the file does not go" in result.stdout
    model = load(path)
    links = np.zeros((2, 90))
    links[0, [model.doc_ids_.tolist().index(name) for name in ("d0", "d3")]] = 1
    corpus = read_corpus(new_file).with_vocabulary(model.vocabulary_)
    found = polars.read_csv(tmp_path / "x.csv").drop("id", "tokens").to_numpy()
    assert found == pytest.approx(model.transform(corpus, links=links))
    assert given_links[0].tolist() == links.tolist()


def test_evaluate_also_measures_with_links(run, influence_model, linked_folder):
    result = run("evaluate", influence_model, linked_folder, "--split", "test", "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    model = load(influence_model)
    whole = read_corpus(linked_folder)
    test = whole.part("test").with_vocabulary(model.vocabulary_)
    row_of = {name: row for row, name in enumerate(whole.ids)}
    links = whole.links[[row_of[name] for name in test.ids]][:, [row_of[name] for name in model.doc_ids_]]
    for method in ("completion", "fold_in"):
        assert found[f"perplexity_{method}_links"] == pytest.approx(model.perplexity(test, method, links=links))
        assert found[f"perplexity_{method}_links"] != found[f"perplexity_{method}"]
    (linked_folder / "links.csv").unlink()
    result = run("evaluate", influence_model, linked_folder, "--split", "test", "--format", "json")
    assert "perplexity_completion_links" not in json.loads(result.stdout)


def test_themes_are_found(run, influence_model):
    found = {frozenset(topic.words) for topic in load(influence_model).topics(top=8)}
    assert {frozenset(WATER), frozenset(MONEY)} <= found
