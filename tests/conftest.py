"""Settings of all tests."""

from __future__ import annotations

import signal

# A shell that starts the tests in the background may have them ignore Ctrl-C; tests that send it need the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
