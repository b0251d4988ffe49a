"""A made German survey as a CSV file: umlauts, compounds, URLs, e-mail addresses, emojis, HTML, titles and dates."""

from __future__ import annotations

import csv
import random
from pathlib import Path

SUBJECTS = {
    "Verkehr": (
        ["Die Straßenbahn", "Der Nachtbus", "Die Buslinie zur Universität", "Der Zug zum Flughafen"],
        [
            "kommt jeden Tag zu spät an der Haltestelle an",
            "ist wegen der Verspätungen überfüllt",
            "fährt am Wochenende nur einmal in der Stunde",
            "wartet nie auf die S-Bahn",
            "braucht einen Fahrplan, den man versteht",
            "hält nicht an der Straßenbahnhaltestelle",
        ],
        ["Verspätung am Bahnhof", "Überfüllte Busse", "Neuer Fahrplan"],
    ),
    "Wohnen": (
        ["Die Miete unserer Wohnung", "Eine Wohnung für Familien", "Die Mieterhöhung", "Der Wohnungsbau"],
        [
            "ist für junge Familien zu teuer",
            "steigt trotz Mietpreisbremse jedes Jahr",
            "frisst die Hälfte vom Gehalt",
            "hilft nur dem Vermieter",
            "fehlt in den Außenbezirken völlig",
            "darf Mieter nicht aus dem Viertel verdrängen",
        ],
        ["Teure Mieten", "Wohnungen für Familien", "Ärger mit dem Vermieter"],
    ),
    "Schule": (
        ["Die Grundschule", "Unsere Kindertagesstätte", "Das Gymnasium", "Die Grundschullehrerin meiner Tochter"],
        [
            "braucht mehr Lehrkräfte und kleinere Klassen",
            "hat für die Schüler keine Bücher",
            "schließt um zwei, und Eltern arbeiten länger",
            "sagt den Unterricht wegen Krankheit ab",
            "hat im Klassenzimmer dreißig Schüler",
            "wünscht sich ein Mittagessen für alle Kinder",
        ],
        ["Unterrichtsausfall", "Kita schließt früh", "Größere Klassen"],
    ),
    "Park": (
        ["Der Park am Fluss", "Der Spielplatz im Grünen", "Die Wiese am Flussufer", "Der Stadtwald"],
        [
            "ist nach dem Wochenende voller Müll",
            "braucht Bäume, Bänke und Schatten",
            "ist seit dem Sturm gesperrt, weil Bäume umstürzen",
            "muss grün bleiben, mit Blumen und Büschen",
            "trocknet im Sommer aus, und die Bäume sterben",
            "hat zu wenige Mülleimer und Bänke",
        ],
        ["Müll im Park", "Mehr Bäume", "Spielplatz gesperrt"],
    ),
}
JUNK = [
    "Siehe https://www.beispiel-stadt.de/umfrage?id=4711 😡",
    "<p>Danke &amp; viele Gr&uuml;&szlig;e</p> 👍🏽",
    "Mehr unter www.beispiel.org/seite.html oder an post@beispiel.de 🚲",
    "<b>Bitte</b> handeln Sie!<br/> 🙏",
    "",
    "",
]


def answers(number: int = 160, seed: int = 0) -> list[dict[str, str]]:
    """Return rows with id, title, date and text; the subject of row i is the i-th in turn."""
    draw = random.Random(seed)
    rows = []
    for position in range(number):
        subject = list(SUBJECTS)[position % len(SUBJECTS)]
        things, statements, titles = SUBJECTS[subject]
        sentences = [f"{draw.choice(things)} {statement}." for statement in draw.sample(statements, 4)]
        rows.append(
            {
                "id": f"a{position + 1}",
                "title": f"{draw.choice(titles)} ({position + 1})",
                "date": f"2023-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
                "text": " ".join([*sentences, draw.choice(JUNK)]),
            }
        )
    return rows


def write_csv(path: Path, rows: list[dict[str, str]], encoding: str = "utf-8", separator: str = ",") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=separator)
        table.writeheader()
        table.writerows(rows)
    return path
