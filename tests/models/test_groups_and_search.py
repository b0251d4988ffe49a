"""Topics of groups of documents, similar topics, and documents found by words or topics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import jensenshannon

from plait import LDA, Corpus, MedLDA, OnlineLDA, PlaitError
from plait.models.methods.documents import topic_slices

QUICK = {"n_topics": 3, "n_sweeps": 20, "n_samples": 2, "random_state": 0, "verbose": False}
TEXTS = ["river stream bank water", "stream river boat", "money loan bank credit", "loan money money debt"] * 6


def rivers(**changes) -> Corpus:
    given = {
        "ids": [f"d{number}" for number in range(24)],
        "titles": [f"Title {number}" for number in range(24)],
        "labels": [["water", "wet"], ["water"], ["money"], []] * 6,
        "splits": ["train"] * 20 + ["test"] * 4,
        "times": [f"{1990 + number // 6}-05-01" for number in range(24)],
        "metadata": {"party": ["green", "green", "blue", ""] * 6},
    }
    return Corpus.from_texts(TEXTS, **(given | changes))


@pytest.fixture(scope="module")
def model():
    return LDA(**QUICK).fit(rivers())


@pytest.mark.parametrize(
    ("field", "groups"),
    [
        ("party", {"blue": [2], "green": [0, 1], None: [3]}),
        ("label", {"money": [2], "water": [0, 1], "wet": [0], None: [3]}),
    ],
)
def test_shares_per_value_are_means_of_documents(model, field, groups):
    frame = model.topics_per(field)
    assert frame.columns == [field, "documents", "topic", "name", "share"]
    assert frame[field].unique(maintain_order=True).to_list() == list(groups)
    for value, kinds in groups.items():
        rows = [row for row in range(24) if row % 4 in kinds]
        own = frame.filter(frame[field].eq_missing(value))
        assert own["documents"].to_list() == [len(rows)] * 3
        assert own["share"].to_list() == pytest.approx(model.doc_topic_[rows].mean(axis=0).tolist())
        assert own["name"][0] == " ".join(model.topics(4)[0].words)


def test_splits_and_unknown_fields(model):
    assert model.topics_per("split")["documents"].to_list() == [4] * 3 + [20] * 3
    with pytest.raises(PlaitError, match="no field 'parti' of its documents; it knows label, split, 'party'"):
        model.topics_per("parti")
    with pytest.raises(PlaitError, match="fit with keep='titles'"):
        LDA(**QUICK, keep="nothing").fit(rivers()).topics_per("party")
    with pytest.raises(PlaitError, match="no field 'label'"):
        LDA(**QUICK).fit(rivers().counts).topics_per("label")


@pytest.mark.parametrize(("by", "n_slices"), [("year", 4), (2, 2), (["1990", "1992", "1994"], 2)])
def test_shares_over_time_are_means_of_documents(model, by, n_slices):
    frame = model.topics_over(by)
    assert frame.columns == ["slice", "documents", "topic", "name", "share"]
    assert frame.height == 3 * n_slices
    size = 24 // n_slices
    expected = [model.doc_topic_[start : start + size].mean(axis=0) for start in range(0, 24, size)]
    assert frame["share"].to_list() == pytest.approx(np.concatenate(expected).tolist())


def test_empty_slices_and_documents_without_a_time():
    times = ["1990-01-01"] * 12 + ["1992-01-01"] * 11 + [None]
    model = LDA(**QUICK).fit(rivers(times=times))
    with pytest.warns(UserWarning, match="1 of 24 documents have no time"):
        frame = model.topics_over("year")
    assert frame["slice"].unique(maintain_order=True).to_list() == ["1990", "1991", "1992"]
    assert frame["documents"].to_list() == [12] * 3 + [0] * 3 + [11] * 3
    assert frame["share"].is_null().to_list() == [False] * 3 + [True] * 3 + [False] * 3
    with pytest.warns(UserWarning, match="left out"):
        slices = topic_slices(model, "year")
    assert [one.empty for one in slices] == [False, True, False]
    assert slices[0].topic_tokens.tolist() == pytest.approx((12 * slices[0].topic_share).tolist())
    assert np.isnan(slices[0].drift).all()


def test_bad_times(model):
    with pytest.raises(PlaitError, match="no time of its documents; name the field with date="):
        LDA(**QUICK).fit(rivers(times=None)).topics_over("year")
    with pytest.raises(PlaitError, match='by is "decade"'):
        model.topics_over("decade")


def test_a_stream_has_shares_over_other_slices():
    model = OnlineLDA(**QUICK).fit(rivers(), times="year")
    assert model.topics_over(2)["documents"].to_list() == [12] * 6


def test_similarity_of_topics(model):
    frame = model.topic_similarity()
    found = frame.drop("topic").to_numpy()
    for first in range(3):
        for second in range(3):
            distance = jensenshannon(model.topic_word_[first], model.topic_word_[second], base=2)
            assert found[first, second] == pytest.approx(1 - distance, abs=1e-9)
    assert frame["topic"].to_list() == frame.columns[1:]
    pandas = LDA(**QUICK).fit(rivers()).set_output(transform="pandas").topic_similarity()
    assert pandas.index.tolist() == pandas.columns.tolist()
    np.testing.assert_array_equal(pandas.to_numpy(), found)


def test_the_tree_of_topics(model):
    tree = model.topic_hierarchy()
    assert is_valid_linkage(tree.linkage)
    assert sorted(tree.tree.topics) == [0, 1, 2]
    assert len(tree.nodes) == 5
    assert tree.groups(1) == [[0, 1, 2]]
    assert tree.groups(3) == [[0], [1], [2]]
    assert sorted(map(len, tree.groups(2))) == [1, 2]
    assert tree.to_frame().columns == ["node", "first", "second", "distance", "topics", "words"]
    assert len(repr(tree).splitlines()) == 5
    assert "<table" in tree._repr_html_()
    joined = tree.nodes[3]
    words = model.topic_share_[list(joined.topics)] @ model.topic_word_[list(joined.topics)]
    assert joined.words[0] == model.vocabulary_[words.argmax()]
    with pytest.raises(PlaitError, match="n_groups must be at most the number of topics, 3, not 4"):
        tree.groups(4)
    with pytest.raises(PlaitError, match="method must be one of 'average'"):
        model.topic_hierarchy("ward")
    assert model.topic_hierarchy("single").linkage[-1, 2] <= model.topic_hierarchy("complete").linkage[-1, 2]


def test_one_topic_is_a_tree_and_like_itself():
    model = LDA(**QUICK | {"n_topics": 1}).fit(rivers())
    assert model.topic_hierarchy().groups(1) == [[0]]
    assert model.topic_hierarchy().tree.children == ()
    assert model.topic_similarity().drop("topic").to_numpy().tolist() == [[1.0]]


def test_models_with_groups_of_chains_have_a_tree():
    model = MedLDA(**QUICK, n_chains=1).fit(rivers(labels=["water", "water", "money", "money"] * 6))
    assert len(model.topic_hierarchy().labels) == len(model.topic_word_)


def test_found_documents_have_the_highest_likelihood(model):
    expected = np.log(model.doc_topic_ @ model.topic_word_)
    column = {word: number for number, word in enumerate(model.vocabulary_)}
    scores = (2 * expected[:, column["loan"]] + expected[:, column["debt"]]) / 3
    found = model.find_documents("loan debt loan", top=4)
    assert [one.row for one in found] == np.argsort(-scores, kind="stable")[:4].tolist()
    assert [one.score for one in found] == pytest.approx(np.sort(scores)[::-1][:4].tolist())
    assert found[0].title == f"Title {found[0].row}"
    assert found[0].excerpt == TEXTS[found[0].row]
    assert found[0].id in str(found[0])
    assert [one.row for one in model.find_documents(["loan", "loan", "debt"], top=4)] == [one.row for one in found]
    assert model.find_documents("loan", as_frame=True).columns == ["id", "title", "score", "excerpt"]


def test_queries_with_unknown_words(model):
    with pytest.warns(UserWarning, match="does not know zebra"):
        found = model.find_documents(["loan", "zebra"], top=3)
    assert found == model.find_documents(["loan"], top=3)
    with pytest.raises(PlaitError, match="knows none of the words zebra"):
        model.find_documents(["zebra"])
    with pytest.raises(PlaitError, match="knows no word of 'zebra'"), pytest.warns(UserWarning, match="ignored"):
        model.find_documents("zebra")
    for wrong in ([], [3]):
        with pytest.raises(PlaitError, match="query must be a text or a list of words"):
            model.find_documents(wrong)
    for query in (["loan"], "loan"):
        with pytest.raises(PlaitError, match="no vocabulary"):
            LDA(**QUICK).fit(rivers().counts).find_documents(query)
    with pytest.raises(PlaitError, match="top must be"):
        model.find_documents("loan", top=0)


def test_similar_documents_have_similar_topics(model):
    found = model.similar_documents("d5", top=23)
    assert "d5" not in [one.id for one in found]
    roots = np.sqrt(model.doc_topic_)
    expected = 1 - np.linalg.norm(roots - roots[5], axis=1) / np.sqrt(2)
    assert [one.score for one in found] == pytest.approx([expected[one.row] for one in found], abs=1e-6)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert [one.id for one in model.similar_documents(5, top=3)] == [one.id for one in found[:3]]


def test_documents_similar_to_a_text(model):
    found = model.similar_documents("a loan of money", top=3)
    assert all("loan" in one.excerpt for one in found)
    assert model.similar_documents("a loan of money", as_frame=True).height == 10
    assert model.similar_documents(rivers()[[3]].counts, top=1)[0].score > 0.5
    with pytest.raises(PlaitError, match="'d99' is neither the id of a training document nor a text"), pytest.warns():
        model.similar_documents("d99")
    with pytest.raises(PlaitError, match="row 24 is not one of the model's 24 training documents"):
        model.similar_documents(24)


def test_private_documents_are_found_by_row():
    model = LDA(**QUICK, keep="nothing").fit(rivers())
    assert model.similar_documents(5, top=1)[0].id.isdecimal()
    assert model.find_documents("loan", top=1)[0].title == ""
