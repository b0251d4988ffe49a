"""What RelationalTopicModel says of documents: scores of links, suggestions with reasons, words, linked topics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import Corpus
from plait.models.answers import links as predictions_of_links
from tests.models.linked import (
    FINANCE,
    NATURE,
    SPORT,
    all_samples,
    as_corpus,
    fitted,
    groups_of,
    links_between,
    naive_scores,
    new_shares_of,
    of_links,
    shares_of,
)
from tests.models.small import PLANTED, WORDS, counts_for, of_classes

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("limit")

DIRECTIONS = ("to", "from", "either")
GROUPS = groups_of(60)


@pytest.fixture(scope="module")
def model():
    counts, links = of_links()
    return fitted(as_corpus(counts, links))


@pytest.fixture(scope="module")
def new():
    return of_classes(12, 3, seed=1)[0]


def reordered(counts, seed=0):
    """A corpus of the same documents whose words stand in another order."""
    order = np.random.default_rng(seed).permutation(len(WORDS))
    return Corpus.from_matrix(sparse.csr_array(counts[:, order]), vocabulary=[WORDS[column] for column in order])


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    "changes",
    [{}, {"loss": "hinge"}, {"sampler": "limit"}, {"form": "diagonal"}, {"form": "low_rank(2)"}, {"directed": False}],
    ids=str,
)
def test_scores_are_those_of_the_samples_one_by_one(changes, direction, new):
    model = fitted(*of_links(), **changes)
    scores = model.score_links(new, direction)
    assert scores.shape == (12, 60)
    np.testing.assert_allclose(scores, naive_scores(model, new, direction), rtol=1e-4, atol=1e-5)


def test_the_two_directions_differ_and_values_of_either_are_their_mean(model, new):
    hinge = fitted(*of_links(), loss="hinge")
    to, back, either = (hinge.score_links(new, direction) for direction in DIRECTIONS)
    assert np.abs(to - back).max() > 1
    np.testing.assert_allclose(either, (to + back) / 2, atol=1e-12)
    assert np.abs(model.score_links(new, "to") - model.score_links(new, "from")).max() > 0.3
    assert model.score_links(new).tobytes() == model.score_links(new, "either").tobytes()


def test_a_new_document_is_scored_alike_in_every_form(model, new):
    expected = model.score_links(new)
    for form in (as_corpus(new), reordered(new), sparse.csr_array(new), sparse.csc_matrix(new), new.astype(float)):
        assert model.score_links(form).tobytes() == expected.tobytes()
    assert model.suggest_links(reordered(new)) == model.suggest_links(new)
    partners = np.ones((12, 60)) * (GROUPS == SPORT)
    assert model.predict_words(reordered(new), partners).tobytes() == model.predict_words(new, partners).tobytes()


@pytest.mark.parametrize("changes", [{}, {"sampler": "limit"}, {"loss": "hinge"}], ids=str)
def test_answers_for_a_document_do_not_depend_on_its_company(changes, new):
    model = fitted(*of_links(), **changes)
    partners = links_between(groups_of(12), GROUPS, seed=1).toarray()
    answers = {
        "scores": lambda rows: model.score_links(new[rows]),
        "suggestions": lambda rows: model.suggest_links(new[rows], top=3),
        "words": lambda rows: model.predict_words(new[rows], partners[rows]),
        "words from links": lambda rows: model.predict_words(None, partners[rows]),
        "words from directed links": lambda rows: model.predict_words(
            new[rows], links_to=partners[rows], links_from=partners[::-1][rows]
        ),
        "missing": lambda rows: model.suggest_missing_links(rows.tolist(), top=3),
    }
    for name, answer in answers.items():
        together = answer(np.arange(12))
        for rows in (np.array([0]), np.array([7]), np.arange(3, 9), np.arange(12)[::-1]):
            for row, own in zip(rows, answer(rows), strict=True):
                assert np.array_equal(own, together[row]), name


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_suggestions_are_the_best_scores_best_first(model, new, direction):
    scores = model.score_links(new, direction)
    suggestions = model.suggest_links(new, top=5, direction=direction)
    assert [len(own) for own in suggestions] == [5] * 12
    for row, own in zip(scores, suggestions, strict=True):
        best = np.argsort(-row, kind="stable")[:5]
        assert [suggestion.id for suggestion in own] == [f"doc {number}" for number in best]
        assert [suggestion.score for suggestion in own] == row[best].tolist()
    assert model.suggest_links(new, top=5) == model.suggest_links(new, top=5, direction="either")
    assert [len(own) for own in model.suggest_links(new)] == [10] * 12


def test_planted_partners_are_suggested(model):
    finance = counts_for("money loan debt credit money loan debt credit")
    nature = counts_for("river stream water delta river stream water delta")

    def share(new, direction, group):
        (own,) = model.suggest_links(new, direction=direction)
        return np.mean([GROUPS[int(suggestion.id.removeprefix("doc "))] == group for suggestion in own])

    assert share(finance, "to", NATURE) > 0.8
    assert share(nature, "from", FINANCE) > 0.8
    assert share(nature, "to", FINANCE) < 0.5


def test_more_suggestions_than_documents_are_all_of_them(model, new):
    for top in (60, 61, 10_000):
        for own in model.suggest_links(new[:2], top=top):
            assert sorted(suggestion.id for suggestion in own) == sorted(model.doc_ids_)
            scores = [suggestion.score for suggestion in own]
            assert scores == sorted(scores, reverse=True)


def test_of_equal_scores_the_earlier_document_comes_first(new):
    counts, links = of_links()
    one_topic = fitted(counts, links, n_topics=1)
    assert np.ptp(one_topic.score_links(new)) == 0
    for own in one_topic.suggest_links(new, top=4):
        assert [suggestion.id for suggestion in own] == ["0", "1", "2", "3"]
    linked = (links + links.T).toarray() + np.eye(60)
    for row, own in enumerate(one_topic.suggest_missing_links(top=4)):
        assert [suggestion.id for suggestion in own] == [str(number) for number in np.flatnonzero(linked[row] == 0)[:4]]


def naive_pushes(model, sample_shares, row, column, direction):
    """What each pair of topics adds to the value of a link, averaged over the first chain's samples."""
    pushes = []
    for sample, own in zip(model._chain_samples[0], sample_shares, strict=True):
        weights = sample.weights[0]
        turned = {"to": weights, "from": weights.T, "either": (weights + weights.T) / 2}[direction]
        pushes.append(np.outer(own[row], shares_of(sample)[column]) * turned)
    return np.mean(pushes, axis=0)


