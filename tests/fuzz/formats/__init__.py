"""One generator per format. `FORMATS` names them; a test fails if a format of plait has none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.case import Draft
from tests.fuzz.formats import bags, json_lines, links, parquet, tables, texts, word_files, workbooks

FAMILIES = (json_lines, tables, parquet, bags, texts, links, word_files, workbooks)
FORMATS: dict[str, Callable[[Random], Draft]] = {
    "jsonl": json_lines.make_jsonl,
    "csv": tables.make_csv,
    "tsv": tables.make_tsv,
    "parquet": parquet.make_parquet,
    "xlsx": workbooks.make_xlsx,
    "ods": workbooks.make_ods,
    "text_folder": texts.make_text_folder,
    "uci": bags.make_uci,
    "svmlight": bags.make_svmlight,
    "linqs": bags.make_linqs,
    "links": links.make_links,
    "stop_words": word_files.make_stop_words,
    "seeds": word_files.make_seeds,
}
