"""What RelationalTopicModel refuses, and what it says then."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.exceptions import NotFittedError

from plait import Corpus, CorpusError, PlaitError, RelationalTopicModel
from tests.models.linked import QUICK, as_corpus, fitted, of_links
from tests.models.small import NAN, WORDS

COUNTS, LINKS = of_links(12)
MATRIX = r"a matrix documents × documents whose entry \(i, j\) is above 0 where document i links to document j"
COMPLETE = np.ones((12, 12)) - np.eye(12)


def changed(row, column, value, matrix=LINKS):
    """The links with one entry changed."""
    links = matrix.toarray()
    links[row, column] = value
    return links


@pytest.fixture(scope="module")
def model():
    return fitted(as_corpus(COUNTS, LINKS))


@pytest.fixture(scope="module")
def unnamed():
    return fitted(COUNTS, LINKS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number, 1 or more, not 0"),
        ({"n_topics": 2.5}, "n_topics must be a whole number"),
        ({"form": "square"}, "form must be 'full', 'diagonal', or 'low_rank.* not 'square'"),
        ({"form": None}, "form must be 'full', 'diagonal', or 'low_rank.* not None"),
        ({"form": ["full"]}, r"form must be 'full', 'diagonal', or 'low_rank.* not \['full'\]"),
        ({"form": "low_rank"}, "form must be .* not 'low_rank'"),
        ({"form": "low_rank(0)"}, r"form must be .* not 'low_rank\(0\)'"),
        ({"form": "low_rank(99)"}, r"form='low_rank\(99\)' has a higher rank than \d+ topics allow"),
        ({"directed": "yes"}, "directed must be None, True or False, not 'yes'"),
        ({"directed": 2}, "directed must be None, True or False, not 2"),
        ({"loss": "squared"}, "loss must be 'hinge' or 'logistic' or 'probit', not 'squared'"),
        ({"loss": None}, "loss must be 'hinge' or 'logistic' or 'probit', not None"),
        ({"loss": "hinge", "ell": 0}, "ell, the margin, must be a number above 0, not 0"),
        ({"loss": "hinge", "ell": float("inf")}, "ell, the margin.*not inf"),
        ({"c": 0}, "c, the cost of a link's wrong value, must be a number above 0, not 0"),
        ({"c": -1.0}, "c, the cost of a link.*not -1.0"),
        ({"c": NAN}, "c, the cost of a link.*not nan"),
        ({"c": "4"}, "c, the cost of a link.*not '4'"),
        ({"c": 1e-5}, r"the cost 1e-05 \(c times .*\) is too small for the logistic loss; it must be at least 0.001"),
        ({"c_negative": 0}, "c_negative, the cost of a pair's without a link, must be a number above 0, not 0"),
        ({"c_negative": None}, "c_negative.*not None"),
        ({"c_negative": True}, "c_negative.*not True"),
        ({"negatives_per_link": 0}, "negatives_per_link must be a number above 0, not 0"),
        ({"negatives_per_link": "10"}, "negatives_per_link must be a number above 0, not '10'"),
        ({"negatives_per_link": float("inf")}, "negatives_per_link must be a number above 0, not inf"),
        ({"negative_share": 0.0}, "negative_share must be a number above 0, not 0.0"),
        ({"negative_share": 1.5}, "negative_share is a share of pairs, at most 1, not 1.5"),
        ({"negative_share": "half"}, "negative_share must be a number above 0, not 'half'"),
        ({"negative_share": 0.1, "negatives_per_link": 2}, "give negatives_per_link or negative_share, not both"),
        ({"fresh_negatives": -1}, "fresh_negatives must be a whole number, 0 or more, not -1"),
        ({"fresh_negatives": 0.5}, "fresh_negatives must be a whole number, 0 or more, not 0.5"),
        ({"fresh_negatives": True}, "fresh_negatives must be a whole number, 0 or more, not True"),
        ({"nu": 0}, "nu, the standard deviation of the weights' prior, must be a number above 0, not 0"),
        ({"nu": None}, "nu, .*not None"),
        ({"weights_every": 0}, "weights_every must be a whole number, 1 or more, not 0"),
        ({"weights_every": 1.5}, "weights_every must be a whole number, 1 or more, not 1.5"),
        ({"cached": "yes"}, "cached must be None, True or False, not 'yes'"),
        ({"cached": False, "sampler": "limit"}, "sampler='limit' spreads tokens.*leave cached out, or use.*'plain'"),
        ({"cached": False, "sampler": "sparse(3)"}, "sampler='sparse.*spreads tokens"),
        ({"sampler": "perfect"}, "perfect"),
        ({"alpha": [0.1, 0.2]}, "alpha has the shape"),
        ({"alpha": -1.0}, "alpha must lie between"),
        ({"beta": 0.0}, "beta must lie between"),
        ({"n_chains": 0}, "n_chains must be a whole number, 1 or more, not 0"),
        ({"n_sweeps": 0}, "n_sweeps must be a whole number, 1 or more, not 0"),
        ({"n_samples": 0}, "n_samples must be a whole number, 1 or more, not 0"),
        ({"sample_every": 0}, "sample_every must be a whole number, 1 or more, not 0"),
        ({"fold_in_sweeps": 0}, "fold_in_sweeps must be a whole number, 1 or more, not 0"),
        ({"tolerance": 1.0}, "tolerance must lie between 0 and 1, not 1.0"),
        ({"n_shards": 0}, "n_shards must be a whole number, 1 or more, not 0"),
        ({"random_state": -1}, "random_state must be 0 or more, not -1"),
    ],
    ids=str,
)
def test_nonsense_is_refused_with_its_name(changes, message):
    with pytest.raises(PlaitError, match=message):
        fitted(COUNTS, LINKS, **changes)


BAD_LINKS = {
    "none": (
        np.zeros((12, 12)),
        "there are no links; give links= or a Corpus with links, or use LDA, which needs none",
    ),
    "none, sparse": (sparse.csr_array((12, 12)), "there are no links"),
    "loops": (np.eye(12), "there are no links other than 12 self-links, which are ignored; give links="),
    "all": (
        COMPLETE,
        "all 66 pairs of documents are linked, so links do not distinguish.*remove weak links, .* a threshold",
    ),
    "all and loops": (COMPLETE + np.eye(12), "all 66 pairs of documents are linked"),
    "a row too few": (LINKS[:11], f"links is 11 × 12 but there are 12 documents; it must be {MATRIX}"),
    "a column too few": (LINKS[:, :11], "links is 12 × 11 but there are 12 documents"),
    "too small": (LINKS[:11, :11], "links is 11 × 11 but there are 12 documents"),
    "pairs": ([(0, 1), (1, 2), (2, 3)], f"links is 3 × 2 but there are 12 documents; it must be {MATRIX}"),
    "a row": (np.ones(12), f"links must be {MATRIX}; this has 1 dimension$"),
    "a sparse row": (sparse.coo_array(np.ones(12)), f"links must be {MATRIX}; this has 1 dimension$"),
    "a cube": (np.ones((2, 12, 12)), f"links must be {MATRIX}; this has 3 dimensions$"),
    "a number": (1.0, f"links must be {MATRIX}; this has 0 dimensions$"),
    "a file": ("links.csv", f"links must be {MATRIX}, not str$"),
    "pairs of ids": ([("a", "b"), ("b", "c")], f"links must be {MATRIX}, not list$"),
    "lists of partners": ([[0, 1], [0]], f"links must be {MATRIX}, not list$"),
    "a dict": ({"a": "b"}, f"links must be {MATRIX}, not dict$"),
    "below 0": (
        changed(3, 5, -2.0),
        r"links\[3, 5\] is -2.0; the weight of a link must be a finite number of at least 0",
    ),
    "below 0, sparse": (sparse.csr_array(changed(11, 0, -0.5)), r"links\[11, 0\] is -0.5; the weight of a link"),
    "NaN": (changed(0, 1, NAN), r"links\[0, 1\] is nan; the weight of a link must be a finite number"),
    "infinite": (changed(2, 1, np.inf), r"links\[2, 1\] is inf; the weight of a link must be a finite number"),
    "a loop of NaN": (changed(4, 4, NAN), r"links\[4, 4\] is nan"),
}


@pytest.mark.parametrize("case", BAD_LINKS)
def test_links_that_cannot_be_learned_from(case):
    links, message = BAD_LINKS[case]
    with pytest.raises(PlaitError, match=message):
        fitted(COUNTS, links)


def test_all_pairs_are_counted_with_their_direction():
    with pytest.raises(PlaitError, match="all 132 pairs of documents are linked"):
        fitted(COUNTS, COMPLETE, directed=True)
    with pytest.raises(PlaitError, match=r"all 66 pairs of documents are linked.*or use LDA"):
        fitted(COUNTS, np.triu(COMPLETE), directed=False)
    assert fitted(COUNTS, np.triu(COMPLETE)).directed_  # half of all directed pairs
    almost = changed(7, 2, 0, sparse.csr_array(COMPLETE))
    assert fitted(COUNTS, almost).n_negatives_ == 1
    with pytest.raises(PlaitError, match="all 66 pairs"):
        fitted(COUNTS, almost, directed=False)


def test_documents_without_links():
    with pytest.raises(PlaitError, match=f"a matrix of counts has no links; give links=, {MATRIX}, or fit a Corpus"):
        fitted(COUNTS)
    with pytest.raises(PlaitError, match="a matrix of counts has no links"):
        RelationalTopicModel(**QUICK).fit(COUNTS, LINKS)  # y is not for links
    with pytest.raises(PlaitError, match="the corpus has no links; give links=, or use LDA, which needs none"):
        fitted(as_corpus(COUNTS))
    with pytest.raises(PlaitError, match="there are no links; give links="):
        fitted(Corpus.from_texts(["river", "money"], ids=["a", "b"], links=[]))
    with pytest.raises(PlaitError, match="links is 2 × 2 but there are 12 documents"):
        fitted(as_corpus(COUNTS, LINKS), [[0, 1], [0, 0]])
    with pytest.raises(CorpusError, match="links to itself"):
        as_corpus(COUNTS, sparse.csr_array(np.eye(12)))


def test_bad_documents(model):
    with pytest.raises(PlaitError, match=r"there is only one document \(1 sample\).*give at least two"):
        fitted(COUNTS[:1], [[0]])
    with pytest.raises(PlaitError, match="the documents have no words: every count is 0"):
        fitted(np.zeros_like(COUNTS), LINKS)
    with pytest.raises(
        PlaitError, match=r"RelationalTopicModel\.fit: the count of word .* in document 0 .* needs integer counts"
    ):
        fitted(COUNTS + 0.5, LINKS)
    for ask in (model.score_links, model.suggest_links):
        with pytest.raises(
            PlaitError,
            match=rf"RelationalTopicModel\.{ask.__name__}: the count of word .* in document 0 .* integer counts",
        ):
            ask(COUNTS + 0.5)
        with pytest.raises(ValueError, match="17 features, but RelationalTopicModel is expecting 18"):
            ask(COUNTS[:, 1:])
        with pytest.raises(ValueError, match="Negative values"):
            ask(-COUNTS)


def test_more_topics_than_weights_can_be_drawn_for():
    message = (
        r"91 topics have 8,281 weights, more than the maximum of 8,100; use at most 90 topics "
        r"\(126 with directed=False\), or form='low_rank\(8\)' or 'diagonal'"
    )
    with pytest.raises(PlaitError, match=message):
        fitted(COUNTS, LINKS, n_topics=91)
    with pytest.raises(PlaitError, match="127 topics have 8,128 weights"):
        fitted(COUNTS, LINKS, n_topics=127, directed=False)
    one_sweep = {"n_chains": 1, "n_sweeps": 1, "n_samples": 1}
    assert fitted(COUNTS, LINKS, n_topics=91, form="diagonal", **one_sweep).weights_.shape == (91, 91)
    assert fitted(COUNTS, LINKS, n_topics=91, form="low_rank(2)", **one_sweep).weights_.shape == (91, 91)
    with pytest.raises(PlaitError, match=r"2,000 topics have 10,000 weights per factor .* at most low_rank\(4\)"):
        fitted(COUNTS, LINKS, n_topics=2000, form="low_rank(5)")
    for allowed in ({"n_topics": 90}, {"n_topics": 126, "directed": False}):
        with pytest.raises(PlaitError, match="alpha has the shape"):  # what is looked at next
            fitted(COUNTS, LINKS, alpha=[0.1, 0.2], **allowed)


def test_more_pairs_without_a_link_than_can_be_held():
    n_documents = 15_000
    counts = sparse.csr_array(np.ones((n_documents, 1), dtype=int))
    links = sparse.diags_array(np.ones(n_documents - 1), offsets=1, shape=(n_documents, n_documents))
    with pytest.raises(PlaitError, match=r"112,\d+,\d+ pairs.*more than 100,000,000; lower negative_share or"):
        fitted(counts, links, negative_share=0.5, n_topics=2)


@pytest.mark.parametrize("direction", ["both", "To", None, 1])
def test_directions_that_there_are_none_of(model, direction):
    message = f"direction must be one of 'either', 'to', 'from', not {direction!r}"
    for ask in (model.score_links, model.suggest_links):
        with pytest.raises(PlaitError, match=message):
            ask(COUNTS, direction=direction)
    with pytest.raises(PlaitError, match=message):
        model.suggest_missing_links([0], direction=direction)


@pytest.mark.parametrize("top", [0, -1, 2.0, "5", None, True])
def test_numbers_of_answers_that_make_no_sense(model, top):
    asked = [lambda: model.suggest_links(COUNTS, top), lambda: model.suggest_missing_links([0], top)]
    for ask in [*asked, lambda: model.topic_links(top)]:
        with pytest.raises(PlaitError, match=f"top must be a whole number, 1 or more, not {top!r}"):
            ask()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("doc 12", "'doc 12' is not the id of a training document$"),
        ("3", "'3' is not the id of a training document$"),
        (12, "row 12 is not one of the model's 12 training documents"),
        (np.int64(-1), "row -1 is not one of the model's 12 training documents"),
        (1.0, "1.0 is not the id of a training document$"),
        (True, "True is not the id of a training document$"),
        (None, "None is not the id of a training document$"),
    ],
)
def test_documents_that_the_model_was_not_trained_on(model, document, message):
    for ask in (
        lambda: model.suggest_missing_links([0, document]),
        lambda: model.score_pairs([("doc 1", "doc 2"), ("doc 0", document)]),
        lambda: model.score_pairs([(document, "doc 0")]),
    ):
        with pytest.raises(PlaitError, match=message):
            ask()


def test_documents_of_a_matrix_have_numbers_and_no_ids(unnamed):
    message = "'0' is not the id of a training document; the model knows no ids .*, so give rows"
    with pytest.raises(PlaitError, match=message):
        unnamed.suggest_missing_links(["0"])
    with pytest.raises(PlaitError, match=message):
        unnamed.score_pairs([("0", 1)])
    with pytest.raises(PlaitError, match="fitted to a matrix without words"):
        unnamed.score_links(as_corpus(COUNTS))


NO_PAIRS = {
    "one pair": (0, 1),
    "one pair of ids": ("doc 0", "doc 1"),
    "text": "ab",
    "texts": ["ab"],
    "one end": [("doc 0",)],
    "three ends": [(0, 1, 2)],
    "one of two": [(0, 1), (2,)],
    "a pair in a pair": [((0, 1),)],
    "pairs in a pair": [((0, 1), (2, 3))],
    "a set": [{0, 1}],
    "nothing": [None],
    "None": None,
    "a number": 7,
    "three columns": np.ones((3, 3), dtype=int),
}


@pytest.mark.parametrize("case", NO_PAIRS)
def test_pairs_that_are_none(model, case):
    with pytest.raises(PlaitError, match=r"pairs must be \(source, target\) tuples of ids or row numbers"):
        model.score_pairs(NO_PAIRS[case])


NEW_MATRIX = "links must be a matrix new documents × training documents, above 0 where they are linked"
BAD_NEW_LINKS = {
    "a column too few": (None, np.ones((3, 11)), "links is 3 × 11 but must be new documents × 12$"),
    "a row too few": (COUNTS[:3], np.ones((2, 12)), "links is 2 × 12 but must be 3 × 12$"),
    "columns too few": (COUNTS[:3], LINKS[:3, :5], "links is 3 × 5 but must be 3 × 12$"),
    "a row": (None, np.ones(12), f"{NEW_MATRIX}; this has 1 dimension$"),
    "None": (COUNTS, None, "give links .* or links_to and links_from, one or both; none of them is given$"),
    "an id": (None, "doc 1", f"{NEW_MATRIX}, not str$"),
    "ids": (None, [["doc 1", "doc 2"]], f"{NEW_MATRIX}, not list$"),
    "below 0": (
        None,
        changed(1, 3, -1.0),
        r"links\[1, 3\] is -1.0; the weight of a link must be a finite number of at least 0",
    ),
    "NaN": (None, changed(0, 2, NAN), r"links\[0, 2\] is nan; the weight of a link"),
    "fractions": (
        COUNTS[:1] + 0.5,
        LINKS[:1],
        r"predict_words: the count of word .* in document 0 .* needs integer counts",
    ),
}


@pytest.mark.parametrize("case", BAD_NEW_LINKS)
def test_links_of_new_documents_that_tell_no_words(model, case):
    new, links, message = BAD_NEW_LINKS[case]
    with pytest.raises(PlaitError, match=message):
        model.predict_words(new, links)


def test_links_in_two_directions_that_do_not_fit(model):
    with pytest.raises(PlaitError, match="one or both; links and links_to are given"):
        model.predict_words(None, LINKS, links_to=LINKS)
    with pytest.raises(PlaitError, match="links_from is 2 × 12 but must be 3 × 12"):
        model.predict_words(None, links_to=LINKS[:3], links_from=LINKS[:2])
    with pytest.raises(PlaitError, match=r"links_to\[1, 3\] is -1.0; the weight of a link"):
        model.predict_words(None, links_to=changed(1, 3, -1.0))


def test_words_of_other_columns(model):
    with pytest.raises(ValueError, match=f"17 features, but RelationalTopicModel is expecting {len(WORDS)}"):
        model.predict_words(COUNTS[:, 1:], LINKS)


def test_a_model_that_has_learned_nothing_answers_nothing():
    blank = RelationalTopicModel(**QUICK)
    asked = [lambda: blank.score_links(COUNTS), lambda: blank.suggest_links(COUNTS), blank.suggest_missing_links]
    asked += [lambda: blank.score_pairs([(0, 1)]), lambda: blank.predict_words(None, LINKS), blank.topic_links]
    for ask in [*asked, blank.weights_table, lambda: blank.resume(COUNTS, links=LINKS)]:
        with pytest.raises(NotFittedError):
            ask()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_complex_links_are_refused(kind):
    with pytest.raises(PlaitError, match="these are complex numbers"):
        fitted(COUNTS, kind(LINKS.toarray() * 1j))
