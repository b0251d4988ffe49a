"""RelationalTopicModel with pair features: links that words alone tell, hidden links, threads, files, combinations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.metrics import roc_auc_score

import plait
from plait import Corpus, LabelResponse, LinkResponse, PlaitError, TopicModel
from plait.models.answers.pairs import hidden_sets, links_of_set
from plait.models.methods.links import link_predictions
from plait.pair_features import AUTO, KnownNetwork, LatentLabels, PairMatrix
from tests.models.linked import as_corpus, fitted, groups_of, of_links, same_bits
from tests.models.small import NAMES, press_ctrl_c_in_sweep

SHORT = {"n_sweeps": 4, "n_samples": 2, "sample_every": 1, "n_chains": 1, "n_topics": 3}


@pytest.fixture(scope="module")
def network():
    return of_links(80)


@pytest.fixture(scope="module")
def model(network):
    return fitted(*network, **SHORT, pair_features="auto")


def test_new_documents(model, network):
    counts, _ = of_links(30, seed=9)
    scores = model.score_links(counts)
    assert scores.shape == (30, 80)
    assert np.all((scores > 0) & (scores < 1))
    nature, sport = groups_of(80) == 1, groups_of(80) == 2
    assert roc_auc_score(sport, scores[2::3].mean(axis=0)) > 0.9  # sport links to sport
    assert scores[0::3][:, nature].mean() > 2 * scores[0::3][:, sport].mean()  # finance links to nature
    weights = model.pair_weights_
    assert weights.labels == [feature.label for feature in AUTO if feature != LatentLabels()]  # there are no labels
    assert not weights.weights[:, :, weights.labels.index("common_neighbours")].any()
    assert model.known_pair_weights_.weights[:, :, weights.labels.index("common_neighbours")].any()


def test_suggestions_are_the_best_scores_and_say_which_part_spoke(model):
    counts, _ = of_links(5, seed=9)
    scores, suggestions = model.score_links(counts), model.suggest_links(counts, top=3)
    for row, found in zip(scores, suggestions, strict=True):
        assert [int(one.id) for one in found] == np.argsort(-row, kind="stable")[:3].tolist()
        for one in found:
            assert one.score == row[int(one.id)]
            pushes = [part.push for part in one.parts]
            assert pushes == sorted(pushes, reverse=True)
            assert one.part == one.parts[0].name
            assert {"topics", "text"} < {part.name for part in one.parts}
        sums = [sum(part.push for part in one.parts) for one in found]  # by which the first ones are ordered
        assert sums == sorted(sums, reverse=True)
    assert "part" in model.suggest_links(counts, as_frame=True).columns


def test_missing_links_are_not_there(model, network):
    linked = (network[1] + network[1].T).toarray() > 0
    for row, found in enumerate(model.suggest_missing_links(range(6), top=5)):
        assert len(found) == 5
        assert not any(linked[row, int(one.id)] or int(one.id) == row for one in found)
        if not model.directed_:
            assert model.score_pairs([(row, int(found[0].id))]) == pytest.approx(found[0].score)


def test_the_own_link_of_a_pair_is_not_part_of_its_features(network):
    """A feature that repeats the links would be perfect for training pairs if they were scored with their own link."""
    counts, links = network
    model = fitted(counts, links, **SHORT, pair_features=["common_neighbours", "popularity"])
    scorer = link_predictions(model).pairs
    sources, targets = links.nonzero()
    numbers = hidden_sets(scorer.network, sources, targets)
    for number in range(10):
        hidden = links_of_set(scorer.network, number)
        left = scorer.network.without(*hidden)
        own = numbers == number
        assert not left.either[sources[own], targets[own]].any()
    flat = lambda rows: np.zeros((rows.size, 80))  # noqa: E731
    found = scorer.pair_values(flat, sources[:20], targets[:20])
    naive = []
    for source, target, number in zip(sources[:20], targets[:20], numbers[:20], strict=True):
        left = scorer.network.without(*links_of_set(scorer.network, int(number)))
        own = np.array([source])
        naive.append(scorer.values(np.zeros((1, 80)), left.known(own), left.linked_or_same(own)).odds[0, target])
    np.testing.assert_allclose(found, naive)
    leaked = [scorer.values(np.zeros((1, 80)), scorer.network.known(np.array([one]))).odds[0] for one in sources[:20]]
    assert not np.allclose(found, [row[target] for row, target in zip(leaked, targets[:20], strict=True)])


def test_hidden_links_take_no_part_when_weights_are_learned(network, monkeypatch):
    """Popularity with its own link would tell every link of a document that has no other."""
    counts, _ = network
    pairs = np.array([[row, row + 1] for row in range(0, 80, 2)])  # every document has one link
    links = sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(80, 80))
    seen = []

    def learn(examples, labels):
        seen.append(examples)
        return original(examples, labels)

    import plait.models.pair_learning as module

    original = module.learn_pair_weights
    monkeypatch.setattr(module, "learn_pair_weights", learn)
    fitted(counts, links, **SHORT, pair_features=["popularity", "preferential_attachment"])
    for examples in seen:  # the only link of both documents is hidden, so both features are 0
        assert examples.linked.any()
        assert not examples.features[examples.linked].any()
        assert examples.features[~examples.linked, 0].any()


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_do_not_change_a_bit(model, network, n_jobs):
    other = fitted(*network, **SHORT, pair_features="auto", n_jobs=n_jobs)
    same_bits(model, other, network[0][:10])
    assert model.score_pairs([(0, 1), (2, 5)]).tobytes() == other.score_pairs([(0, 1), (2, 5)]).tobytes()


def test_saved_and_loaded(model, network, tmp_path):
    plait.save(model, tmp_path / "m.plait")
    same_bits(model, plait.load(tmp_path / "m.plait"), network[0][:10])


@pytest.mark.parametrize("sweep", [1, 3])
def test_a_stopped_fit_resumes_to_the_same_bits(model, network, sweep, tmp_path, monkeypatch):
    n_parts = 5  # every fit to a part of the documents has as many sweeps as the chain
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(n_parts * 5 + sweep, patched)
        stopped = fitted(*network, **SHORT, pair_features="auto")
    assert stopped.interrupted_
    assert stopped.suggest_links(network[0][:1])[0][0].parts
    plait.save(stopped, tmp_path / "m.plait")
    for one in (stopped, plait.load(tmp_path / "m.plait")):
        same_bits(model, one.resume(network[0], links=network[1]), network[0][:10])


def test_ctrl_c_while_weights_are_learned_leaves_no_model(network, monkeypatch):
    press_ctrl_c_in_sweep(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        fitted(*network, **SHORT, pair_features="auto")


def test_own_matrices(network):
    counts, links = network
    random = np.random.default_rng(0)
    told = ((links + links.T).toarray() > 0) * (random.random((80, 80)) < 0.7) * 2.0
    features = [PairMatrix("told"), "text"]
    model = plait.RelationalTopicModel(**SHORT, random_state=0, verbose=False, pair_features=features)
    model.fit(counts, links=links, pair_matrices={"told": told})
    new = np.zeros((2, 80))
    new[0, 7] = 2.0
    scores = model.score_links(counts[:2], pair_matrices={"told": new})
    assert scores[0].argmax() == 7
    assert model.suggest_links(counts[:2], 1, pair_matrices={"told": new})[0][0].part == "matrix(told)"
    with pytest.raises(PlaitError, match="no matrix of the new documents"):
        model.score_links(counts[:2])
    with pytest.raises(PlaitError, match=r"has the shape \(2, 3\)"):
        model.score_links(counts[:2], pair_matrices={"told": np.ones((2, 3))})
    with pytest.raises(PlaitError, match="no pair feature reads"):
        plait.RelationalTopicModel(**SHORT).fit(counts, links=links, pair_matrices={"told": told})


def test_with_labels(network):
    corpus = as_corpus(*network)
    labels = NAMES[groups_of(80)]
    responses = [LabelResponse(), LinkResponse(pair_features=["text", "votes(5)"])]
    model = TopicModel(**SHORT, responses=responses, random_state=0, verbose=False).fit(corpus, labels)
    assert model.pair_weights_.labels == ["text", "votes(5)"]
    assert model.suggest_links(corpus.select(range(3)), top=2)[2][0].parts
    assert model.predict(corpus).shape == (80,)


@pytest.mark.parametrize("given", ["auto", ["auto"]])
def test_labels_of_training_documents_are_a_part_of_auto(network, given, tmp_path):
    corpus = as_corpus(*network)
    labels = NAMES[groups_of(80)].tolist()
    labelled = Corpus.from_matrix(corpus.counts, vocabulary=corpus.vocabulary, links=network[1], labels=labels)
    model = plait.RelationalTopicModel(**SHORT, pair_features=given, random_state=0, verbose=False).fit(labelled)
    assert model.pair_weights_.labels == [feature.label for feature in AUTO]
    assert model.pair_weights_.weights[:, :, -1].any()
    new = as_corpus(of_links(30, seed=9)[0])  # without labels
    found = model.score_links(new)
    sport = groups_of(80) == 2
    assert roc_auc_score(sport, found[2::3].mean(axis=0)) > 0.9
    plait.save(model, tmp_path / "m.plait")
    assert plait.load(tmp_path / "m.plait").score_links(new).tobytes() == found.tobytes()
    names = {part.name for one in model.suggest_links(new.select(range(3)), top=2) for part in one[0].parts}
    assert "latent_labels(100)" in names


@pytest.mark.slow  # the sweep of this model under an edited prior is compiled for it alone
def test_edited_topics_keep_the_weights(model, network):
    edited = model.merge_topics([[0, 1]], network[0], links=network[1], n_sweeps=2)
    assert edited.pair_weights_ is model.pair_weights_
    assert edited.suggest_links(network[0][:1])[0][0].parts


def test_a_fit_without_features_forgets_them(network):
    model = fitted(*network, **SHORT, pair_features=["text"])
    model.set_params(pair_features=None).fit(network[0], links=network[1])
    assert not hasattr(model, "pair_weights_")
    assert not model.suggest_links(network[0][:1])[0][0].parts


def test_what_cannot_work(network, model):
    counts, links = network
    with pytest.raises(PlaitError, match="keep='titles'"):
        fitted(counts, links, **SHORT, pair_features=["auto"], keep="ids")
    with pytest.raises(PlaitError, match="there is no pair feature 'texts'"):
        fitted(counts, links, **SHORT, pair_features=["texts"])
    with pytest.raises(PlaitError, match="needs dates of the training documents"):
        fitted(counts, links, **SHORT, pair_features=["dates"])
    with pytest.raises(PlaitError, match="needs labels of the training documents"):
        fitted(counts, links, **SHORT, pair_features=["latent_labels"])
    one = sparse.csr_array(([1.0], ([0], [1])), shape=(80, 80))
    with pytest.raises(PlaitError, match="too few to learn"):
        fitted(counts, one, **SHORT, pair_features=["text"])
    changed = fitted(counts, links, **SHORT, pair_features=["text"]).set_params(pair_features=["popularity"])
    with pytest.raises(PlaitError, match="was fitted with text"):
        changed.score_links(counts[:1])
    stream = plait.OnlineLDA(3, responses=[LinkResponse(pair_features="auto")])
    with pytest.raises(PlaitError, match="a stream keeps the words of none"):
        stream.partial_fit(as_corpus(counts, links))


def test_auto_is_the_default_and_has_no_features_where_they_cannot_be_used(network, monkeypatch, tmp_path):
    counts, links = network
    given = SHORT | {"random_state": 0, "verbose": False}
    by_default = plait.RelationalTopicModel(**given).fit(counts, links=links)
    named = plait.RelationalTopicModel(**given, pair_features=["auto"]).fit(counts, links=links)
    assert by_default.pair_weights_.labels == named.pair_weights_.labels
    assert by_default.score_links(counts[:3]).tobytes() == named.score_links(counts[:3]).tobytes()
    alone = plait.RelationalTopicModel(**given, pair_features=None).fit(counts, links=links)
    assert by_default.topic_word_.tobytes() == alone.topic_word_.tobytes()  # topics do not change

    def same_as_alone(model):
        assert not hasattr(model, "pair_weights_")
        plait.save(model, tmp_path / "model.plait")
        for one in (model, plait.load(tmp_path / "model.plait")):
            assert one.score_links(counts[:3]).tobytes() == alone.score_links(counts[:3]).tobytes()
            assert [found.part for found in one.suggest_links(counts[:1], 3)[0]] == [""] * 3

    with pytest.warns(UserWarning, match="keep='ids' does not keep the words .* scored by topics alone"):
        same_as_alone(plait.RelationalTopicModel(**given, keep="ids").fit(counts, links=links))
    monkeypatch.setattr("plait.models.pair_learning.MOST_AUTO_DOCUMENTS", len(counts) - 1)
    with pytest.warns(UserWarning, match="slow with more than 79 documents"):
        same_as_alone(plait.RelationalTopicModel(**given).fit(counts, links=links))
    explicit = plait.RelationalTopicModel(**given, pair_features=["auto"]).fit(counts, links=links)
    assert explicit.pair_weights_.labels == named.pair_weights_.labels
    monkeypatch.undo()
    few = sparse.csr_array(([1.0, 1.0], ([0, 3], [1, 2])), shape=(80, 80))
    with pytest.warns(UserWarning, match="2 links are too few to learn"):
        model = plait.RelationalTopicModel(**given).fit(counts, links=few)
    assert not hasattr(model, "pair_weights_")


def test_the_network_of_a_model_has_its_links(model, network):
    found = link_predictions(model).pairs.network
    expected = KnownNetwork(sparse.csr_array(network[0]), network[1])
    np.testing.assert_array_equal(found.either.toarray(), expected.either.toarray())
