"""Streams of documents: sources are divided into time slices, which an `OnlineLDA` learns one by one.

`sources` are files, a watched folder or standard input; `arrivals` are their documents without those read before;
`cuts` decide where slices end; `slices` builds their corpora; `reading` says how documents are read; `stream` learns
the slices and saves the model after each, so that a killed process can continue.
"""

from __future__ import annotations

from plait.streaming.reading import StreamReading
from plait.streaming.stream import LearnedSlice, Stream, load_stream

__all__ = ["LearnedSlice", "Stream", "StreamReading", "load_stream"]
