"""Files of the commands: corpora read whole (`reading`) or in batches (`batches`), outputs and tables.

`applying` applies a model to batches and writes a table; `new_links` reads --links for such a command, `safe_csv`
protects the cells of a spreadsheet.
"""
