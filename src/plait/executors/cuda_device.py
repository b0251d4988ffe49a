"""A CUDA device through CuPy: memory, compiled kernels and their launches. Nothing here knows of topics."""

from __future__ import annotations

import ctypes
import importlib
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from plait._utils.wording import how_to_install
from plait.errors import PlaitError
from plait.samplers.cuda.source import OPTIONS, read_source

NOTHING = np.uint64(0)  # a null pointer
_LEAST_LOCKED = 1 << 20  # bytes of arrays that are page-locked; smaller ones may share pages with others
_BY_ADDRESS = 4  # cudaMemcpyKind: the addresses tell where the memory is
_STATIC_SHARED = 48 << 10  # bytes of shared memory that a kernel may use without asking


class Device(Protocol):
    """What the executor needs of a device; tests have one that runs the sources on the CPU."""

    def put(self, array: np.ndarray) -> Any:
        """Return a copy of an array on the device."""

    def zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros on the device."""

    def empty(self, size: int, dtype: Any) -> Any:
        """Return an array on the device whose contents are not set."""

    def host_zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros in page-locked memory of the host, which kernels read and write through the bus."""

    def get(self, array: Any) -> np.ndarray:
        """Return a copy of a device array on the host."""

    def copy_in(self, source: np.ndarray, target: Any) -> None:
        """Copy a host array into a device array; the host array must not change before the next `get`."""

    def copy_out(self, source: Any, target: np.ndarray) -> None:
        """Copy a device array into a host array."""

    def lock_pages(self, name: str, arrays: Sequence[np.ndarray]) -> None:
        """Page-lock host arrays that are copied often, instead of those given for the same name before."""

    def running_total(self, sizes: Any) -> Any:
        """Return 0 and the cumulative sums of a device array, as int64."""

    def launch(
        self,
        source: str,
        kernel: str,
        macros: Mapping[str, object],
        blocks: int,
        threads: int,
        shared: int,
        *given: Any,
    ) -> None:
        """Run a kernel of a source file; `shared` is the number of bytes of shared memory."""

    def launch_together(self, launches: Sequence[tuple[Any, ...]]) -> None:
        """Run kernels that do not depend on each other, given as arguments of `launch`, at once where they fit."""

    def resident_blocks(self, source: str, kernel: str, macros: Mapping[str, object], threads: int, shared: int) -> int:
        """Return how many blocks of a kernel the device can run at once."""

    def memory(self) -> tuple[int, int]:
        """Return the free and the total memory in bytes."""

    def close(self) -> None:
        """Give memory back."""


def _unregister(runtime: Any, arrays: Sequence[np.ndarray]) -> None:
    for one in arrays:
        runtime.hostUnregister(one.ctypes.data)


def _unregister_all(runtime: Any, registered: dict[str, list[np.ndarray]]) -> None:
    for arrays in registered.values():
        _unregister(runtime, arrays)
    registered.clear()


