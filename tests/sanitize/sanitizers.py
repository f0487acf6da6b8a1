"""Run the stress test and the fuzzer on the module, built with two sanitizers in turn.

    python tests/sanitize/sanitizers.py [--seconds S]

Needs, in the environment of the interpreter that runs it: NumPy, nanobind, CMake and Ninja; and GCC
with its sanitizers. A compiler without them, such as Clang without a shared runtime, ends it with
an error, not with silence. It takes about two minutes, most of which compiles.

For each sanitizer, of addresses and of threads, the module is built into a temporary folder, beside
a copy of the package's Python files. Runs follow, each in a process into which the sanitizer's
runtime is loaded first:

1. The positive controls: the build contains a function that reads out of bounds (address) or lets
   two threads race (thread). The sanitizer must report it, or the second run would show nothing.
   And a kernel is given an entry that is out of range, which these builds assert.
2. `stress.py`, where threads rewrite the arrays that others evaluate, and the fuzzer with its
   hostile files and ids. The sanitizer must be silent.

The thread sanitizer sees the kernels alone: NumPy is not built with it, so that its writes to the
scores are unseen, and calls from there are ignored. The run shows that the threads of one kernel,
and kernels in several threads of Python, do not race with each other.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import site
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = {
    "stress test": ROOT / "tests/sanitize/stress.py",
    "fuzzer": ROOT / "tests/fuzz/fuzzer.py",
}
FOUND = 66  # the exit code of a sanitizer that found something
ADDR_NO_RANDOMIZE = 0x0040000  # of personality(2)

SANITIZERS = {
    "address": (
        "libasan.so",
        "_native.read_out_of_bounds(1000)",
        "heap-buffer-overflow",
    ),
    "thread": ("libtsan.so", "_native.race(100000)", "data race"),
}
IMPORTS = "import numpy as np; from skgraded._core import _native"
OUT_OF_RANGE = "_native.schedule_queries(np.array([0, 2, 1]))"
OPTIONS = {
    # Python frees at its end what it does not care to free; NumPy's memory comes from malloc.
    "ASAN_OPTIONS": f"exitcode={FOUND}:detect_leaks=0:allocator_may_return_null=1",
    "TSAN_OPTIONS": f"exitcode={FOUND}:halt_on_error=1:ignore_noninstrumented_modules=1",
    "PYTHONMALLOC": "malloc",
}


def run(command: list[Any], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command, and keep what it says."""
    kept = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, check=False, **kept, **options)


def find_runtime(compiler: str, library: str) -> Path:
    """Return the sanitizer's runtime of a compiler."""
    command = [compiler, f"-print-file-name={library}"]
    path = Path(
        subprocess.run(
            command, check=True, capture_output=True, text=True
        ).stdout.strip()
    )
    if not path.is_absolute() or not path.exists():
        raise SystemExit(
            f"{compiler} has no {library}: set CXX to a GCC with its sanitizers."
        )
    return path.resolve()


def build(sanitizer: str, compiler: str, folder: Path) -> Path:
    """Build the package into a folder and return what goes on Python's path."""
    build_folder, path = folder / "build", folder / "path"
    settings = {
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_CXX_COMPILER": compiler,
        "Python_EXECUTABLE": sys.executable,
        "SKGRADED_SANITIZE": sanitizer,
    }
    defines = [f"-D{name}={value}" for name, value in settings.items()]
    source = ["-S", ROOT / "skgraded/_core", "-B", build_folder, "-G", "Ninja"]
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in (["cmake", *source, *defines], ["cmake", "--build", build_folder]):
        done = run(command, env={**os.environ, "PATH": tools})
        if done.returncode:
            raise SystemExit(
                f"The module cannot be built with -fsanitize={sanitizer}:\n{done.stdout}"
            )
    leave_out = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / "skgraded", path / "skgraded", ignore=leave_out)
    for module in build_folder.glob("_native*.so"):
        shutil.copy(module, path / "skgraded/_core")
    return path


def keep_addresses() -> None:
    """Switch off the random layout of memory, with which older thread sanitizers cannot start."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


def run_python(
    arguments: list[str], path: Path, runtime: str
) -> subprocess.CompletedProcess[str]:
    """Run Python under a sanitizer, with the package that was built for it."""
    # Without the site module, which would find an editable installation of the package first.
    search = os.pathsep.join([str(path), *site.getsitepackages()])
    environment = {**os.environ, **OPTIONS, "LD_PRELOAD": runtime, "PYTHONPATH": search}
    command = [sys.executable, "-S", *arguments]
    return run(command, env=environment, cwd=path, preexec_fn=keep_addresses)


def check(sanitizer: str, seconds: float) -> None:
    """Build with one sanitizer; run the positive controls and the scripts."""
    library, fault, report = SANITIZERS[sanitizer]
    compiler = os.environ.get("CXX", "g++")
    # With the library whose exceptions the sanitizer watches, which Python itself does not load.
    runtime = " ".join(
        str(find_runtime(compiler, each)) for each in (library, "libstdc++.so.6")
    )
    with tempfile.TemporaryDirectory(prefix="skgraded-sanitize-") as folder:
        path = build(sanitizer, compiler, Path(folder))
        for code, expected, said in (
            (fault, FOUND, report),
            (OUT_OF_RANGE, 1, "RuntimeError"),
        ):
            control = run_python(["-c", f"{IMPORTS}; {code}"], path, runtime)
            if control.returncode != expected or said not in control.stdout:
                raise SystemExit(
                    f"The build for the {sanitizer} sanitizer missed the fault of a positive "
                    f"control (exit code {control.returncode}):\n{control.stdout}"
                )
        sys.stdout.write(f"{sanitizer}: the positive controls are found\n")
        for name, script in SCRIPTS.items():
            done = run_python([str(script), "--seconds", str(seconds)], path, runtime)
            if done.returncode:
                raise SystemExit(
                    f"The {name} fails under the {sanitizer} sanitizer (exit code "
                    f"{done.returncode}):\n{done.stdout}"
                )
            sys.stdout.write(f"{sanitizer}: the {name} passes\n{done.stdout}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    for sanitizer in SANITIZERS:
        check(sanitizer, options.seconds)


if __name__ == "__main__":
    main()