def check_reasons(model, suggestions, sample_shares, direction):
    """Assert that reasons are the three pairs of topics that push most, those above 0; return how many there are."""
    n_reasons = 0
    for row, own in enumerate(suggestions):
        for suggestion in own:
            column = int(suggestion.id.removeprefix("doc "))
            pushes = naive_pushes(model, sample_shares, row, column, direction)
            best = np.argsort(-pushes, axis=None, kind="stable")[:3]
            best = best[pushes.flat[best] > 0]
            assert [(reason.topic, reason.other) for reason in suggestion.reasons] == [divmod(int(b), 4) for b in best]
            np.testing.assert_allclose([reason.push for reason in suggestion.reasons], pushes.flat[best], rtol=1e-4)
            n_reasons += len(suggestion.reasons)
    return n_reasons


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_reasons_are_the_pairs_of_topics_that_push_most(model, new, direction):
    shares = [new_shares_of(model, sample, new) for sample in model._chain_samples[0]]
    assert check_reasons(model, model.suggest_links(new, 4, direction), shares, direction) > 40
    shares = [shares_of(sample) for sample in model._chain_samples[0]]
    assert check_reasons(model, model.suggest_missing_links(top=4, direction=direction), shares, direction) > 40


def test_pushes_of_all_topics_add_up_to_the_value():
    counts, links = of_links()
    model = fitted(counts, links, n_topics=1, n_chains=1, negatives_per_link=0.1, loss="hinge")
    for own in model.suggest_links(counts[:3], top=2):
        for suggestion in own:
            (reason,) = suggestion.reasons
            assert (reason.topic, reason.other) == (0, 0)
            assert suggestion.score == pytest.approx(reason.push) == pytest.approx(model.weights_[0, 0])
            assert suggestion.score > 0
    model = fitted(counts, links, n_chains=1, n_samples=1)
    shares = [shares_of(sample) for sample in model._chain_samples[0]]
    (own,) = model.suggest_missing_links([5], direction="to")
    for suggestion in own:
        pushes = naive_pushes(model, shares, 5, int(suggestion.id), "to")
        assert 1 / (1 + np.exp(-pushes.sum())) == pytest.approx(suggestion.score)
        assert sum(reason.push for reason in suggestion.reasons) <= pushes[pushes > 0].sum() + 1e-9


