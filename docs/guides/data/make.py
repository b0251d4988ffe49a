"""Make the example files of the guides: invented answers, papers, speeches, tickets and news, the same on every run.

python docs/guides/data/make.py
"""

from __future__ import annotations

import csv
import datetime
import random
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_SUBJECTS = tomllib.loads((_FOLDER / "subjects.toml").read_text(encoding="utf-8"))

Subject = dict[str, Any]

# The subject that people of a district write about most, and the subjects of a party.
_DISTRICTS = {"Harbour": "noise", "Hill": "cycling", "Old Town": "housing", "Riverside": "parks", "West": "transport"}
_PARTIES = {
    "Farmers": ["farming", "peace", "health"],
    "Labour": ["industry", "health", "schools"],
    "Progress": ["schools", "internet", "climate"],
}
_CLOSING = [
    "Please answer soon.",
    "I have been a customer for ten years.",
    "I am very disappointed.",
    "Thank you for your help.",
    "I called your hotline twice and waited for an hour.",
]
_LATER = "2024-02-26"  # Monday of the ninth week: from here on, news are in news-later.csv


def _choices(subject: Subject, field: str) -> list[str]:
    return subject[field].split("; ")


def _sentences(subject: Subject, number: int, draw: random.Random) -> list[str]:
    """Return different sentences: a thing and a statement each, and sometimes an addition."""
    things, statements = (_choices(subject, field) for field in ("things", "statements"))
    said = [
        f"{draw.choice(things)} {statement}." for statement in draw.sample(statements, min(number, len(statements)))
    ]
    return said + draw.sample(_choices(subject, "additions"), draw.choice([0, 1, 1, 2]))


def _text(subjects: list[Subject], number: int, draw: random.Random) -> str:
    """Return a text of which two thirds are about the first subject, if there are two."""
    first, *others = subjects
    texts = _sentences(first, number if not others else (2 * number + 1) // 3, draw)
    return " ".join(texts + [text for other in others for text in _sentences(other, number // 3, draw)])


def _survey() -> Iterable[list[str]]:
    draw = random.Random(1)
    subjects = _SUBJECTS["survey"]
    for number in range(1, 301):
        district = draw.choice(list(_DISTRICTS))
        first, second = draw.choice([*subjects, *[_DISTRICTS[district]] * 6]), draw.choice(list(subjects))
        about = [first, second] if first != second and draw.random() < 0.4 else [first]
        age = draw.choice(["18–29", "30–49", "50–69", "70+"])
        date = f"2024-{draw.randint(3, 5):02}-{draw.randint(1, 28):02}"
        yield [
            f"r{number:03}",
            district,
            age,
            date,
            _text([subjects[name] for name in about], draw.randint(3, 6), draw),
        ]


def _papers() -> tuple[list[list[str]], list[list[str]]]:
    """Return papers and citations: to older papers of the field, most of them to those that are cited already."""
    draw = random.Random(2)
    fields = [field for field in _SUBJECTS["papers"] for _ in range(40)]
    draw.shuffle(fields)
    papers: list[list[str]] = []
    citations: list[list[str]] = []
    cited = [1] * len(fields)
    used: set[str] = set()
    for number, field in enumerate(fields):
        subject = _SUBJECTS["papers"][field]
        titles = [f"{title} {place}" for title in _choices(subject, "titles") for place in _choices(subject, "places")]
        title = draw.choice([title for title in titles if title not in used])
        used.add(title)
        papers.append(
            [f"p{number + 1:03}", title, str(2000 + number // 10), _text([subject], draw.randint(5, 7), draw)]
        )
        older = [old for old in range(number) if fields[old] == field]
        wanted, chosen = min(len(older), draw.randint(1, 4)), set()
        while len(chosen) < wanted:
            chosen.add(draw.choices(older, [cited[old] ** 1.5 for old in older])[0])
        if number > 10 and draw.random() < 0.1:
            chosen.add(draw.randrange(number))
        for old in sorted(chosen):
            cited[old] += 1
            citations.append([f"p{number + 1:03}", f"p{old + 1:03}"])
    return papers, citations


def _interest(subject: Subject, year: int) -> float:
    """Return how often speakers choose a subject in a year: highest at its peak, never before its rise."""
    if "peak" not in subject:
        return 1.0
    return 0.0 if year < subject["rise"] else 3 * max(0.05, 1 - abs(year - subject["peak"]) / 25)


def _speeches() -> Iterable[list[str]]:
    draw = random.Random(3)
    subjects = _SUBJECTS["speeches"]
    for year in range(1960, 2020):
        for party, interests in _PARTIES.items():
            weights = [_interest(subject, year) * (3 if name in interests else 1) for name, subject in subjects.items()]
            first, second = draw.choices(list(subjects), weights, k=2)
            title = f"{draw.choice(_choices(subjects[first], 'titles'))}, {year}"
            about = [subjects[first], subjects[second]] if first != second else [subjects[first]]
            yield [f"{year}-{party.lower()}", title, party, str(year), _text(about, draw.randint(6, 9), draw)]


def _tickets() -> Iterable[list[str]]:
    draw = random.Random(4)
    subjects = _SUBJECTS["tickets"]
    for number in range(1, 401):
        team = draw.choices(list(subjects), [subject["weight"] for subject in subjects.values()])[0]
        texts = [_text([subjects[team]], draw.randint(1, 3), draw)]
        if draw.random() < 0.35:  # a ticket about two things, sent to the team of one of them
            texts.append(_text([subjects[draw.choice(list(subjects))]], draw.randint(1, 3), draw))
        draw.shuffle(texts)
        if draw.random() < 0.4:
            texts.append(draw.choice(_CLOSING))
        title = draw.choice(_choices(subjects[team], "titles"))
        date = f"2024-{draw.randint(1, 6):02}-{draw.randint(1, 28):02}"
        split = "test" if number % 5 == 0 else "train"
        yield [f"T{1000 + number}", title, team, date, split, " ".join(texts)]


def _news() -> Iterable[list[str]]:
    """Return the news of twelve weeks, 30 per week; a subject with a rise is not in the news before that week."""
    draw = random.Random(5)
    subjects = _SUBJECTS["news"]
    for week in range(1, 13):
        known = {name: subject for name, subject in subjects.items() if subject.get("rise", 0) <= week}
        weights = [3.0 if "rise" in subject else 1.0 for subject in known.values()]
        for number in range(1, 31):
            about = draw.choices(list(known.values()), weights)[0]
            date = datetime.date.fromisocalendar(2024, week, draw.randint(1, 7)).isoformat()
            yield [f"w{week:02}-{number:02}", draw.choice(_choices(about, "titles")), date, _text([about], 5, draw)]


def _write(name: str, header: list[str], rows: Iterable[list[str]]) -> None:
    with (_FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def main() -> None:
    """Write all files beside this script."""
    _write("survey.csv", ["id", "district", "age", "date", "text"], _survey())
    papers, citations = _papers()
    _write("papers.csv", ["id", "title", "year", "abstract"], papers)
    _write("citations.csv", ["source", "target"], citations)
    _write("speeches.csv", ["id", "title", "party", "year", "text"], _speeches())
    _write("tickets.csv", ["id", "subject", "team", "date", "split", "message"], _tickets())
    news = sorted(_news(), key=lambda row: row[2])
    header = ["id", "title", "date", "text"]
    _write("news.csv", header, [row for row in news if row[2] < _LATER])
    _write("news-later.csv", header, [row for row in news if row[2] >= _LATER])


if __name__ == "__main__":
    main()
