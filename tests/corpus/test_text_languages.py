"""Languages: names, guesses, stop words, lemmas, stems, and languages without spaces."""

from __future__ import annotations

import socket
import sys

import pytest

from plait.corpus import Corpus, CorpusError, TextOptions
from plait.corpus.text import splitting
from plait.corpus.text.guessing import guess_language
from plait.corpus.text.languages import LANGUAGES, LEMMAS, STEMMERS, language_code
from plait.corpus.text.stop_words import load_stop_words, stop_words_of

PROSE = {
    "de": "Die Universität wurde im Jahr 1502 gegründet, und sie ist heute eine der größten des Landes. Viele "
    "Studenten kommen aus anderen Ländern, weil die Stadt auch für ihre Musik bekannt ist.",
    "fr": "L'université a été fondée en 1502 et elle est aujourd'hui l'une des plus grandes du pays. Beaucoup "
    "d'étudiants viennent d'autres pays, parce que la ville est aussi connue pour sa musique.",
    "es": "La universidad fue fundada en el año 1502 y hoy es una de las más grandes del país. Muchos estudiantes "
    "vienen de otros países porque la ciudad también es conocida por su música.",
    "it": "L'università fu fondata nel 1502 ed è oggi una delle più grandi del paese. Molti studenti vengono da altri "
    "paesi, perché la città è conosciuta anche per la sua musica.",
    "nl": "De universiteit werd in het jaar 1502 opgericht en is vandaag een van de grootste van het land. Veel "
    "studenten komen uit andere landen, omdat de stad ook bekend is om haar muziek.",
    "ru": "Университет был основан в 1502 году, и сегодня он является одним из крупнейших в стране. Многие студенты "
    "приезжают из других стран, потому что город известен и своей музыкой.",
    "pl": "Uniwersytet został założony w 1502 roku i jest dziś jednym z największych w kraju. Wielu studentów "
    "przyjeżdża z innych krajów, ponieważ miasto jest znane także ze swojej muzyki.",
    "tr": "Üniversite 1502 yılında kurulmuştur ve bugün ülkenin en büyük üniversitelerinden biridir. Şehir müziğiyle "
    "de tanındığı için birçok öğrenci başka ülkelerden gelmektedir.",
    "en": "The university was founded in 1502 and it is one of the largest of the country. Many students come from "
    "other countries, because the city is also known for its music.",
    "zh": "这所大学成立于1502年，今天是全国最大的大学之一。许多学生来自其他国家，因为这座城市也以音乐闻名。",
    "ja": "この大学は1502年に設立され、今日では国内最大の大学の一つです。"
    "街は音楽でも知られているため、多くの学生が他の国から来ています。",
    "th": "มหาวิทยาลัยก่อตั้งขึ้นในปี 1502 และปัจจุบันเป็นหนึ่งในมหาวิทยาลัยที่ใหญ่ที่สุดในประเทศ",
}


@pytest.mark.parametrize("code", PROSE)
def test_the_language_is_guessed(code):
    pytest.importorskip("py3langid")
    assert guess_language([PROSE[code]] * 3) == code


def test_the_guess_is_part_of_the_corpus():
    corpus = Corpus.from_texts([PROSE["de"]] * 2)
    assert corpus.text_options.language == "de"
    assert {"universität", "musik"} <= set(corpus.vocabulary)
    assert not {"die", "und", "sie"} & set(corpus.vocabulary)


@pytest.mark.parametrize("texts", [[], [""], ["x1 x2 x3"], ["river boat lake " * 50], ["Haus Baum"], ["12 34"]])
def test_a_guess_that_is_not_clear_is_none(texts):
    assert guess_language(texts) is None
    if "".join(texts).strip() and not texts[0][0].isdigit():
        assert Corpus.from_texts(texts).text_options.stop_words is None


def test_without_the_package_only_english_is_known(monkeypatch):
    monkeypatch.setitem(sys.modules, "py3langid", None)
    found = {code: guess_language([text]) for code, text in PROSE.items()}
    assert {code: one for code, one in found.items() if one} == {"en": "en", "zh": "zh", "ja": "ja", "th": "th"}


