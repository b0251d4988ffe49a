"""A device that runs the CUDA sources on the CPU, where a C++ compiler is present: no GPU is needed."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from plait.executors import CudaExecutor
from plait.samplers.cuda.source import read_source

COMPILER = shutil.which("g++") or shutil.which("clang++")
_HOST = Path(__file__).with_name("host.hpp")
_KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\([\w, ]+\) )?(\w+)\(")
_DYNAMIC = re.compile(r"extern __shared__ (?:__align__\(16\) )?(\w+) (\w+)\[\];")


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="plait-cuda-")


@cache
def load(source, macros, extra=""):
    """Return a source file of plait as a library of the CPU."""
    text = _DYNAMIC.sub(r"\1 *\2 = reinterpret_cast<\1 *>(shared_memory);", read_source(source, dict(macros)) + extra)
    names = _KERNEL.findall(text)
    text = f'#include "{_HOST}"\n{text}\n' + "".join(f"EXPORT({name})\n" for name in names)
    stem = Path(_folder().name) / hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    stem.with_suffix(".cpp").write_text(text)
    subprocess.run(
        [COMPILER, "-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC", "-w",
         "-o", str(stem.with_suffix(".so")), str(stem.with_suffix(".cpp"))],
        check=True,
    )  # fmt: skip
    return ctypes.CDLL(str(stem.with_suffix(".so")))


class HostDevice:
    """Arrays are NumPy's, and kernels run on the CPU."""

    most_blocks = 3

    def put(self, array):
        return np.array(array)

    def zeros(self, size, dtype):
        return np.zeros(size, dtype)

    def empty(self, size, dtype):
        wrong = np.empty(size, dtype)
        wrong.view(np.uint8)[:] = 0xA5  # what is not written must not look right
        return wrong

    def host_zeros(self, size, dtype):
        return np.zeros(size, dtype)

    def get(self, array):
        return array.copy()

    def copy_in(self, source, target):
        target[:] = source

    def copy_out(self, source, target):
        target[:] = source

    def lock_pages(self, name, arrays):
        pass

    def running_total(self, sizes):
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    def launch(self, source, kernel, macros, blocks, threads, shared, *given, extra=""):
        assert shared <= 1 << 20
        library = load(source, tuple(macros.items()), extra)
        held = []
        for one in given:
            if isinstance(one, np.ndarray):
                assert one.flags.c_contiguous
                held.append(np.array([one.ctypes.data], np.uint64))
            else:
                held.append(np.array([one]))
        pointers = (ctypes.c_void_p * len(held))(*(one.ctypes.data for one in held))
        getattr(library, f"launch_{kernel}")(pointers, int(blocks), int(threads))

    def launch_together(self, launches):
        for given in launches:
            self.launch(*given)

    def resident_blocks(self, source, kernel, macros, threads, shared):
        return self.most_blocks

    def memory(self):
        return 1 << 40, 1 << 40

    def close(self):
        pass


class HostExecutor(CudaExecutor):
    """The executor for a GPU, with a device that runs on the CPU."""

    def _make_device(self):
        return HostDevice()