def test_a_suggestion_reads_as_a_line(model):
    suggestion = model.suggest_links(counts_for("money loan debt credit money loan"), top=1, direction="to")[0][0]
    reason = suggestion.reasons[0]
    scores = f"{suggestion.score:.3f} ({suggestion.value:+.2f})"
    beginning = f"{suggestion.id}  {scores}  (topics {reason.topic} and {reason.other} {reason.push:+.2f}"
    assert str(suggestion).startswith(beginning)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_missing_links_are_the_best_that_are_not_there(model, direction):
    scores = naive_scores(model, direction=direction)
    links = model.links_.toarray()
    scores[(links + links.T + np.eye(60)) > 0] = -np.inf  # whichever way a link goes, it is known
    suggestions = model.suggest_missing_links(top=7, direction=direction)
    assert len(suggestions) == 60
    for row, own in zip(scores, suggestions, strict=True):
        best = [int(suggestion.id.removeprefix("doc ")) for suggestion in own]
        assert len(best) == 7
        np.testing.assert_allclose([suggestion.score for suggestion in own], np.sort(row)[::-1][:7])
        np.testing.assert_allclose(row[best], [suggestion.score for suggestion in own])
    assert model.suggest_missing_links(top=7) == model.suggest_missing_links(top=7, direction="either")


def test_missing_links_of_some_documents(model):
    of_all = model.suggest_missing_links()
    assert [len(own) for own in of_all] == [10] * 60
    expected = [of_all[50], of_all[3], of_all[50]]
    for chosen in (["doc 50", "doc 3", "doc 50"], [50, 3, 50], [50, "doc 3", np.int64(50)], np.array([50, 3, 50])):
        assert model.suggest_missing_links(chosen) == expected
    assert model.suggest_missing_links(f"doc {row}" for row in (50, 3, 50)) == expected
    assert model.suggest_missing_links(np.array(["doc 3"])) == [of_all[3]]
    assert model.suggest_missing_links("doc 3") == model.suggest_missing_links(3) == [of_all[3]]
    assert model.suggest_missing_links([]) == []


def test_links_are_suggested_in_blocks(model, monkeypatch):
    new, _ = of_links(20, seed=5)
    missing, whole = model.suggest_missing_links(top=3), model.suggest_links(new, top=3)
    monkeypatch.setattr(predictions_of_links, "_MOST_SCORES", 7 * 60)
    assert model.suggest_missing_links(top=3) == missing
    assert model.suggest_links(new, top=3) == whole


def test_missing_links_of_a_document_that_is_linked_with_most_others():
    counts, links = of_links()
    links = links.toarray()
    links[0, 1:], links[1:, 4], links[4, 0] = 1, 1, 1  # one links to all, all link to the other
    links[4, 4] = 0
    links[5, 7:], links[7:, 5] = 1, 0
    model = fitted(counts, links, directed=True)
    first, fourth, fifth = model.suggest_missing_links([0, 4, 5], top=100)
    assert first == fourth == []
    linked = links[5] + links[:, 5]
    missing = [row for row in range(60) if not linked[row] and row != 5]
    assert len(missing) < 7
    assert sorted(int(suggestion.id) for suggestion in fifth) == missing


