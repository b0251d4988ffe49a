"""Links from files, graphs, matrices and lists, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from scipy.sparse import coo_array, csr_array

from plait.corpus import Corpus, CorpusError, read_corpus

TEXTS = ["red", "blue", "pink"]
IDS = ["a", "b", "c"]
EXPECTED = {("a", "b"): 2.0, ("b", "c"): 1.0}


def linked(links, **options) -> Corpus:
    return Corpus.from_texts(TEXTS, ids=IDS, links=links, **options)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.csv", "source,target,weight\na,b,2\nb,c,1\n"),
        ("l.csv.gz", "weight,to,from\n2,b,a\n,c,b\n"),
        ("l.tsv", "citing\tcited\tWeight\na\tb\t2\nb\tc\t1\n"),
        ("l.csv", "paper,reference\na,b\nb,c\na,b\n"),
        ("l.csv", "a,b,2\nb,c,1\n"),
        ("l.csv", "a,b\na,b\nb,c\n"),
        ("l.jsonl", '{"target": "b", "source": "a", "weight": 2}\n{"source": "b", "target": "c"}\n'),
        ("l.cites", "b\ta\nb\ta\nc\tb\n"),
    ],
)
def test_files_of_links(write, link_set, name, content):
    assert link_set(linked(write(name, content))) == EXPECTED
    assert link_set(linked(str(write(name, content)))) == EXPECTED


def test_parquet_links(tmp_path, link_set):
    polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, None]}).write_parquet(
        tmp_path / "l.parquet"
    )
    assert link_set(linked(tmp_path / "l.parquet")) == EXPECTED


def test_lists_and_matrices(link_set):
    assert link_set(linked([("a", "b", 2), ("b", "c")])) == EXPECTED
    assert link_set(linked(iter([("a", "b"), ("b", "c"), ("a", "b")]))) == EXPECTED
    matrix = np.array([[0, 2, 0], [0, 0, 1], [0, 0, 0]])
    assert link_set(linked(csr_array(matrix))) == EXPECTED
    assert link_set(linked(coo_array(matrix))) == EXPECTED


def test_graphs(tmp_path, link_set):
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", "c")
    assert link_set(linked(graph)) == EXPECTED
    networkx.write_graphml(graph, tmp_path / "l.graphml")
    assert link_set(linked(tmp_path / "l.graphml")) == EXPECTED
    undirected = graph.to_undirected()
    assert link_set(linked(undirected)) == EXPECTED | {("b", "a"): 2.0, ("c", "b"): 1.0}
    numbered = networkx.DiGraph([(1, 2)])
    assert link_set(Corpus.from_texts(TEXTS, links=numbered)) == {("1", "2"): 1.0}


def test_graphml_in_a_corpus_folder(write_jsonl, link_set):
    networkx = pytest.importorskip("networkx")
    folder = write_jsonl({"id": "a", "text": "red"}, {"id": "b", "text": "blue"}).parent
    networkx.write_graphml(networkx.DiGraph([("a", "b")]), folder / "links.graphml")
    assert link_set(read_corpus(folder)) == {("a", "b"): 1.0}
    (folder / "links.graphml").write_text("<graphml")
    with pytest.raises(CorpusError, match=r"links\.graphml is not readable GraphML"):
        read_corpus(folder)


def test_given_links_take_the_place_of_those_in_the_folder(write, write_jsonl, link_set):
    folder = write_jsonl({"id": "a", "text": "red"}, {"id": "b", "text": "blue"}).parent
    write("links.csv", "source,target\na,b\n")
    assert link_set(read_corpus(folder)) == {("a", "b"): 1.0}
    assert link_set(read_corpus(folder, links=[("b", "a", 5)])) == {("b", "a"): 5.0}


@pytest.mark.parametrize(
    ("row", "kind", "field", "message"),
    [
        ("a,zzz,1", "link to an unknown document", "target", 'no document has the id "zzz"'),
        ("zzz,a,1", "link to an unknown document", "source", 'no document has the id "zzz"'),
        ("a,empty,1", "link to a skipped document", "target", 'the document "empty" was skipped'),
        ("b,b,1", "self link", "", '"b" links to itself'),
        (",b,1", "missing id", "source", "the link has no id in this field"),
        ("a,b,-2", "bad weight", "weight", '"-2" is not a finite number above 0'),
        ("a,b,0", "bad weight", "weight", "above 0"),
        ("a,b,nan", "bad weight", "weight", "above 0"),
        ("a,b,inf", "bad weight", "weight", "above 0"),
        ("a,b,heavy", "bad weight", "weight", '"heavy"'),
        ("a,b", "broken row", "", "the row has 2 cells where the first has 3"),
    ],
)
def test_links_that_cannot_be_used(write, write_jsonl, link_set, row, kind, field, message):
    documents = [{"id": "a", "text": "red"}, {"id": "b", "text": "blue"}]
    skipped = kind == "link to a skipped document"
    folder = write_jsonl(*documents, *([{"id": "empty", "text": ""}] if skipped else [])).parent
    write("links.csv.gz", f"source,target,weight\nb,a,1\n{row}\na,b,1\n")
    corpus = read_corpus(folder, on_error="skip", max_skipped=1.0)
    assert corpus.skipped[kind] == 1
    assert link_set(corpus) == {("b", "a"): 1.0, ("a", "b"): 1.0}
    if not skipped:
        where = f'line 3, field "{field}": ' if field else "line 3: "
        with pytest.raises(CorpusError, match=rf"^links\.csv\.gz, {where}.*{message}") as caught:
            read_corpus(folder, on_error="raise")
        assert (caught.value.kind, caught.value.field) == (kind, field)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (csr_array((2, 2)), "links is 2 × 2 but there are 3 documents"),
        ([("a", "b", 1, 1)], "links, item 1"),
        (["ab"], "links, item 1"),
        (7, "links is 7"),
        ({"a": "b"}, "links is"),
        ("nowhere.csv", "there is no file nowhere.csv"),
        ([("a", "a")], 'links, item 1: "a" links to itself'),
    ],
)
def test_links_of_the_wrong_shape(links, message):
    with pytest.raises(CorpusError, match=message):
        linked(links)


def test_link_files_of_the_wrong_kind(write):
    with pytest.raises(CorpusError, match=r"l\.docx has no known format for links"):
        linked(write("l.docx", "x"))
    with pytest.raises(CorpusError, match=r"l\.csv is empty"):
        linked(write("l.csv", ""))
    with pytest.raises(CorpusError, match="two fields, source and target, but the only field is source"):
        linked(write("l.csv", "source\na\n"))


def test_no_links_in_a_file_of_links_is_not_no_file(write):
    corpus = linked(write("l.csv", "source,target\n"))
    assert corpus.n_links == 0
    assert corpus.links is not None


def test_self_links_of_a_matrix_are_counted():
    corpus = linked(csr_array(np.eye(3)), on_error="skip")
    assert corpus.skipped["self link"] == 3
    assert corpus.n_links == 0


def test_self_links_of_a_folder_are_skipped_with_a_warning(write, write_jsonl, link_set):
    folder = write_jsonl({"id": "a", "text": "red"}, {"id": "b", "text": "blue"}).parent
    write("links.csv", "source,target\nb,b\na,b\na,a\n")
    with pytest.warns(UserWarning, match=r"skipped 2 links from a document to itself \(links\.csv, line 2; ") as seen:
        corpus = read_corpus(folder)
    assert len(seen) == 1
    assert link_set(corpus) == {("a", "b"): 1.0}
    assert corpus.skipped["self link"] == 2


def test_a_matrix_with_links_from_python():
    corpus = Corpus.from_matrix([[1], [1]], ids=["a", "b"], links=[("a", "b")])
    assert corpus.links.toarray().tolist() == [[0, 1], [0, 0]]
    with pytest.raises(CorpusError, match=r"unknown|no document"):
        Corpus.from_matrix([[1], [1]], links=[("0", "1")])
