"""Digests of models that were fitted in threads, on Ray, after kills, and resumed on another executor: one table.

    python benchmarks/ray_digests.py

The rows are models, the columns ways to fit them; all digests of a row must be equal. Workers and drivers are killed
with SIGKILL. The script exits with code 1 if a digest differs.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

import plait
from plait.engine.chain import Chain
from plait.executors import RayExecutor

QUICK = {"n_topics": 8, "n_shards": 3, "n_sweeps": 30, "n_samples": 2, "sample_every": 3, "tolerance": 0.0,
         "random_state": 5, "verbose": False}  # fmt: skip
EVERY = 7
_SEED = 11


def models() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return the models and the arguments of their fits."""
    return {
        "LDA": (plait.LDA(**QUICK), {}),
        "MedLDA": (plait.MedLDA(**QUICK, n_chains=2, c=16.0, class_weight=None, threshold=0.0, features=None), {}),
        "relational": (plait.RelationalTopicModel(**QUICK, n_chains=1, fresh_negatives=5, pair_features=None), {}),
        "linked": (plait.LinkedLDA(**QUICK), {}),
        "online": (plait.OnlineLDA(**QUICK, window=2, responses=[plait.LabelResponse()]), {"times": "month"}),
    }


@functools.cache
def make_corpus(n_documents: int = 240, n_words: int = 400) -> plait.Corpus:
    """Return documents of planted topics with labels, links and times."""
    rng = np.random.default_rng(_SEED)
    group = rng.integers(0, 4, n_documents)
    words = [rng.choice(n_words // 4, size=40) + own * (n_words // 5) for own in group]
    texts = [" ".join(f"w{word}" for word in own) for own in words]
    near = (group[:, np.newaxis] == group) & (rng.random((n_documents, n_documents)) < 0.03)
    np.fill_diagonal(near, False)
    # Slices of a stream are learned apart, so links do not cross months.
    month = np.arange(n_documents) * 3 // n_documents
    near &= month[:, np.newaxis] == month
    return plait.Corpus.from_texts(
        texts,
        labels=[f"group {own}" for own in group],
        links=sparse.csr_array(near.astype(float)),
        times=[f"2020-{1 + own:02d}-01" for own in month],
    )


def digest(model: Any) -> str:
    """Return a digest of everything that a fit sets, but for the seconds that sweeps took."""
    found = hashlib.blake2b(digest_size=6)
    for name, value in sorted(vars(model).items()):
        value = value.toarray() if sparse.issparse(value) else value
        if name.endswith("_") and isinstance(value, np.ndarray):
            content = repr(value.tolist()).encode() if value.dtype == object else np.ascontiguousarray(value).tobytes()
            found.update(name.encode() + content)
    found.update(repr([record[:4] for record in model.history_]).encode())
    return found.hexdigest()


class KillingExecutor(RayExecutor):
    """Kills the process of its last worker with SIGKILL when a sweep begins, if it is asked to."""

    kill_in = 0  # sweeps from now; 0 for never

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call the shards, and kill a worker before that if this is the sweep."""
        import ray

        if method == "sweep" and self.kill_in:
            self.kill_in -= 1
            if self.kill_in == 0:
                assert self._group is not None
                actor = self._group.workers[-1].actor
                os.kill(ray.get(actor.__ray_call__.remote(lambda worker: os.getpid())), signal.SIGKILL)
        return super().each(method, message)


def fit_with(name: str, **settings: Any) -> Any:
    """Fit a model with an executor or a number of threads."""
    model, arguments = models()[name]
    return model.set_params(**settings).fit(make_corpus(), **arguments)


def after_a_killed_worker(name: str, executor: KillingExecutor) -> Any:
    """Fit a model on Ray, with a worker that is killed in the 19th sweep."""
    model, arguments = models()[name]
    executor.kill_in = 19
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        options = {"checkpoint": Path(folder, "m.plait"), "checkpoint_every": EVERY}
        model.set_params(executor=executor).fit(make_corpus(), **arguments, **options)
    if executor.kill_in or not any("the fit continues from" in str(one.message) for one in caught):
        raise SystemExit(f"{name}: no worker was lost")
    return model


def after_a_killed_driver(name: str, *settings: dict[str, Any]) -> list[Any]:
    """Kill a process that fits a model on Ray, and resume the fit in this one, in several ways."""
    import ray

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*which has ended without removing")
        path = Path(folder, "m.plait")
        address = ray.get_runtime_context().gcs_address
        command = [sys.executable, __file__, "--driver", name, "--path", str(path), "--address", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != -signal.SIGKILL:
            raise SystemExit(f"{name}: the driver was not killed\n{done.stderr}")
        _, arguments = models()[name]
        return [plait.load(path).set_params(**own).resume(make_corpus(), **arguments) for own in settings]


def be_killed(name: str, path: str, address: str) -> None:
    """Fit a model on a cluster, and kill this process in the 19th sweep."""
    sweep, n_left = Chain.sweep, [19]

    def killed(chain: Chain) -> Any:
        n_left[0] -= 1
        if n_left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return sweep(chain)

    Chain.sweep = killed  # type: ignore[method-assign]
    model, arguments = models()[name]
    model.set_params(executor=RayExecutor(address, workers=2))
    model.fit(make_corpus(), **arguments, checkpoint=path, checkpoint_every=EVERY)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=list(models()), default=list(models()))
    for name in ("driver", "path", "address"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    import ray

    if arguments.driver:
        be_killed(arguments.driver, arguments.path, arguments.address)
        return
    ways = ["threads", "Ray, 1 worker", "2 workers", "3 workers", "worker killed", "driver killed, resumed on Ray",
            "driver killed, resumed on threads"]  # fmt: skip
    ray.init(address="local", num_cpus=9, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    begin = time.perf_counter()
    print(f"| model | {' | '.join(ways)} |", f"|---|{'---|' * len(ways)}", sep="\n", flush=True)
    differing = 0
    # Workers are kept for all models: it is their start that takes time.
    with RayExecutor(workers=1) as one, RayExecutor(workers=2) as two, KillingExecutor(workers=3) as three:
        for name in arguments.models:
            fits = [fit_with(name, n_jobs=2), *(fit_with(name, executor=own) for own in (one, two, three))]
            fits.append(after_a_killed_worker(name, three))
            fits += after_a_killed_driver(name, {"executor": three}, {"n_jobs": 2})
            digests = [digest(model) for model in fits]
            differing += len(set(digests)) > 1
            print(f"| {name} | {' | '.join(digests)} |", flush=True)
    ray.shutdown()
    said = "DIGESTS DIFFER" if differing else "all digests of a row are equal"
    print(f"{said}; {time.perf_counter() - begin:.0f} s")
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