def test_scores_of_pairs_are_those_of_the_samples_one_by_one(model):
    scores = naive_scores(model)
    rows = np.random.default_rng(0).integers(60, size=(200, 2))
    rows[100:150] = rows[:50]  # a pair may be asked for twice
    expected = scores[rows[:, 0], rows[:, 1]]
    np.testing.assert_allclose(model.score_pairs(rows), expected, rtol=1e-9)
    ids = [(f"doc {source}", f"doc {target}") for source, target in rows]
    for form in (rows.tolist(), map(tuple, rows), ids, np.array(ids), [(ids[0][0], int(rows[0, 1])), *ids[1:]]):
        assert model.score_pairs(form).tobytes() == model.score_pairs(rows).tobytes()
    there, back = model.score_pairs([("doc 0", "doc 1"), ("doc 1", "doc 0")])
    assert abs(there - back) > 0.3
    assert model.score_pairs([]).shape == (0,)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_without_direction_a_pair_has_one_score(loss):
    model = fitted(*of_links(), directed=False, loss=loss)
    there, back = model.score_pairs([(0, 1), (5, 30)]), model.score_pairs([(1, 0), (30, 5)])
    np.testing.assert_allclose(there, back)
    np.testing.assert_allclose(there, naive_scores(model)[[0, 5], [1, 30]])


def planted_partners(n_new, seed=1):
    """Links of new documents with known ones, whichever way."""
    groups = groups_of(n_new)
    to, back = links_between(groups, GROUPS, seed), links_between(GROUPS, groups, seed + 1)
    return sparse.csr_array(to + back.T)


@pytest.mark.parametrize("changes", [{}, {"directed": False}, {"sampler": "limit"}], ids=str)
def test_links_tell_words(changes):
    model = fitted(*of_links(), **changes)
    counts, _ = of_classes(45, 3, seed=50)
    known = np.random.default_rng(0).binomial(counts, 0.5)
    partners, none = planted_partners(45), np.zeros((45, 60))

    def mean_log_probability(new, links):
        words = model.predict_words(new, links)
        assert words.shape == (45, len(WORDS))
        assert (words > 0).all()
        np.testing.assert_allclose(words.sum(axis=1), 1)
        return ((counts - known) * np.log(words)).sum() / (counts - known).sum()

    nothing, by_links = mean_log_probability(None, none), mean_log_probability(None, partners)
    by_words, by_both = mean_log_probability(known, none), mean_log_probability(known, partners)
    assert by_links > nothing + 0.05
    assert by_words > nothing + 0.3
    assert by_both > by_words + 0.03
    assert by_both > by_links + 0.03


def test_words_are_those_of_the_groups_that_a_document_is_linked_with():
    # The shares of 6 fold-in sweeps vary by 0.04 from seed to seed, those of 2,000 by 0.006; their mean is above 0.31.
    model = fitted(*of_links(rates=0.4 * np.eye(3) + 0.01), fold_in_sweeps=2_000)
    partners = (np.arange(3)[:, np.newaxis] == GROUPS) * (np.arange(60) < 30)
    words = model.predict_words(None, partners)
    own = np.array([words[:, [WORDS.index(word) for word in group]].sum(axis=1) for group in PLANTED.values()])
    assert (own.argmax(axis=0) == np.arange(3)).all()
    assert np.diag(own).min() > 0.3


