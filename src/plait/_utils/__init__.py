"""Helpers shared by all packages.

`arrays.py` checks arrays that come from files, `atomic.py` replaces files atomically, `discovery.py` finds the classes
of a package, `joined_texts.py` stores texts one after the other, `lazy.py` imports the modules of a package when their
names are used, `locking.py` locks files that are being written, `stand_ins.py` imports a package without others that it
rarely uses, `tables.py` formats tables as text and HTML, `text.py` makes texts from files printable, `topic_rows.py`
adds and divides rows of edited topics, `validation.py` checks numeric parameters, `warn.py` warns about the line of the
user, `wording.py` formats counts and lists of names for messages.
"""
