"""Kill workers of Ray at random moments of LDA and MedLDA fits: bits of every run, and the time that each kill cost.

    python benchmarks/ray_kills.py --kills 20

A kill is a SIGKILL to a random worker at a random time of the fit. Time lost: from the kill until the fit has completed
the sweep that it was in again. It should be at most one checkpoint interval and 20 s.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from ray_digests import digest, make_corpus

import plait
from plait.executors import RayExecutor
from plait.executors.ray_connection import quiet_start

EVERY = 10
_LIMIT = 20.0
_SETTINGS = {"n_topics": 40, "n_shards": 4, "n_sweeps": 1500, "n_samples": 3, "tolerance": 0.0, "random_state": 5,
             "verbose": False}  # fmt: skip


class WatchedExecutor(RayExecutor):
    """Knows the processes of its workers, and when each sweep began and ended."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers=workers)
        self.processes: list[int] = []
        self.sweeps: list[tuple[int, float, float]] = []  # number in the chain, begin and end
        self.chains = 0
        self._number = 0

    def place(self, shards: Any) -> None:
        """Place shards, and ask the workers for their processes."""
        import ray

        self.processes = []
        super().place(shards)
        assert self._group is not None
        actors = [worker.actor for worker in self._group.workers]
        self.processes = ray.get([actor.__ray_call__.remote(lambda worker: os.getpid()) for actor in actors])

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call the shards, and note the time of a sweep."""
        begin = time.monotonic()
        answers = super().each(method, message)
        if method == "sweep":
            self.sweeps.append((int(message.key), begin, time.monotonic()))  # the key is that of the sweep
        return answers


class Killer(threading.Thread):
    """Kills a random worker after a random time, again and again."""

    def __init__(self, executor: WatchedExecutor, n_kills: int, seconds: float, seed: int) -> None:
        super().__init__(daemon=True)
        self._executor, self._chance = executor, random.Random(seed)
        self._n_kills, self._seconds = n_kills, seconds
        self.times: list[float] = []
        self.stop = threading.Event()

    def run(self) -> None:
        """Kill until all kills are done, or the fit has ended."""
        while len(self.times) < self._n_kills and not self.stop.wait(self._chance.uniform(0, self._seconds)):
            processes = self._executor.processes
            if processes:  # all shards are placed
                try:
                    os.kill(self._chance.choice(processes), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.times.append(time.monotonic())
                while self._executor.processes is processes and not self.stop.wait(0.05):
                    pass  # until the loss was noticed


def seconds_lost(kill: float, sweeps: list[tuple[int, float, float]], interval: float) -> float:
    """Return the seconds from a kill until the fit was again where it was, less one checkpoint interval."""
    seen = {key for key, begin, _ in sweeps if begin <= kill}
    # The first sweep after the kill that had not begun before it.
    regained = min((end for key, begin, end in sweeps if begin > kill and key not in seen), default=kill)
    return max(regained - kill - interval, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--per-fit", type=int, default=5)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=6.0, help="longest time from one kill to the next")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    import ray

    corpus = make_corpus(arguments.documents)
    medlda = plait.MedLDA(**_SETTINGS, n_chains=1, c=16.0, class_weight=None, threshold=0.0, features=None)
    models = {"LDA": plait.LDA(**_SETTINGS), "MedLDA": medlda}
    expected = {name: digest(model.set_params(n_jobs=2).fit(corpus)) for name, model in models.items()}
    with quiet_start():  # as RayExecutor starts a local instance
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    print("| fit | kills | sweep, s | interval, s | seconds lost beyond one interval, each kill | bits |")
    print("|---|---|---|---|---|---|", flush=True)
    done, worst, number, wrong = 0, 0.0, 0, 0
    while done < arguments.kills:
        name = list(models)[number % 2]
        executor = WatchedExecutor(2)
        n_kills = min(arguments.per_fit, arguments.kills - done)
        killer = Killer(executor, n_kills, arguments.seconds, arguments.seed + number)
        with executor, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*the fit continues")
            killer.start()
            model = models[name].set_params(executor=executor)
            model.fit(corpus, checkpoint=Path(folder, "m.plait"), checkpoint_every=EVERY)
            killer.stop.set()
            killer.join()
        sweep = sorted(end - begin for _, begin, end in executor.sweeps)[len(executor.sweeps) // 2]
        lost = [seconds_lost(kill, executor.sweeps, EVERY * sweep) for kill in killer.times]
        right = digest(model) == expected[name]
        wrong += not right
        worst = max([worst, *lost])
        done, number = done + len(killer.times), number + 1
        listed = ", ".join(f"{one:.1f}" for one in lost)
        print(
            f"| {name} | {len(lost)} | {sweep:.3f} | {EVERY * sweep:.2f} | {listed} | {'same' if right else 'OTHER'} |",
            flush=True,
        )
    ray.shutdown()
    print(f"{done} kills in {number} fits, {wrong} with other bits; lost at most one interval and {worst:.1f} s")
    raise SystemExit(bool(wrong) or worst > _LIMIT)


if __name__ == "__main__":
    main()