def test_words_follow_the_direction_of_links():
    """Documents of each group link to those of the next, so that an outgoing link tells another group than one back."""
    rates = np.roll(0.5 * np.eye(3), 1, axis=1) + 0.01
    model = fitted(*of_links(rates=rates), fold_in_sweeps=300)
    partners = ((GROUPS == 1) & (np.arange(60) < 30)).astype(float)[np.newaxis]

    def group(**given):
        words = model.predict_words(None, **given)
        np.testing.assert_allclose(words.sum(axis=1), 1)
        return np.argmax([words[0, [WORDS.index(word) for word in group]].sum() for group in PLANTED.values()])

    before, after = ((other == GROUPS) & (np.arange(60) < 30) for other in (0, 2))
    assert group(links_to=partners) == 0
    assert group(links_from=partners) == 2
    assert group(links_to=after[np.newaxis], links_from=before[np.newaxis]) == 1
    assert group(links_to=partners, links_from=np.zeros((1, 60))) == 0


def test_directions_make_no_difference_without_direction(model):
    undirected = fitted(*of_links(), directed=False)
    partners = planted_partners(5)
    expected = undirected.predict_words(None, partners)
    for given in ({"links_to": partners}, {"links_from": partners}, {"links_to": partners, "links_from": 2 * partners}):
        assert undirected.predict_words(None, **given).tobytes() == expected.tobytes()
        assert model.predict_words(None, **given).tobytes() != model.predict_words(None, partners).tobytes()


def test_predicted_words_follow_every_sample():
    model = fitted(*of_links())
    partners = planted_partners(3)
    by_chain = []
    for samples in model._chain_samples:
        alone = fitted(*of_links(), n_chains=1)
        alone._chain_samples = [samples]
        by_chain.append(alone.predict_words(None, partners))
    assert not np.allclose(*by_chain, atol=1e-3)
    np.testing.assert_allclose(model.predict_words(None, partners), np.mean(by_chain, axis=0))


def test_links_of_new_documents_in_every_form(model):
    partners = planted_partners(4)
    expected = model.predict_words(None, partners)
    dense = partners.toarray()
    for form in (dense, dense.tolist(), dense > 0, 7.5 * partners, sparse.coo_array(partners), partners.tocsc()):
        assert model.predict_words(None, form).tobytes() == expected.tobytes()
    assert model.predict_words(None, partners[[0]]).shape == (1, len(WORDS))


def test_a_document_whose_words_are_not_known_is_one_of_which_nothing_is_known(model, new):
    partners = planted_partners(12)
    words = new.copy()
    words[[2, 5]] = 0
    expected = model.predict_words(None, partners)
    predicted = model.predict_words(words, partners)
    assert predicted[[2, 5]].tobytes() == expected[[2, 5]].tobytes()
    assert not np.allclose(predicted[[0, 1]], expected[[0, 1]])


def test_words_where_there_is_nothing_to_tell_linked_from_unlinked(model):
    linked_with_all = model.predict_words(None, np.ones((1, 60)))
    np.testing.assert_allclose(linked_with_all.sum(), 1)
    few = fitted(*of_links(rates=[[0, 0.01, 0], [0, 0, 0], [0, 0, 0]]), negatives_per_link=0.1)
    assert 2 * few.n_negatives_ < 30  # a new document has no pair without a link
    np.testing.assert_allclose(few.predict_words(None, np.zeros((2, 60))).sum(axis=1), 1)


def topic_of(model, group):
    """The topic whose first words are a group's."""
    own = [WORDS.index(word) for word in list(PLANTED.values())[group]]
    return int(model.topic_word_[:, own].sum(axis=1).argmax())