class CupyDevice:
    """A device of this machine.

    Parameters
    ----------
    number : int
        Number of the device.
    """

    def __init__(self, number: int) -> None:
        self._cupy = import_cupy()
        try:
            n_devices = self._cupy.cuda.runtime.getDeviceCount()
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
            raise PlaitError(f"executor='cuda' finds no CUDA device: {error}") from error
        if not 0 <= number < n_devices:
            raise PlaitError(f"executor='cuda': there is no device {number}; devices are 0 to {n_devices - 1}")
        self._device = self._cupy.cuda.Device(number)
        self._device.use()
        self._kernels: dict[Any, Any] = {}
        self._streams: list[Any] = []
        self._locked: dict[str, list[np.ndarray]] = {}  # arrays given to `lock_pages`
        self._registered: dict[str, list[np.ndarray]] = {}  # those that could be locked
        # Memory that is freed while it is locked would be copied wrongly when it is used again.
        weakref.finalize(self, _unregister_all, self._cupy.cuda.runtime, self._registered)

    def put(self, array: np.ndarray) -> Any:
        """Return a copy of an array on the device."""
        return self._cupy.asarray(array)

    def zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros on the device."""
        return self._cupy.zeros(size, dtype)

    def empty(self, size: int, dtype: Any) -> Any:
        """Return an array on the device whose contents are not set."""
        return self._cupy.empty(size, dtype)

    def host_zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros in page-locked memory of the host, which kernels read and write through the bus."""
        cuda, n_bytes = self._cupy.cuda, max(size, 1) * np.dtype(dtype).itemsize
        try:
            locked = cuda.PinnedMemory(n_bytes)
        except cuda.runtime.CUDARuntimeError as error:
            raise PlaitError(
                f"executor='cuda' needs {n_bytes / 2**30:.1f} GiB of page-locked memory on the host for tokens that do "
                f"not fit on the device: {error}"
            ) from error
        ctypes.memset(locked.ptr, 0, n_bytes)
        memory = cuda.UnownedMemory(locked.ptr, n_bytes, locked, self._device.id)
        return self._cupy.ndarray(size, dtype, memptr=cuda.MemoryPointer(memory, 0))

    def get(self, array: Any) -> np.ndarray:
        """Return a copy of a device array on the host."""
        return self._cupy.asnumpy(array)

    def copy_in(self, source: np.ndarray, target: Any) -> None:
        """Copy a host array into a device array; the host array must not change before the next `get`."""
        self._copy(target.data.ptr, source.ctypes.data, source.nbytes)

    def copy_out(self, source: Any, target: np.ndarray) -> None:
        """Copy a device array into a host array."""
        self._copy(target.ctypes.data, source.data.ptr, target.nbytes)
        self._cupy.cuda.get_current_stream().synchronize()

    def _copy(self, target: int, source: int, n_bytes: int) -> None:
        if n_bytes:
            stream = self._cupy.cuda.get_current_stream().ptr
            self._cupy.cuda.runtime.memcpyAsync(target, source, n_bytes, _BY_ADDRESS, stream)

    def lock_pages(self, name: str, arrays: Sequence[np.ndarray]) -> None:
        """Page-lock host arrays that are copied often, instead of those given for the same name before."""
        before = self._locked.get(name, [])
        if len(before) == len(arrays) and all(a is b for a, b in zip(before, arrays, strict=True)):
            return
        self._unlock(name)
        runtime = self._cupy.cuda.runtime
        self._locked[name] = list(arrays)  # locked memory must not be freed
        for one in arrays:
            if one.nbytes >= _LEAST_LOCKED:
                try:
                    runtime.hostRegister(one.ctypes.data, one.nbytes, 0)
                except runtime.CUDARuntimeError:  # copies are slower, no more
                    continue
                self._registered.setdefault(name, []).append(one)

    def _unlock(self, name: str) -> None:
        _unregister(self._cupy.cuda.runtime, self._registered.pop(name, []))
        self._locked.pop(name, None)

    def running_total(self, sizes: Any) -> Any:
        """Return 0 and the cumulative sums of a device array, as int64."""
        sums = self._cupy.zeros(sizes.size + 1, np.int64)
        sums[1:] = self._cupy.cumsum(sizes, dtype=np.int64)
        return sums

    def launch(
        self,
        source: str,
        kernel: str,
        macros: Mapping[str, object],
        blocks: int,
        threads: int,
        shared: int,
        *given: Any,
    ) -> None:
        """Run a kernel of a source file."""
        self._compiled(source, kernel, macros, shared)((blocks,), (threads,), given, shared_mem=shared)

    def launch_together(self, launches: Sequence[tuple[Any, ...]]) -> None:
        """Run kernels that do not depend on each other, given as arguments of `launch`, at once where they fit."""
        cuda = self._cupy.cuda
        while len(self._streams) < len(launches):
            self._streams.append(cuda.Stream(non_blocking=True))
        own = cuda.get_current_stream()
        ready = own.record()
        for stream, given in zip(self._streams, launches, strict=False):
            stream.wait_event(ready)
            with stream:
                self.launch(*given)
            own.wait_event(stream.record())

    def resident_blocks(self, source: str, kernel: str, macros: Mapping[str, object], threads: int, shared: int) -> int:
        """Return how many blocks of a kernel the device can run at once."""
        found = self._compiled(source, kernel, macros, shared)
        per_processor = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            found.kernel.ptr, threads, shared
        )
        if per_processor < 1:
            raise PlaitError(
                f"executor='cuda': a block of threads needs {shared:,} bytes of shared memory, more than the device "
                "has; use fewer topics or another executor"
            )
        return per_processor * self._device.attributes["MultiProcessorCount"]

    def _compiled(self, source: str, kernel: str, macros: Mapping[str, object], shared: int) -> Any:
        """Return a kernel; CuPy compiles it at its first use and keeps it in its cache on disk."""
        name = (source, kernel, tuple(macros.items()))
        if name not in self._kernels:
            self._kernels[name] = _module(source, name[2]).get_function(kernel)
        found = self._kernels[name]
        if shared > _STATIC_SHARED and found.max_dynamic_shared_size_bytes < shared:
            most = self._device.attributes["MaxSharedMemoryPerBlockOptin"]
            if shared <= most:
                found.max_dynamic_shared_size_bytes = shared
        return found

    def memory(self) -> tuple[int, int]:
        """Return the free and the total memory in bytes; what CuPy holds for reuse is free."""
        free, total = self._cupy.cuda.runtime.memGetInfo()
        return free + self._cupy.get_default_memory_pool().free_bytes(), total

    def close(self) -> None:
        """Give memory back."""
        for name in list(self._locked):
            self._unlock(name)
        self._cupy.get_default_memory_pool().free_all_blocks()


@cache
def _module(source: str, macros: tuple[tuple[str, object], ...]) -> Any:
    return import_cupy().RawModule(code=read_source(source, dict(macros)), options=OPTIONS)


def import_cupy() -> Any:
    """Return the module cupy; raise an error that says how to install it."""
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise PlaitError(
            f"executor='cuda' needs CuPy: {how_to_install('cuda')}, or install the package of CuPy for the "
            "CUDA version of this machine"
        ) from error
