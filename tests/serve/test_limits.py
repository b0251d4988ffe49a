"""Limits on size, time and number of requests, and metrics."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from plait.serve.errors import RequestError
from plait.serve.limits import Work
from plait.serve.settings import Limits

from .conftest import open_client


def test_large_bodies_are_rejected_before_they_are_read(plain_file):
    client = open_client(plain_file, limits=Limits(body_bytes=1_000))
    response = client.post("/api/transform", json={"texts": ["x" * 2_000]})
    assert response.status_code == 413
    assert "--max-bytes" in response.json()["error"]

    def chunks():
        for _ in range(100):
            yield b"x" * 100

    response = client.post("/api/transform", content=chunks(), headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert client.post("/analyse", data={"text": "x" * 2_000}).status_code == 413
    assert client.post("/api/transform", json={"texts": ["river"]}).status_code == 200


def test_more_requests_than_allowed_are_rejected():
    async def run():
        work = Work(Limits(waiting=2, seconds=5))
        release = threading.Event()
        first = [asyncio.create_task(work.run(release.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(RequestError) as caught:
            await work.run(int)
        release.set()
        await asyncio.gather(*first)
        await asyncio.sleep(0.05)
        assert await work.run(int) == 0
        work.close()
        return caught.value

    error = asyncio.run(run())
    assert error.status == 503
    assert error.headers == {"Retry-After": "1"}


def test_slow_answers_end_and_still_count_while_they_run():
    async def run():
        work = Work(Limits(waiting=1, seconds=0.05))
        with pytest.raises(RequestError) as slow:
            await work.run(time.sleep, 0.3)
        with pytest.raises(RequestError) as busy:  # the thread cannot be stopped, so nothing else starts
            await work.run(int)
        await asyncio.sleep(0.5)
        assert await work.run(int) == 0
        work.close()
        return slow.value, busy.value

    slow, busy = asyncio.run(run())
    assert slow.status == busy.status == 503
    assert "within 0.05 seconds" in slow.message


def test_metrics_count_requests_by_route(plain_file):
    client = open_client(plain_file)
    for number in range(3):
        client.get(f"/api/topics/{number}")
    client.get("/nowhere/at/all")
    client.post("/api/transform", json={"texts": ["river", "loan"]})
    text = client.get("/metrics").text
    assert 'plait_requests_total{method="GET",route="/api/topics/{topic}",status="200"} 3.0' in text
    assert 'plait_requests_total{method="GET",route="other",status="404"} 1.0' in text
    assert "plait_texts_total 2.0" in text
    assert "plait_request_seconds_bucket" in text
    assert "/nowhere" not in text
