"""Files of the commands: corpora read whole (`reading`) or in batches (`batches`), outputs and tables.

`applying` applies a model to batches and writes a table; `new_links` reads --links for such a command; `recalled`
keeps in a model how its corpus was read; `safe_csv` protects spreadsheets from texts that look like formulas.
"""
