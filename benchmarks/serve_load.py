"""Load test of `plait serve` on this machine: time of one prediction, many clients, memory, and restarts.

Run `python benchmarks/serve_load.py MODEL` with a model that predicts labels. It starts the server on a free port of
127.0.0.1 and prints one line per measurement:

1. one client, one text of 200 words at a time: time of `/api/predict`;
2. many clients at once for some seconds: requests, errors, times, and the memory of all processes before and after;
3. `kill -9` of all workers: time until the next prediction;
4. `kill -9` of all processes: time until a new command answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import plait

N_WORDS = 200


def make_texts(path, number, seed=0):
    """Texts of words that the model knows, most of them from two topics."""
    model = plait.load(path)
    generator = random.Random(seed)
    vocabulary = [str(word) for word in model.vocabulary_]
    texts = []
    for _ in range(number):
        words = []
        for topic in generator.choices(range(len(model.topic_share_)), k=2):
            words += generator.choices(vocabulary, weights=model.topic_word_[topic].tolist(), k=N_WORDS // 2)
        texts.append(" ".join(words))
    return texts


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(path, port, workers):
    command = [sys.executable, "-m", "plait", "serve", str(path), "--port", str(port), "--workers", str(workers)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def children(process):
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(one) for one in listed.split()]


def memory(process):
    """Proportional memory of a process and its workers in MB: shared pages count once."""
    total = 0
    for one in [process, *children(process)]:
        for line in Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def processor_seconds(process):
    """Processor time of a process and its workers so far, which other programs of the machine hardly change."""
    total = 0
    for one in [process, *children(process)]:
        fields = Path(f"/proc/{one}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def request(port, text):
    body = json.dumps({"texts": [text]}).encode()
    head = f"POST /api/predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def answer(reader, writer, data):
    """Send a request and return status and body."""
    writer.write(data)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    return int(head.split()[1]), await reader.readexactly(length)


async def client(port, texts, end, times, errors, most=None):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number = 0
    while time.monotonic() < end and (most is None or number < most):
        begin = time.perf_counter()
        try:
            status, body = await answer(reader, writer, request(port, texts[number % len(texts)]))
            if status != 200 or b'"labels"' not in body:
                errors.append((status, body[:200]))
        except (OSError, asyncio.IncompleteReadError) as error:
            errors.append((0, repr(error)))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        times.append(time.perf_counter() - begin)
        number += 1
    writer.close()


async def many_clients(port, texts, n_clients, seconds):
    times, errors = [], []
    end = time.monotonic() + seconds
    shuffled = [random.Random(number).sample(texts, len(texts)) for number in range(n_clients)]
    await asyncio.gather(*(client(port, own, end, times, errors) for own in shuffled))
    return times, errors


def wait_for_answer(port, text, limit=60.0):
    """Seconds until a prediction is answered."""
    begin = time.monotonic()
    while time.monotonic() - begin < limit:
        times, errors = [], []
        try:
            asyncio.run(asyncio.wait_for(client(port, [text], time.monotonic() + 30, times, errors, 1), 30))
            if not errors:
                return time.monotonic() - begin
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass
        time.sleep(0.02)
    raise SystemExit("the server does not answer")


def show(what, times, errors):
    ordered = sorted(times)
    print(
        f"{what}: {len(times)} requests, {len(errors)} errors, median {1000 * statistics.median(ordered):.1f} ms, "
        f"95 % within {1000 * ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"
    )
    for error in errors[:5]:
        print("  ", error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    texts, port = make_texts(options.model, 100), free_port()
    server = start(options.model, port, options.workers)
    try:
        print(f"first prediction after {wait_for_answer(port, texts[0]):.2f} s")
        print(f"processor time of the start {processor_seconds(server.pid):.2f} s")
        times, errors = [], []
        asyncio.run(client(port, texts, time.monotonic() + 120, times, errors, 20))  # all is loaded
        times, begin = [], processor_seconds(server.pid)
        asyncio.run(client(port, texts, time.monotonic() + 120, times, errors, 300))
        show("1 client", times, errors)
        print(f"processor time per prediction {1000 * (processor_seconds(server.pid) - begin) / len(times):.1f} ms")
        asyncio.run(many_clients(port, texts, options.clients, min(5.0, options.seconds)))  # all is loaded
        before = memory(server.pid)
        times, errors = asyncio.run(many_clients(port, texts, options.clients, options.seconds))
        after = memory(server.pid)
        show(f"{options.clients} clients, {options.seconds:g} s", times, errors)
        print(f"memory {before:.1f} MB before, {after:.1f} MB after: {100 * (after / before - 1):+.1f} %")
        for worker in children(server.pid):
            os.kill(worker, signal.SIGKILL)
        print(f"prediction {wait_for_answer(port, texts[0]):.2f} s after kill -9 of all workers")
        for one in [server.pid, *children(server.pid)]:
            os.kill(one, signal.SIGKILL)
        server.wait()
        server = start(options.model, port, options.workers)
        print(f"prediction {wait_for_answer(port, texts[0]):.2f} s after kill -9 of everything and a new command")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
