"""Helpers shared by all packages.

`atomic.py` replaces files atomically, `discovery.py` finds the classes of a package, `validation.py` checks numeric
parameters, `wording.py` formats counts and lists of names for messages.
"""
