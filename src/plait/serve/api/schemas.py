"""Requests and answers of the API, as the OpenAPI description has them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MOST_RESULTS = 100
LONGEST_NAME = 200  # characters of a topic's name

Top = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="Number of results.")]


class Request(BaseModel):
    """A body; unknown fields are an error, because they would be ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Texts(Request):
    """Texts, and the ids of the documents that each links to."""

    texts: Annotated[list[str], Field(min_length=1, description="The texts.", examples=[["The shuttle is in orbit."]])]
    links: Annotated[
        list[list[str]] | None,
        Field(description="One list of ids per text, for a model that uses links of new documents."),
    ] = None


class TopTexts(Texts):
    """Texts and a number of results."""

    top: Top = 10


class ExplainedTexts(Request):
    """Texts whose labels are explained."""

    texts: Annotated[list[str], Field(min_length=1, description="The texts.", examples=[["The shuttle is in orbit."]])]
    label: Annotated[str | None, Field(description="A label; null for the label with the highest score.")] = None
    top: Top = 10


class SimilarTo(Request):
    """Texts, or ids of training documents."""

    texts: Annotated[list[str] | None, Field(min_length=1, description="The texts.")] = None
    links: Annotated[list[list[str]] | None, Field(description="One list of ids per text.")] = None
    ids: Annotated[list[str] | None, Field(min_length=1, description="Ids, instead of texts.")] = None
    top: Top = 10


class TopicName(Request):
    """A name of a topic."""

    name: Annotated[str | None, Field(max_length=LONGEST_NAME, description="The name; null removes it.")]


class Answer(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What is wrong, and what to do."""

    error: str
    status: int
    details: list[dict[str, str]] | None = None


class ModelInfo(Answer):
    """What the model is, what it can do, and the limits of the server."""

    title: str
    model: str
    version: str
    n_topics: int
    n_documents: int
    n_words: int
    reads_texts: bool
    predicts_labels: bool
    predicts_values: bool
    suggests_links: bool
    follows_links: bool
    can_edit: bool
    limits: dict[str, float]


class TopicRef(Answer):
    """Number and label of a topic; the label is its name or its first words."""

    topic: int
    label: str


class TopicShare(TopicRef):
    """A topic and its share."""

    share: float


class TopicWeight(TopicRef):
    """A topic and its weight."""

    weight: float


class TopicSimilarity(TopicRef):
    """A topic and its similarity, from 0 to 1."""

    similarity: float


class Word(Answer):
    """A word of a topic."""

    word: str
    probability: float


class TopicInfo(TopicRef):
    """A topic with its words."""

    name: str
    share: float
    words: list[Word]
    distinctive: list[str]


class Topics(Answer):
    """All topics in the order of their numbers."""

    topics: list[TopicInfo]


class DocumentRef(Answer):
    """A training document."""

    row: int
    id: str
    title: str
    labels: list[str]
    time: str | None
    topics: list[TopicShare]


class SharedDocument(DocumentRef):
    """A document and a share."""

    share: float


class ScoredDocument(DocumentRef):
    """A document and a score."""

    score: float


class Reason(Answer):
    """A pair of topics that raises the score of a link."""

    topic: TopicRef
    other: TopicRef
    contribution: float


class SuggestedDocument(ScoredDocument):
    """A suggested link with its reasons."""

    reasons: list[Reason]


class LabelOfTopic(Answer):
    """A label of a topic, with the weight that the model has learned, or the mean share of the topic."""

    number: int
    label: str
    weight: float | None = None
    share: float | None = None


class TopicDetails(TopicInfo):
    """A topic with typical documents, labels, and similar and linked topics."""

    documents: list[SharedDocument]
    labels: list[LabelOfTopic]
    similar: list[TopicSimilarity]
    links: list[TopicWeight]


class DocumentList(Answer):
    """Some documents of all that were asked for."""

    n_documents: int
    offset: int
    documents: list[DocumentRef]


class DocumentDetails(DocumentRef):
    """A document with its nearest documents, links and influence."""

    excerpt: str
    metadata: dict[str, str]
    similar: list[ScoredDocument]
    links_out: list[DocumentRef]
    links_in: list[DocumentRef]
    suggested: list[SuggestedDocument]
    influencers: list[SharedDocument]
    influenced: list[SharedDocument]


class LabelInfo(Answer):
    """A label: its documents, and its topics by mean share and by weight."""

    number: int
    label: str
    n_documents: int
    topics: list[TopicShare]
    weights: list[TopicWeight] | None


class Labels(Answer):
    """All labels."""

    labels: list[LabelInfo]


class FoundWord(Answer):
    """A word and its topics."""

    word: str
    frequency: float
    topics: list[TopicShare]


class Found(Answer):
    """Documents that contain a query, documents whose topics fit its words, and words that contain it."""

    query: str
    matching: list[DocumentRef]
    by_topics: list[ScoredDocument]
    words: list[FoundWord]


class TextAnswer(Answer):
    """An answer about a text; `n_known_tokens` is the number of its tokens that are in the vocabulary."""

    n_known_tokens: int


class Proportions(TextAnswer):
    """Topic proportions in the order of the topics' numbers; they sum to 1."""

    topics: list[float]


class TransformAnswer(Answer):
    """One answer per text."""

    results: list[Proportions]


class Prediction(TextAnswer):
    """Predicted labels with scores, and probabilities where the model has them; or a predicted value."""

    labels: list[str] | None = None
    scores: dict[str, float] | None = None
    probabilities: dict[str, float] | None = None
    value: float | None = None


class PredictAnswer(Answer):
    """One answer per text."""

    results: list[Prediction]


class TopicContribution(TopicShare):
    """Contribution of a topic to a score: share × weight."""

    weight: float
    contribution: float


class WordContribution(Answer):
    """Contribution of a word to a score."""

    word: str
    count: float
    contribution: float


class TextExplanation(TextAnswer):
    """Contributions to the score of a label; empty for a text without known words."""

    label: str | None
    score: float | None
    topics: list[TopicContribution]
    words: list[WordContribution]


class ExplainAnswer(Answer):
    """One answer per text."""

    results: list[TextExplanation]


class TextSuggestions(TextAnswer):
    """Suggested links of a text."""

    suggestions: list[SuggestedDocument]


class SuggestAnswer(Answer):
    """One answer per text."""

    results: list[TextSuggestions]


class SimilarDocuments(Answer):
    """Documents with similar topics."""

    n_known_tokens: int | None = None
    documents: list[ScoredDocument]


class SimilarAnswer(Answer):
    """One answer per text or id."""

    results: list[SimilarDocuments]


class Health(Answer):
    """Whether the server serves."""

    status: str
