"""The options of `plait fit` that say where the fit runs: in threads, in workers of Ray, or on a GPU."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from plait.cli.options.model_options import RUN_PANEL, model_option

if TYPE_CHECKING:
    from plait.executors import CudaExecutor, RayExecutor


class FitDevice(StrEnum):
    """What draws the topics."""

    cpu = "cpu"
    cuda = "cuda"


@dataclass(frozen=True)
class ExecutorOptions:
    """Workers of Ray, where --ray is given, or a GPU; the result does not depend on them."""

    ray: Annotated[
        str | None,
        model_option(
            "--ray",
            metavar="ADDRESS",
            help="Run on Ray: local, auto (the cluster of this node) or HOST:PORT; results are the same.",
            panel=RUN_PANEL,
        ),
    ] = None
    workers: Annotated[
        int | None,
        model_option(
            "--workers",
            help="Workers of --ray.",
            panel=RUN_PANEL,
            min=1,
            show_default="one per CPU, or per GPU",
        ),
    ] = None

    device: Annotated[
        FitDevice,
        model_option("--device", help="cpu, or cuda for a GPU, with --ray one per worker (--sampler synchronous); "
                     "results are the same.", panel=RUN_PANEL),
    ] = FitDevice.cpu  # fmt: skip

    def make(self, given: Collection[str], n_jobs: int | None = None) -> CudaExecutor | RayExecutor | None:
        """Return the executor; None for threads.

        Parameters
        ----------
        given : collection of str
            Options on the command line.
        n_jobs : int or None, default None
            Number of threads beside a GPU.

        Returns
        -------
        CudaExecutor, RayExecutor or None
            Not connected yet.
        """
        on_gpu = self.device is FitDevice.cuda
        if on_gpu and self.ray is None:
            if self.workers is not None:
                raise typer.BadParameter("--workers is for --ray; without it --device cuda uses one GPU")
            from plait.executors import CudaExecutor

            return CudaExecutor(n_jobs=n_jobs)
        if self.ray is None:
            if self.workers is not None:
                raise typer.BadParameter("--workers is for --ray; for threads give --jobs")
            return None
        if "jobs" in given:
            raise typer.BadParameter("--jobs is the number of threads; with --ray give --workers")
        from plait.executors import RayExecutor

        return RayExecutor(self.ray, self.workers, gpus_per_worker=1 if on_gpu else 0)
