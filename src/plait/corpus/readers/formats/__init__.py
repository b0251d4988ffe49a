"""One module per file format; each yields records of documents or links.

Documents: `jsonl`, `table` (CSV and TSV), `frame` (Parquet and data frames), `columns` (pandas), `workbook`
(.xlsx and .ods; `workbook_size` bounds them), `txt_folder`, `uci`, `linqs`,
`svmlight`. Links: `link_files`. Vocabulary: `word_list`.
"""
