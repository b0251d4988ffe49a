"""Forged model files: python -m tests.fuzz.model_files --files 2000 --seed 0

`originals.py` makes small models of all kinds, `mutations.py` changes their files and corrects the digests, `child.py`
loads a file and calls every method of the model, `run.py` gives files to a child with limits on time and memory.

What must hold: `load` returns a model or raises a `PlaitError` whose message prints; nothing ends the process; nothing
takes more than the time or memory allowed. Methods of a loaded model may raise a `ValueError` (of which `PlaitError` is
one), and no other error.
"""

from __future__ import annotations

import sys

from tests.fuzz.model_files.run import main

sys.exit(main())
