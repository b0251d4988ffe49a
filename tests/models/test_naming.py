"""Names of topics: given ones, names from a function, names of the prior, and where they are shown."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import plait
from plait import LDA, Corpus, OnlineLDA, PlaitError, RelationalTopicModel, SeedPrior
from plait.models.editing.record import check_edits
from plait.models.methods.naming import TopicDescription

TEXTS = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 9
CORPUS = Corpus.from_texts(TEXTS, ids=[f"d{number}" for number in range(36)])


def fit(**parameters):
    return LDA(**{"n_topics": 2, "random_state": 0, "verbose": False, "n_sweeps": 20} | parameters).fit(CORPUS)


@pytest.fixture(scope="module")
def model():
    return fit()


def test_topics_have_no_names_at_first(model):
    assert model.topic_names_ == ["", ""]
    assert model.edits_ == []


def test_names_are_given_by_number_and_the_model_does_not_change(model):
    named = model.name_topics({1: " space "})
    assert named.topic_names_ == ["", "space"]
    assert [topic.name for topic in named.topics()] == ["", "space"]
    assert "space: " in str(named.topics()[1])
    assert named.edits_ == [{"operation": "name", "names": {1: "space"}}]
    assert model.topic_names_ == ["", ""]
    assert model.edits_ == []
    assert named.name_topics({1: None}).topic_names_ == ["", ""]
    assert np.array_equal(named.transform(CORPUS), model.transform(CORPUS))


def test_a_function_names_topics_from_words_and_documents(model):
    seen = []

    def name(topic):
        seen.append(topic)
        return topic.words[0]

    named = model.name_topics(name, top_words=3, top_documents=2)
    assert named.topic_names_ == [topic.words[0] for topic in model.topics()]
    assert all(isinstance(topic, TopicDescription) for topic in seen)
    assert [len(topic.words) for topic in seen] == [3, 3]
    typical = model.typical_documents(top=2)
    assert [topic.document_ids for topic in seen] == [[name for name, _ in own] for own in typical]
    assert seen[0].titles == seen[0].document_ids
    assert len(seen[0].excerpts) == 2
    assert set(seen[0].excerpts[0].split()) & set(seen[0].words)


def test_a_function_is_given_titles_and_excerpts_where_the_model_keeps_them(model):
    named = model.name_topics({})
    titles = np.array([f"title {number}" for number in range(36)], dtype=object)
    titles[0] = None
    named.documents_ = SimpleNamespace(titles=titles, excerpts=np.array(TEXTS, dtype=object))
    seen = []
    named.name_topics(lambda topic: seen.append(topic), top_documents=36)
    rows = [int(name[1:]) for name in seen[0].document_ids]
    assert seen[0].titles == [f"title {row}" if row else "d0" for row in rows]
    assert seen[0].excerpts == [TEXTS[row] for row in rows]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({2: "a"}, "there is no topic 2; the model has topics 0 to 1"),
        ({-1: "a"}, "there is no topic -1"),
        ({True: "a"}, "given by its number"),
        ({"0": "a"}, "given by its number"),
        ({0: "a", 1: "a"}, "topics 0, 1 would have the same name"),
        ({0: "  "}, "the name of topic 0 is blank"),
        ({0: 7}, "the name of topic 0 is 7"),
        ({0: "a\nb"}, "line break"),
        ({0: "\ud800"}, "the name of topic 0"),
        ({0: "x" * 201}, "201 characters"),
        (["a", "b"], "must map numbers of topics to names"),
        (lambda topic: "", "is blank"),
    ],
)
def test_wrong_names_are_errors(model, names, message):
    with pytest.raises(PlaitError, match=message):
        model.name_topics(names)


def test_names_may_be_exchanged(model):
    named = model.name_topics({0: "a", 1: "b"}).name_topics({0: "b", 1: "a"})
    assert named.topic_names_ == ["b", "a"]
    with pytest.raises(PlaitError, match="would have the same name"):
        named.name_topics({0: "a"})


def test_names_and_edits_are_saved(model, tmp_path):
    named = model.name_topics({0: "water", 1: "Geld"}).name_topics({0: None})
    again = plait.load(plait.save(named, tmp_path / "named.plait"))
    assert again.topic_names_ == ["", "Geld"]
    assert again.edits_ == named.edits_


def test_edits_of_a_file_are_checked(model, tmp_path):
    for wrong in (
        [{"operation": "name", "names": {0: 3}}],
        [{"operation": "explode"}],
        [{"operation": "merge", "groups": [[0, 1]]}],
        [{"operation": "split", "topic": 1, "into": 2.5, "n_topics": 3, "n_sweeps": 1}],
        ["merge"],
        {},
    ):
        with pytest.raises(PlaitError, match=r"edits_|name of topic"):
            check_edits(wrong)
    forged = model.name_topics({0: "a"})
    forged.topic_names_ = ["a"]
    plait.save(forged, tmp_path / "forged.plait")
    with pytest.raises(PlaitError, match="2 topics and 1 names"):
        plait.load(tmp_path / "forged.plait")
    forged.topic_names_ = ["a", "b\x1b"]
    plait.save(forged, tmp_path / "forged.plait")
    with pytest.raises(PlaitError, match="control character"):
        plait.load(tmp_path / "forged.plait")


def test_a_file_without_names_has_those_of_the_prior(tmp_path):
    seeded = fit(beta=SeedPrior({"money": ["loan"], "water": ["river"]}))
    del seeded.topic_names_, seeded.edits_
    again = plait.load(plait.save(seeded, tmp_path / "old.plait"))
    assert again.topic_names_ == ["money", "water"]
    assert again.edits_ == []


def test_seeded_topics_keep_their_names():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit(beta=SeedPrior({"money": ["loan"], "water": ["river"]})).topic_names_ == ["money", "water"]


def test_a_topic_whose_words_are_elsewhere_loses_its_name():
    # Both names have words of the same theme; only one topic can be about it.
    texts = ["loan money credit bank"] * 40 + ["river stream water flood"] * 40
    corpus = Corpus.from_texts(texts)
    prior = SeedPrior({"money": ["loan", "money"], "debt": ["credit"]}, strength=0.001)
    model = LDA(n_topics=2, beta=prior, random_state=1, verbose=False, n_sweeps=50)
    with pytest.warns(UserWarning, match="is not named .* are as probable in topic"):
        model.fit(corpus)
    assert sorted(model.topic_names_) in (["", "debt"], ["", "money"])
    about_money = int(np.argmax(model.topic_word_[:, list(model.vocabulary_).index("loan")]))
    assert model.topic_names_[about_money]


def test_a_topic_with_unknown_seed_words_only_loses_its_name():
    prior = SeedPrior({"money": ["loan"], "space": ["orbit"]})
    with pytest.warns(UserWarning, match='topic 1 is not named "space": none of the words that name it occurs'):
        model = fit(beta=prior, n_topics=3)
    assert model.topic_names_ == ["money", "", ""]


def test_a_topic_that_took_no_tokens_loses_its_name():
    # "loan" occurs, but far more often in documents of another theme than the strong prior can gather.
    texts = ["loan " + "river stream water " * 5] * 30 + ["money credit"] * 30
    corpus = Corpus.from_texts(texts)
    prior = SeedPrior({"finance": ["loan"]}, strength=0.001)
    model = LDA(n_topics=2, beta=prior, alpha=0.01, random_state=0, verbose=False, n_sweeps=60)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        model.fit(corpus)
    holds = int(np.argmax(model.topic_word_[:, list(model.vocabulary_).index("loan")]))
    assert model.topic_names_ == (["finance", ""] if holds == 0 else ["", ""])


def test_names_of_links_explanations_and_streams():
    rng = np.random.default_rng(0)
    links = np.zeros((36, 36), dtype=int)
    for source, target in rng.integers(0, 36, size=(80, 2)):
        links[source, target] = source != target and source % 4 // 2 == target % 4 // 2
    model = RelationalTopicModel(n_topics=2, n_sweeps=5, n_samples=1, n_chains=1, random_state=0, verbose=False)
    model = model.fit(CORPUS, links=links).name_topics({0: "zero", 1: "one"})
    first = model.topic_links(top=1)[0]
    assert first.source_name == ["zero", "one"][first.source]
    assert first.source_name in str(first)
    assert model.weights_table().columns[1:] == ["0 zero", "1 one"]
    labelled = plait.MedLDA(n_topics=2, n_sweeps=5, n_samples=1, n_chains=1, random_state=0, verbose=False)
    labelled = labelled.fit(CORPUS, ["a", "a", "b", "b"] * 9).name_topics({0: "zero", 1: "one"})
    explained = labelled.explain("river")
    assert {push.name for push in explained.topics} == {"zero", "one"}
    assert "topic 0 (zero)" in str(explained)


def test_names_of_a_stream_are_kept_from_slice_to_slice():
    stream = OnlineLDA(n_topics=2, window=1, random_state=0, verbose=False, n_sweeps=5).partial_fit(CORPUS)
    named = stream.name_topics({0: "zero"})
    later = named.partial_fit(Corpus.from_texts(["river delta " * 9, "loan debt " * 9] * 9))
    assert later.topic_names_ == ["zero", ""]
    assert len(later.edits_) == 1
    assert {one.topic: one.name for one in later.emerging(threshold=0)}[0] == "zero"
    assert later.fit(CORPUS).topic_names_ == ["", ""]
    assert later.edits_ == []


def test_names_of_an_interrupted_fit_are_kept():
    from plait.engine import run as loop

    original, calls = loop._advance, []

    def stop_after_three(chain, schedule, progress):
        original(chain, schedule, progress)
        calls.append(chain)
        if len(calls) == 3:
            raise_stop()

    def raise_stop():
        import os
        import signal

        os.kill(os.getpid(), signal.SIGINT)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "_advance", stop_after_three)
        stopped = fit()
    assert stopped.interrupted_
    resumed = stopped.name_topics({0: "zero"}).resume(CORPUS)
    assert resumed.topic_names_ == ["zero", ""]
    assert not resumed.interrupted_


ODD_NAMES = {
    "\x1b[31mred": "\\x1b[31mred",
    "a\nb": "a\\nb",
    " padded ": "padded",
    "x" * 5000: "x" * 200,
}


@pytest.mark.parametrize("given", ODD_NAMES)
def test_names_of_seeds_can_be_saved_and_loaded(given, tmp_path):
    prior = SeedPrior({given: ["loan", "money"], "water": ["river", "stream"]})
    model = LDA(2, beta=prior, random_state=0, verbose=False).fit(CORPUS)
    assert plait.load(plait.save(model, tmp_path / "m.plait")).topic_names_ == [ODD_NAMES[given], "water"]
