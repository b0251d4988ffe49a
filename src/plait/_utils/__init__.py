"""Helpers shared by all packages.

`arrays.py` checks arrays from files, `atomic.py` replaces files atomically, `discovery.py` finds the classes of a
package, `locking.py` locks files that are being written, `tables.py` formats tables as text and HTML, `text.py` makes
texts from files printable, `validation.py` checks numeric parameters, `wording.py` formats counts and lists of names
for messages.
"""
