"""Figures of all models: every renderer, escaped texts, and the numbers that are drawn."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

from plait import Corpus, plots
from plait.errors import PlaitError
from plait.models import LDA, MedLDA, OnlineLDA
from plait.plots.figure import Axis, Cells, Figure, Line, Points
from plait.plots.frame import equal_ranges
from plait.plots.layout import place_network, principal_coordinates, spread_points
from plait.plots.placing import place_texts
from plait.plots.reading import typical_rows
from plait.plots.svg_text import format_tick, text_width, wrap
from plait.plots.tree import topic_distances, topic_groups, topic_order
from tests.models.small import NOT_CHOSEN, WORDS
from tests.report.braided import QUICK, braided, everything

HOSTILE = "<script>alert(1)</script>"
ONE_CHAIN = {name: value for name, value in QUICK.items() if name != "n_chains"}


@pytest.fixture(scope="module")
def model():
    """A model with labels, links and influence, whose words, ids and labels contain markup."""
    words = [f"{HOSTILE}{number}" for number in range(len(WORDS))]
    ids = [f"{HOSTILE} d{number}" for number in range(60)]
    return everything(braided(words=words, ids=ids, labels=[f"{HOSTILE} {number}" for number in range(3)]))


@pytest.fixture(scope="module")
def stream():
    made = OnlineLDA(3, window=2, **ONE_CHAIN)
    for number in range(4):
        made.partial_fit(braided().select(range(15 * number, 15 * number + 15)), label=f"{HOSTILE} {number}")
    return made


def figures(model, stream):
    corpus = braided(words=model.vocabulary_, labels=[f"{HOSTILE} {number}" for number in range(3)])
    choice = SimpleNamespace(
        rows=[
            SimpleNamespace(n_topics=n, log_likelihood=-5.0 - n / 100, standard_error=0.1, coherence=0.2, stability=0.9)
            for n in (5, 10, 80)
        ],
        recommended=5,
        best=10,
    )
    return {
        "map": plots.topic_map(model),
        "words": plots.topic_words(model, 1),
        "tree": plots.topic_tree(model),
        "similarities": plots.topic_similarities(model),
        "document map": plots.document_map(model),
        "document": plots.document_topics(model, 3),
        "labels": plots.label_weights(model),
        "confusion": plots.label_confusion(model, corpus),
        "scores": plots.label_scores(model, corpus),
        "links": plots.link_weights(model),
        "precision": plots.link_precision(model, corpus.select(range(10)), corpus.links[:10]),
        "topic network": plots.topic_network(model),
        "document network": plots.document_network(model),
        "perplexity": plots.perplexity_curve(model),
        "coherence": plots.topic_coherence(model, corpus),
        "choice": plots.topic_choice(choice),
        "streams": plots.topic_streams(stream),
        "changes": plots.change_calendar(stream),
        "words over time": plots.words_over_time(stream, 0),
        "trends": plots.topic_trends(stream.slices_, [0, 1, 2]),
    }


@pytest.fixture(scope="module")
def drawn(model, stream):
    return figures(model, stream)


def test_every_figure_has_a_title_and_labels_and_is_valid_svg(drawn):
    for name, figure in drawn.items():
        assert figure.title, name
        for one in getattr(figure, "figures", (figure,)):
            assert one.x.label or one.y.label or name == "trends", name
        for width in (352, 900):
            svg = figure.to_svg(width=width)
            root = ET.fromstring(svg)  # well formed
            assert float(root.get("width")) == width
            assert "<script" not in svg, name
            assert "NaN" not in svg
            assert "nan" not in svg.replace("finance", "")


def test_every_figure_is_drawn_by_plotly_and_matplotlib(drawn, tmp_path):
    pytest.importorskip("plotly")
    pytest.importorskip("matplotlib")
    for name, figure in drawn.items():
        assert HOSTILE not in json.dumps(figure.to_plotly().to_dict(), default=str), name
        bundle = figure._repr_mimebundle_()
        assert {"text/plain", "text/html", "application/vnd.plotly.v1+json"} <= set(bundle)
    assert drawn["map"].save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert drawn["similarities"].save(tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    assert b"plotly" in drawn["map"].save(tmp_path / "a.html").read_bytes()


def test_files_have_known_endings_and_are_not_replaced_unasked(drawn, tmp_path):
    path = drawn["map"].save(tmp_path / "a.svg")
    assert path.read_text(encoding="utf-8") == drawn["map"].to_svg()
    with pytest.raises(PlaitError, match="exists already"):
        drawn["map"].save(path, overwrite=False)
    with pytest.raises(PlaitError, match=r"must end in \.html, \.png or \.svg"):
        drawn["map"].save(tmp_path / "a.pdf")


def test_the_map_links_topics_only_where_there_is_an_address(drawn):
    svg = drawn["map"].to_svg(standalone=False, link=lambda key: f"#{key}" if key == "topic1" else None)
    assert svg.count("<a ") == 1
    assert 'href="#topic1"' in svg
    assert "xmlns" not in svg
    assert 'role="group"' in svg
    assert 'role="img"' in drawn["map"].to_svg()


def test_words_of_a_topic_follow_the_relevance_of_the_model(model):
    for weight in (0.0, 0.3, 1.0):
        figure = plots.topic_words(model, 2, relevance_weight=weight, top=5)
        with np.errstate(divide="ignore"):
            expected = model.topics(top=5, by="relevance", relevance_weight=weight)[2].words
        assert [text for _, text in figure.y.ticks] == expected
    with pytest.raises(PlaitError, match="there is no topic 9"):
        plots.topic_words(model, 9)
    with pytest.raises(PlaitError, match="between 0 and 1"):
        plots.topic_words(model, 0, relevance_weight=2.0)


def test_distances_are_those_of_the_model(model):
    frame = model.topic_similarity()
    exact = 1.0 - frame.drop("topic").to_numpy()
    assert topic_distances(model) == pytest.approx(exact, abs=1e-9)
    assert sorted(topic_order(model)) == list(range(4))
    assert sorted(set(topic_groups(model, 2))) == [0, 1]


def test_typical_rows_are_those_of_the_model(model):
    names = [[model.documents_.id(int(row)) for row in rows] for rows in typical_rows(model, 4).T]
    assert names == [[one.id for one in topic] for topic in model.typical_documents(top=4)]


def test_principal_coordinates_keep_distances_of_a_plane():
    points = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [1.0, 1.0]])
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    placed, explained = principal_coordinates(distances)
    assert np.sqrt(((placed[:, None] - placed) ** 2).sum(axis=2)) == pytest.approx(distances)
    assert explained.sum() == pytest.approx(1.0)


def test_circles_are_pushed_apart_and_linked_nodes_are_close():
    moved = spread_points(np.zeros((5, 2)), np.ones(5), strength=1.0, n_sweeps=500)
    distances = np.sqrt(((moved[:, None] - moved) ** 2).sum(axis=2))[np.triu_indices(5, 1)]
    assert distances.min() > 1.8
    first, second = np.array([0, 1, 3, 4]), np.array([1, 2, 4, 5])
    placed = place_network(6, first, second, np.ones(4))
    linked = np.hypot(*(placed[first] - placed[second]).T).mean()
    assert linked < np.hypot(*(placed[:3] - placed[3:]).T).mean()
    assert np.array_equal(placed, place_network(6, first, second, np.ones(4)))


def test_precision_counts_right_suggestions():
    known = SimpleNamespace(topic_word_=np.eye(2))
    known.score_links = lambda new, direction: np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.7]])
    figure = plots.link_precision(known, np.zeros((2, 2)), np.array([[1, 0, 0], [0, 0, 1]]))
    chance, recall, precision = figure.marks
    assert precision.y == (0.5, 0.5, pytest.approx(1 / 3))
    assert recall.y == (0.5, 1.0, 1.0)
    assert chance.y[0] == pytest.approx(1 / 3)


def test_confusion_is_counted(model):
    corpus = braided(words=model.vocabulary_, labels=[f"{HOSTILE} {number}" for number in range(3)])
    (cells,) = plots.label_confusion(model, corpus).marks
    predicted = [str(one) for one in model.predict(corpus)]
    right = np.mean([guess == labels[0] for guess, labels in zip(predicted, corpus.labels, strict=True)])
    assert np.mean([cells.values[at][at] for at in range(3)]) == pytest.approx(right)


def test_calibration_compares_confidence_and_truth():
    model = MedLDA(3, loss="logistic", **QUICK).fit(braided())
    figure = plots.label_calibration(model, braided())
    diagonal, line = figure.marks
    assert diagonal.dashed
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in zip(line.x, line.y, strict=True))
    assert not hasattr(MedLDA(3, **NOT_CHOSEN), "plot_calibration")


def test_words_of_a_text_get_their_topics():
    texts = ["river stream water", "money loan bank"] * 10
    model = LDA(2, **ONE_CHAIN).fit(texts)
    found = model.colour_words("The River <b> and money!")
    topics = {text: topic for text, topic in found.pieces if topic is not None}
    assert set(topics) == {"River", "money"}
    assert topics["River"] != topics["money"]
    assert "".join(text for text, _ in found.pieces) == "The River <b> and money!"
    assert "&lt;b&gt;" in found.to_html()


def test_models_draw_what_they_know(model, stream):
    assert model.plot_topics().title == "Map of 4 topics"
    assert model.plot_labels().marks
    assert stream.plot_words_over_time(1).marks
    plain = LDA(2, **ONE_CHAIN).fit(braided())
    for name in ("plot_labels", "plot_links", "plot_words_over_time", "plot_changes", "plot_document_network"):
        assert not hasattr(plain, name), name
    with pytest.raises(PlaitError, match="no time slices of its own: give by="):
        plain.plot_streams()
    with pytest.raises(PlaitError, match="needs a fitted model"):
        plots.topic_map(LDA())


def test_one_topic_and_one_document():
    model = LDA(1, **ONE_CHAIN).fit(["river stream"])
    for figure in (
        plots.topic_map(model),
        plots.topic_tree(model),
        plots.document_map(model),
        plots.topic_network(model),
    ):
        ET.fromstring(figure.to_svg())


def test_a_cell_has_the_colour_of_its_value():
    cells = Cells(((-1.0, 0.0, 2.0),), (("a", "b", "c"),), "diverging", 1.0, "weight")
    svg = Figure("t", Axis("x"), Axis("y"), (cells,), row_height=20).to_svg(standalone=False)
    assert [f'class="cell d{step}"' in svg for step in (0, 5, 10)] == [True, True, True]


def test_texts_fit():
    assert wrap("a few words that are long enough to need lines", 80) == ["a few words", "that are long", "enough to…"]
    assert format_tick(0.0, 0.25, False) == "0.00"
    points = Points((0.0,), (0.0,), (3.0,), (0,), ("a\x00b",))
    assert r"a\x00b" in Figure("t", Axis("x"), Axis("y"), (points,)).to_svg()


def unequal(*shares):
    """A model whose topics have given shares."""
    model = LDA(len(shares), **ONE_CHAIN).fit(braided())
    model.topic_share_ = np.array(shares)
    return model


def test_areas_of_circles_are_proportional_to_shares():
    (points,) = plots.topic_map(unequal(0.6, 0.25, 0.1, 0.05)).marks
    assert points.keys == ("topic0", "topic1", "topic2", "topic3")
    areas = np.square(points.size)
    assert areas / areas.sum() == pytest.approx([0.6, 0.25, 0.1, 0.05])
    tiny = plots.topic_map(unequal(0.9, 0.0995, 0.0004, 0.0001))
    assert min(tiny.marks[0].size) == 2.5
    assert "at least 2.5 pixels" in tiny.note


def test_no_circle_leaves_the_frame():
    for width, height in ((860.0, 530.0), (320.0, 270.0), (200.0, 700.0)):
        for figure in (plots.topic_map(unequal(0.6, 0.25, 0.1, 0.05)), plots.topic_network(unequal(0.6, 0.3, 0.1))):
            x, y = equal_ranges(figure, width, height)
            unit = (x[1] - x[0]) / width
            assert unit == pytest.approx((y[1] - y[0]) / height)
            points = figure.marks[-1]
            for ends, places in ((x, points.x), (y, points.y)):
                assert all(
                    ends[0] <= at - size * unit and at + size * unit <= ends[1]
                    for at, size in zip(places, points.size, strict=True)
                )


def test_every_circle_of_a_map_has_its_number():
    figure = plots.topic_map(unequal(0.9, 0.0985, 0.001, 0.0005))
    assert figure.to_svg().count('class="inner') == 4
    assert ['class="inner small over"' in figure.to_svg(), 'class="inner"' in figure.to_svg()] == [True, True]


def test_names_cover_no_circle_where_there_is_room():
    centres, radii = [(100.0, 100.0), (150.0, 100.0), (100.0, 160.0)], [20.0, 25.0, 12.0]
    placed = list(place_texts(["first topic", "", "third"], centres, radii, (0.0, 0.0, 400.0, 300.0)))
    assert [(one.number, one.text) for one in placed] == [(0, "first topic"), (2, "third")]
    for one in placed:
        width = text_width(one.text)
        left = one.x - {"start": 0, "middle": width / 2, "end": width}[one.anchor]
        for (x, y), radius in zip(centres, radii, strict=True):
            across, down = max(left - x, 0, x - left - width), max(one.y - 11 - y, 0, y - one.y - 3)
            assert across**2 + down**2 >= radius**2
    assert placed[0].side == "left"  # a circle is on the right


def test_pictures_of_networks_fill_their_width(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    figure = plots.topic_network(unequal(0.4, 0.3, 0.2, 0.1))
    pixels = image.imread(figure.save(tmp_path / "a.png"))[..., :3]
    dark = (pixels.max(axis=2) < 0.1).mean(axis=0)  # columns of the frame are dark over most of the height
    sides = np.flatnonzero(dark > 0.5)
    assert sides.size
    assert np.ptp(sides) > 0.9 * pixels.shape[1]
    assert "widest one" in figure.note
    assert "widest one" in figure.to_svg().partition('class="axis-label"')[2]


def test_documents_with_the_same_topics_do_not_hide_each_other():
    model = unequal(0.5, 0.5)
    model.doc_topic_ = np.tile([[0.9, 0.1], [0.1, 0.9]], (30, 1))
    (points,) = plots.document_map(model).marks
    places = np.column_stack([points.x, points.y])
    distances = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))[np.triu_indices(len(places), 1)]
    assert distances.min() > points.size[0]
    around = np.hypot(*(places[::2] - places[::2].mean(axis=0)).T)  # the documents of one topic
    halves = np.histogram(around, bins=[0, around.max() / 2, around.max() * 1.01])[0]
    assert halves[0] == pytest.approx(len(around) / 4, abs=3)  # a disc, not a ring
    assert "spread over a disc" in plots.document_map(model).note


def test_heat_maps_say_where_their_colours_end():
    model = MedLDA(4, **QUICK).fit(braided())
    model.label_weights_ = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    model.label_weights_[0, 0] = 11.45
    clipped = plots.label_weights(model)
    limit = clipped.marks[0].limit
    assert limit < 11.45
    assert f"Colours end at ±{limit:.2g}; 1 cell is beyond, up to +11.45." in clipped.note
    assert f"≥ {limit:.2g}" in clipped.to_svg()
    assert f"≤ −{limit:.2g}" not in clipped.to_svg()
    model.label_weights_ = np.where(np.arange(12) % 2, 1.0, -1.0).reshape(3, 4)
    assert "Colours end" not in plots.label_weights(model).note


def test_emerging_and_fading_topics_look_different(monkeypatch, stream):
    changes = [(1, 0, True, "topic 0 emerges"), (2, 1, False, "topic 1 fades")]
    monkeypatch.setattr("plait.plots.over_time.topic_changes", lambda model: changes if model is stream else [])
    figure = plots.topic_streams(stream)
    svg = figure.to_svg()
    assert [svg.count(f'class="point {kind} ringed"') for kind in ("co", "ci")] == [1, 1]
    assert [name for name, _ in figure.legend] == ["a topic emerges", "a topic fades"]
    assert "words in the last slice" in figure.note
    same = LDA(2, **ONE_CHAIN).fit(Corpus.from_texts(["river stream", "loan bank"] * 4, times=["2001", "2002"] * 4))
    assert "words in the last slice" not in same.plot_streams(by="year").note


def test_time_slices_are_named_as_far_as_there_is_room():
    labels = tuple((float(at), f"2024-W{at:02}") for at in range(14))
    figure = Figure("t", Axis("x", ticks=labels, thin=True), Axis("y"), (Line((0.0, 13.0), (0.0, 1.0)),))
    for width, least, most in ((1200, 14, 14), (900, 7, 14), (352, 3, 6)):
        svg = figure.to_svg(width=width, standalone=False)
        assert least <= svg.count(">2024-W") <= most
        assert "rotate" not in svg.partition("2024-W00")[0][-200:]