def test_topics_that_link_are_named(model):
    found = model.topic_links(top=16)
    assert len(found) == 16
    assert sorted((link.source, link.target) for link in found) == [(k, m) for k in range(4) for m in range(4)]
    weights = [link.weight for link in found]
    assert weights == sorted(weights, reverse=True)
    topics = model.topics(3)
    for link in found:
        assert link.weight == model.weights_[link.source, link.target]
        assert link.source_words == topics[link.source].words
        assert link.target_words == topics[link.target].words
        assert link.directed
    assert model.topic_links(top=2) == found[:2]
    assert len(model.topic_links()) == 10
    likeliest = {(link.source, link.target) for link in found[:4]}
    assert (topic_of(model, FINANCE), topic_of(model, NATURE)) in likeliest
    assert (topic_of(model, NATURE), topic_of(model, FINANCE)) not in likeliest
    first = found[0]
    names = f"topic {first.source} ({', '.join(first.source_words)}) links to topic {first.target}"
    assert str(first) == f"{first.weight:+.2f}  {names} ({', '.join(first.target_words)})"


def test_topics_that_are_linked_stand_once_where_links_have_no_direction():
    model = fitted(*of_links(), directed=False)
    found = model.topic_links(top=100)
    assert sorted((link.source, link.target) for link in found) == [(k, m) for k in range(4) for m in range(k, 4)]
    assert all(link.weight == model.weights_[link.source, link.target] for link in found)
    assert " is linked with topic " in str(found[0])


def test_the_table_of_weights_names_topics(model):
    table = model.weights_table()
    names = [f"{topic.index} {' '.join(topic.words)}" for topic in model.topics(3)]
    assert table.columns == ["topic", *names]
    assert table["topic"].to_list() == names
    np.testing.assert_array_equal(table.drop("topic").to_numpy(), model.weights_)
    unnamed = fitted(*of_links()).weights_table()
    assert unnamed.columns[1].startswith("0 x")


def test_words_and_documents_that_the_model_does_not_know_are_told(model):
    some = Corpus.from_texts(["river zebra", "zebra", "goal match"])
    for ask in (model.score_links, model.suggest_links):
        with pytest.warns(UserWarning, match="left out|prior alone") as said:
            answers = ask(some)
        assert len(answers) == 3
        first, second = (str(warning.message) for warning in said)
        assert first.startswith("2 of 5 tokens (40.0%) are not in the model's vocabulary and are ignored")
        assert second == ("1 of 3 documents has no word that the model knows; links are predicted from the prior alone")
    with pytest.warns(UserWarning, match="2 of 5 tokens"):
        model.predict_words(some, np.zeros((3, 60)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.score_links(Corpus.from_texts(["river", "goal match"]))


def test_a_new_document_without_words_has_the_topics_of_the_prior(model):
    with pytest.warns(UserWarning, match="2 of 2 documents have no word"):
        scores = model.score_links(np.zeros((2, len(WORDS)), dtype=int), "to")
    prior = [sample.alpha / sample.alpha.sum() for sample in all_samples(model)]
    values = [p @ s.weights[0] @ shares_of(s).T for p, s in zip(prior, all_samples(model), strict=True)]
    expected = np.mean(1 / (1 + np.exp(-np.array(values))), axis=0)
    np.testing.assert_allclose(scores, [expected, expected], rtol=1e-6)


def test_a_known_document_without_words_has_the_topics_of_the_prior(new):
    counts, links = of_links()
    counts[[3, 4, 9]] = 0
    model = fitted(counts, links, alpha=[0.1, 0.2, 0.3, 0.4])
    for direction in DIRECTIONS:
        np.testing.assert_allclose(model.score_links(new, direction), naive_scores(model, new, direction), rtol=1e-4)
    scores = naive_scores(model)
    np.testing.assert_allclose(model.score_pairs([(0, 3), (3, 0), (3, 4)]), scores[[0, 3, 3], [3, 0, 4]])
    (own,) = model.suggest_missing_links([3], top=60, direction="to")
    assert len({suggestion.score for suggestion in own}) > 30
    for suggestion in own:
        assert suggestion.score == pytest.approx(scores[3, int(suggestion.id)])
    # They are not the first to be suggested to a document that links to nobody.
    (own,) = model.suggest_links(counts_for("river stream water delta river stream water"), top=3, direction="to")
    assert not {suggestion.id for suggestion in own} & {"3", "4", "9"}