def test_mail_headers_do_not_decide():
    text = "From: a@b.edu\nOrganization: University of the West\nSubject: Re: x\n\n" + PROSE["de"]
    assert guess_language([text]) == "de"


def test_names_and_codes():
    assert language_code("German") == language_code("de") == language_code(" DE ") == "de"
    assert language_code("nb") == "no"
    assert TextOptions(language="german") == TextOptions(language="de")
    for code, name in LANGUAGES.items():
        assert language_code(name) == code


def test_stop_words_of_many_languages():
    pytest.importorskip("stopwordsiso")
    listed = {code: stop_words_of(code) for code in LANGUAGES}
    assert sum(words is not None for words in listed.values()) >= 50
    assert {"und", "nicht"} <= load_stop_words("german")
    assert load_stop_words("de") == load_stop_words("German")
    assert Corpus.from_texts(["das Haus und Hof"], stop_words="german").vocabulary.tolist() == ["haus", "hof"]
    with pytest.raises(CorpusError, match="there are no stop words for Tamil; give a list"):
        load_stop_words("tamil")
    assert Corpus.from_texts(["வணக்கம்"], language="ta").n_words == 1, 'a language without a list has none by "auto"'


@pytest.mark.slow  # loads the dictionary of every language
@pytest.mark.parametrize("code", LEMMAS)
def test_lemmas_of_many_languages(code):
    simplemma = pytest.importorskip("simplemma")
    assert isinstance(simplemma.lemmatize("x", lang=LEMMAS[code]), str)


@pytest.mark.parametrize("code", STEMMERS)
def test_stems_of_many_languages(code):
    snowballstemmer = pytest.importorskip("snowballstemmer")
    assert STEMMERS[code] in snowballstemmer.algorithms()


def test_enough_languages():
    assert len(LEMMAS) >= 40
    assert len(STEMMERS) >= 30


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ({"language": "de", "normalize": "lemmas"}, "Die Häuser standen", ["haus", "stehen"]),
        ({"language": "en", "normalize": "lemmas"}, "The houses were running", ["house", "run"]),
        ({"language": "fr", "normalize": "lemmas"}, "les chevaux", ["cheval"]),
        ({"language": "de", "normalize": "stems"}, "Die Häuser", ["haus"]),
        ({"language": "en", "normalize": "stems"}, "The houses of running", ["hous", "run"]),
    ],
)
def test_words_are_normalised(options, text, expected):
    assert TextOptions(**options).words(text) == expected


def test_languages_without_spaces():
    pytest.importorskip("jieba")
    assert "清华大学" in TextOptions(language="zh").words("我来到北京清华大学。")
    pytest.importorskip("janome")
    assert "すもも" in TextOptions(language="ja", stop_words=None).words("すもももももももものうち")
    pytest.importorskip("pythainlp")
    assert "โอเค" in TextOptions(language="th", stop_words=None).words("ผมรักคุณนะครับโอเค")


@pytest.mark.parametrize(("code", "package"), [("zh", "jieba"), ("ja", "janome"), ("th", "pythainlp")])
def test_a_missing_splitter_is_named(monkeypatch, code, package):
    for name in (package, f"{package}.tokenizer", f"{package}.tokenize"):
        monkeypatch.setitem(sys.modules, name, None)
    splitting.segmenter.cache_clear()
    with pytest.raises(CorpusError, match=rf"the texts are {LANGUAGES[code]}.*pip install {package}"):
        Corpus.from_texts([PROSE[code]] * 3, stop_words=None)


@pytest.mark.slow  # loads many dictionaries
def test_nothing_is_downloaded(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for code, text in PROSE.items():
        for normalize in (None, "lemmas", "stems"):
            if normalize is None or code in (LEMMAS if normalize == "lemmas" else STEMMERS):
                assert TextOptions(normalize=normalize, language=code).words(text)


def test_a_guess_without_a_folder_for_temporary_files_is_a_warning(monkeypatch):
    def classify(text):
        raise FileNotFoundError("/nonexistent/tmp.npz")

    monkeypatch.setattr("py3langid.classify", classify)
    with pytest.warns(UserWarning, match="cannot be guessed without a folder for temporary files"):
        assert guess_language([PROSE["de"]]) is None
