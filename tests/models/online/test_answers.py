"""What a stream says of its changes: emerging and fading topics, drift, trend and words through time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import Corpus, OnlineLDA, PlaitError, load, save
from plait.models.online.answers import DriftPoint, EmergingTopic, FadingTopic, SharePoint, WordsPoint

N_WORDS = 200
WORDS = [f"w{number}" for number in range(N_WORDS)]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday"]
QUICK = {"n_sweeps": 60, "n_samples": 3, "n_jobs": 1, "verbose": False}
# Shares of six themes by day: the sixth comes on Thursday, or the first ends then.
STILL = [[0.2, 0.2, 0.2, 0.2, 0.2, 0.0]] * 4
EMERGING = [*STILL[:3], [0.16, 0.16, 0.16, 0.16, 0.16, 0.2]]
FADING = [*STILL[:3], [0.0, 0.25, 0.25, 0.25, 0.25, 0.0]]
THEMES = np.random.default_rng(0).dirichlet(np.full(N_WORDS, 0.05), 6)


def day(shares, rng, n_documents=120):
    shares = np.array(shares)
    present = shares > 0
    proportions = rng.dirichlet(0.8 * shares[present], n_documents)
    counts = rng.multinomial(rng.integers(20, 50, n_documents), proportions @ THEMES[present])
    return Corpus.from_matrix(sparse.csr_array(counts), vocabulary=WORDS)


def learned(plan, seed=0, n_topics=8, **changes):
    rng = np.random.default_rng(seed)
    model = OnlineLDA(n_topics, random_state=seed, **(QUICK | changes))
    for label, shares in zip(DAYS, plan, strict=False):
        model.partial_fit(day(shares, rng), label=label)
    return model


@pytest.fixture(scope="module")
def emerging():
    return learned(EMERGING)


@pytest.fixture(scope="module")
def fading():
    return learned(FADING)


def nearest(model, theme, of):
    """The topic whose first words in a slice are most probable in a theme."""
    column_of = {word: number for number, word in enumerate(WORDS)}
    first = model.slices_[of].words[:, :10]
    return int(np.argmax([sum(THEMES[theme, column_of[word]] for word in row) for row in first]))


@pytest.mark.parametrize("seed", range(3))
def test_a_still_stream_raises_no_alarm(seed):
    model = learned(STILL, seed)
    assert [model.emerging(slice=day) for day in DAYS] == [[]] * 4
    assert [model.fading(slice=day) for day in DAYS] == [[]] * 4


@pytest.mark.parametrize("seed", range(3))
def test_a_new_theme_is_announced_in_its_slice_and_by_its_words(seed):
    model = learned(EMERGING, seed)
    found = model.emerging()
    assert [model.emerging(slice=number) for number in range(3)] == [[]] * 3
    assert nearest(model, 5, -1) in [topic.topic for topic in found]
    likelihood = THEMES[:, [WORDS.index(word) for word in found[0].words]]
    assert (likelihood[5] > likelihood[:5].sum(axis=0) / 5).mean() > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_a_theme_that_ends_is_said_to_fade(seed):
    model = learned(FADING, seed)
    assert nearest(model, 0, -2) in [topic.topic for topic in model.fading()]
    assert model.emerging() == []


def test_emerging_topics_come_with_what_slices_keep_of_them(emerging):
    (first, *_) = emerging.emerging()
    last = emerging.slices_[-1]
    assert first == EmergingTopic(
        first.topic,
        "Thursday",
        last.novelty[first.topic],
        last.drift[first.topic],
        last.noise[first.topic],
        last.topic_share[first.topic],
        [word for word in last.risen[first.topic] if word],
    )
    assert first.novelty == np.nanmax(last.novelty)
    text = str(first)
    assert text.startswith(f"{first.topic:3d}  {first.share:5.1%}  new ")
    assert text.endswith(" ".join(first.words))


def test_thresholds_say_how_many_topics_are_told(emerging):
    every = emerging.emerging(0.0, least_share=0.0)
    novelties = [topic.novelty for topic in every]
    assert novelties == sorted(novelties, reverse=True)
    assert len(every) == 8
    assert emerging.emerging(novelties[1], least_share=0.0) == every[:2]
    assert emerging.emerging(1.0) == []
    largest = max(topic.share for topic in every)
    assert [topic.share for topic in emerging.emerging(0.0, least_share=largest)] == [largest]


def test_tiny_topics_are_left_out():
    model = learned(EMERGING)
    shares = model.slices_[-1].topic_tokens
    shares *= np.where(np.arange(8) == model.emerging()[0].topic, 0.001, 1)  # as if it held a few words only
    assert len(model.emerging(least_share=0.0)) == len(model.emerging()) + 1


def test_fading_topics_tell_share_and_window(fading):
    topic = fading.fading()[0]
    before, now = fading.slices_[:3], fading.slices_[3]
    tokens = sum(one.topic_tokens[topic.topic] for one in before)
    assert topic.before == pytest.approx(tokens / sum(one.n_tokens for one in before))
    assert topic.share == now.topic_share[topic.topic]
    assert topic.share < 0.5 * topic.before - topic.noise
    assert topic.words == before[-1].words[topic.topic, :10].tolist()
    assert isinstance(topic, FadingTopic)
    assert str(topic).startswith(f"{topic.topic:3d}  {topic.share:5.1%} after {topic.before:5.1%}  ")
    assert fading.fading(0.0) == [one for one in fading.fading() if one.share == 0]


def with_shares(model, shares, repeats=1.0, n_tokens=1000.0):
    """A stream of two topics in which the first has these shares."""
    slices = []
    for number, share in enumerate(shares):
        tokens = n_tokens * np.array([share, 1 - share])
        one = replace(model.slices_[0], number=number, n_tokens=n_tokens, topic_tokens=tokens)
        slices.append(replace(one, topic_repeats=np.full(2, repeats)))
    model.slices_ = slices
    return model


@pytest.mark.parametrize(
    ("shares", "repeats", "fades"),
    [
        ([0.2, 0.2, 0.05], 1.0, True),
        ([0.2, 0.2, 0.05], 100.0, False),  # two documents in place of eight
        ([0.2, 0.2, 0.12], 1.0, False),  # a fall beyond chance, but not to a half
        ([0.02, 0.02, 0.005], 1.0, False),
        ([0.2, 0.2, 0.0], 5.0, True),
    ],
)
def test_topics_fade_where_shares_fall_deep_and_beyond_chance(shares, repeats, fades):
    model = with_shares(learned(STILL[:1], n_topics=2, n_sweeps=2), shares, repeats)
    assert [topic.topic for topic in model.fading()] == [0] * fades
    assert [topic.topic for topic in model.fading(0.7)] == [0] * (fades or shares[-1] == 0.12)


def test_repeats_are_those_of_documents():
    documents = day(EMERGING[0], np.random.default_rng(0))
    model = OnlineLDA(8, random_state=0, **QUICK).partial_fit(documents)
    held = [
        [sum(row) * share for share in shares]
        for row, shares in zip(documents.counts.toarray(), model.doc_topic_, strict=True)
    ]
    expected = [sum(n**2 for n in column) / sum(column) for column in zip(*held, strict=True)]
    assert model.slices_[0].topic_repeats == pytest.approx(expected)


def test_the_window_of_fading_is_weighted_as_the_prior_is():
    model = learned(FADING, window=2, history_weights=[0.0, 1.0])
    topic = model.fading()[0]
    assert topic.before == pytest.approx(model.slices_[2].topic_share[topic.topic])


def test_a_topic_s_course_has_a_point_for_every_slice(emerging):
    drift, trend, words = emerging.drift(3), emerging.trend(3), emerging.words_over_time(3, top=4)
    for points in (drift, trend, words):
        assert [point.slice for point in points] == DAYS
    slices = emerging.slices_
    assert np.isnan(drift[0].drift)
    assert drift[2] == DriftPoint("Wednesday", slices[2].drift[3], slices[2].noise[3], slices[2].novelty[3])
    assert trend[1] == SharePoint("Tuesday", slices[1].topic_share[3])
    assert words[3] == WordsPoint("Thursday", slices[3].words[3, :4].tolist(), slices[3].probabilities[3, :4].tolist())
    assert str(drift[0]) == "Monday  none"
    assert str(drift[2]).startswith(f"Wednesday  {drift[2].drift:4.0%} (chance {drift[2].noise:4.0%})  new")
    assert str(trend[1]) == f"Tuesday  {trend[1].share:5.1%}"
    assert str(words[3]) == f"Thursday  {' '.join(words[3].words)}"


def test_an_empty_slice_says_nothing_and_breaks_nothing():
    rng = np.random.default_rng(0)
    model = OnlineLDA(8, random_state=0, **QUICK)
    for label, shares in zip(DAYS[:3], EMERGING, strict=False):
        model.partial_fit(day(shares, rng), label=label)
    nothing = Corpus.from_matrix(sparse.csr_array((2, N_WORDS), dtype=int), vocabulary=WORDS)
    model.partial_fit(nothing, label="holiday")
    assert model.emerging(0.0) == []
    assert model.fading() == []
    assert np.isnan(model.trend(0)[3].share)
    assert str(model.trend(0)[3]) == "holiday  no words"
    assert str(model.drift(0)[3]) == "holiday  none"
    assert model.words_over_time(0)[3].words == []
    assert str(model.words_over_time(0)[3]) == "holiday  no words"
    model.partial_fit(day(FADING[3], rng), label="Thursday")
    assert nearest(model, 0, 2) in [topic.topic for topic in model.fading()]
    assert model.emerging() == []


def test_slices_are_found_by_label_and_number(emerging):
    assert emerging.emerging(slice="Thursday") == emerging.emerging(slice=3) == emerging.emerging(slice=-1)
    twice = with_shares(learned(STILL[:1], n_topics=2, n_sweeps=2), [0.2, 0.2, 0.05])
    assert {one.label for one in twice.slices_} == {"Monday"}
    assert twice.fading(slice=1) == []
    assert twice.fading(slice="Monday") == twice.fading(slice=2) != []  # the last that is called so
    for wrong in (4, -5, 1.0, True):
        with pytest.raises(PlaitError, match="slice must be a label or a number from -4 to 3"):
            emerging.emerging(slice=wrong)
    with pytest.raises(PlaitError, match="no slice is called 'Sunday'; the stream has 4, the first is 'Monday'"):
        emerging.fading(slice="Sunday")


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan"), "a", True])
def test_thresholds_are_shares(emerging, wrong):
    with pytest.raises(PlaitError, match="threshold must be a number from 0 to 1"):
        emerging.emerging(wrong)
    with pytest.raises(PlaitError, match="threshold must be a number from 0 to 1"):
        emerging.fading(wrong)
    with pytest.raises(PlaitError, match="least_share must be a number from 0 to 1"):
        emerging.emerging(least_share=wrong)


@pytest.mark.parametrize("method", ["drift", "trend", "words_over_time", "evolution"])
@pytest.mark.parametrize("wrong", [8, -1, 0.0, True, "a"])
def test_topics_are_numbers_that_there_are(emerging, method, wrong):
    with pytest.raises(PlaitError, match="topic must be a number from 0 to 7"):
        getattr(emerging, method)(wrong)


def test_words_are_asked_for_by_whole_numbers(emerging):
    with pytest.raises(PlaitError, match="top must be a whole number, 1 or more"):
        emerging.words_over_time(0, top=0)


@pytest.mark.parametrize("apart", [{"window": 0}, {"history_weights": 0.0}], ids=["window", "weights"])
def test_slices_that_are_learned_alone_are_not_connected(apart):
    model = learned(STILL[:2], n_sweeps=3, **apart)
    for ask in (model.emerging, model.fading, lambda: model.drift(0), lambda: model.trend(0)):
        with pytest.raises(PlaitError, match="not connected"):
            ask()
    with pytest.raises(PlaitError, match="not connected"):
        model.words_over_time(0)


def test_a_model_file_keeps_the_answers(emerging, tmp_path):
    save(emerging, tmp_path / "stream.plait")
    again = load(tmp_path / "stream.plait")
    assert again.emerging() == emerging.emerging()
    assert again.fading(slice="Tuesday") == emerging.fading(slice="Tuesday")
    assert str(again.drift(1)) == str(emerging.drift(1))
    assert again.words_over_time(1) == emerging.words_over_time(1)


def test_a_matrix_without_names_has_numbers_of_columns_for_words():
    rng = np.random.default_rng(0)
    model = OnlineLDA(8, random_state=0, **QUICK)
    for shares in EMERGING:
        model.partial_fit(day(shares, rng).counts)
    assert {word[0] for word in model.emerging()[0].words} == {"x"}
    assert model.emerging()[0].slice == "slice 3"


def test_asking_before_anything_is_learned_is_an_error():
    with pytest.raises(Exception, match="not fitted"):
        OnlineLDA(3).emerging()
