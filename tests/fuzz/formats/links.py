"""Files of links beside valid documents: tables, JSON lines, Parquet and GraphML."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any

import polars

from tests.fuzz.case import Draft
from tests.fuzz.documents import DEEP, LONG, intact, make_documents, make_pairs, with_words

MODULES = ("link_files",)
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".graphml")
ODD_WEIGHTS = (-1, 0, "x", "nan", "inf", "1e400", "1" + "0" * 400, LONG)
ODD_ENDS = ("nobody", "", " ", LONG, "x" * 100_000)
BAD_ROWS = ({}, {"source": "d0"}, {"source": None, "target": None}, {"a": 1, "b": 2}, {"source": [1], "target": {}})
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)


def make_links(random: Random) -> Draft:
    """Return documents and a file of links, which is damaged in most cases."""
    documents = make_documents(random)
    pairs = make_pairs(random, documents)
    rows: list[dict[str, Any]] = [{"source": source, "target": target, "weight": 1.5} for source, target in pairs]
    suffix = random.choice(SUFFIXES)
    main = f"papers/links{suffix}"
    lines = [json.dumps(with_words(document, "text")) for document in documents]
    draft = Draft("papers", {}, main, len(documents) + len(pairs), intact(documents), has_fields=True)
    draft.binary = suffix == ".parquet"
    draft.files["papers/documents.jsonl"] = "".join(line + "\n" for line in lines).encode()
    if random.random() < 0.3:
        draft.main = f"given{suffix}"
        draft.options["links"] = draft.main
    if random.random() < 0.75:
        _mutate_rows(random, draft, rows, suffix)
    content = _content(random, rows, suffix)
    if suffix == ".graphml" and random.random() < 0.6:
        content = _mutate_graphml(random, draft, content)
    draft.files[draft.main] = content
    return draft


def _mutate_rows(random: Random, draft: Draft, rows: list[dict[str, Any]], suffix: str) -> None:
    row = random.choice(rows)
    kind = random.choice(("weight", "source", "target", "self", "repeated", "row", "missing", "blank"))
    if kind == "row" and suffix not in (".jsonl", ".ndjson"):
        kind = "target"
    draft.note(f"links{suffix}: {kind}")
    draft.must_report = True
    if kind == "weight":
        row["weight"] = random.choice(ODD_WEIGHTS)
        draft.note(f"weight {row['weight']!s:.20}")
    elif kind in ("source", "target"):
        row[kind] = random.choice(ODD_ENDS)
        draft.note(f"{row[kind]!r:.20}")
    elif kind == "self":
        row["target"] = row["source"]
    elif kind == "repeated":
        # Duplicate links are merged, so the number of distinct links stays.
        rows.append(dict(row))
        draft.must_report = False
    elif kind == "row":
        made = dict(random.choice(BAD_ROWS))
        row.clear()
        row.update(made)
        draft.note(str(made))
    elif kind == "missing":
        draft.forget()
        draft.must_report = True
        rows[:] = [{"source": row["source"]} for row in rows]
    else:
        row["weight"] = ""
        draft.must_report = False


def _content(random: Random, rows: list[dict[str, Any]], suffix: str) -> bytes:
    if suffix in (".csv", ".tsv"):
        delimiter = "\t" if suffix == ".tsv" else ","
        names = list(rows[0])
        body = [delimiter.join(str(row.get(name, "")) for name in names) for row in rows]
        return ("\n".join([delimiter.join(names), *body]) + "\n").encode()
    if suffix in (".jsonl", ".ndjson"):
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if suffix == ".graphml":
        return _graphml(rows)
    buffer = io.BytesIO()
    frame = polars.DataFrame({name: [str(row.get(name)) for row in rows] for name in rows[0]})
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _graphml(rows: list[dict[str, Any]]) -> bytes:
    ends = sorted({str(row[side]) for row in rows for side in ("source", "target") if side in row})
    nodes = "".join(f'<node id="{name}"/>' for name in ends)
    edges = "".join(
        f'<edge source="{row.get("source", "")}" target="{row.get("target", "")}">'
        f'<data key="w">{row.get("weight", "")}</data></edge>'
        for row in rows
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"/>'
        f'<graph edgedefault="directed">{nodes}{edges}</graph></graphml>'
    ).encode()


def _mutate_graphml(random: Random, draft: Draft, content: bytes) -> bytes:
    changes: tuple[tuple[str, bytes, bytes], ...] = (
        ("type", b'"double"', b'"banana"'),
        ("type", b'"double"', b'"boolean"'),
        ("type", b'"double"', b'"int"'),
        ("encoding", b'"utf-8"', b'"klingon"'),
        ("encoding", b'"utf-8"', b'"utf-16"'),
        ("no namespace", b' xmlns="http://graphml.graphdrawing.org/xmlns"', b""),
        ("other namespace", b"graphdrawing", b"example"),
        ("no direction", b' edgedefault="directed"', b""),
        ("unknown key", b'key="w"', b'key="v"'),
        ("no key", b' key="w"', b""),
        ("no source", b'source="', b'start="'),
        ("no node id", b"<node id=", b"<node name="),
        ("no graph", b"<graph ", b"<other "),
        ("two graphs", b"</graph>", b'</graph><graph edgedefault="directed"/>'),
        (
            "nested graph",
            b"<graph ",
            b'<graph edgedefault="directed"><node id="n"><graph edgedefault="directed"/></node></graph><graph ',
        ),
        ("hyperedge", b"</graph>", b'<hyperedge><endpoint node="d0"/></hyperedge></graph>'),
        ("port", b"</graph>", b'<node id="p"><port name="q"/></node></graph>'),
        ("deep", b"</graph>", b"<data>" * DEEP + b"</data>" * DEEP + b"</graph>"),
        ("entities", b"<graphml", ENTITIES.encode() + b"]><graphml a='&i;'"),
        ("external entity", b"<graphml", b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml a="&a;"'),
        ("unclosed", b"</graph></graphml>", b""),
        ("default", b'"double"/>', b'"double"><default>x</default></key>'),
    )
    note, old, new = random.choice(changes)
    draft.note(f"graphml: {note} {new[:20]!r}")
    draft.forget()
    return content.replace(old, new)
