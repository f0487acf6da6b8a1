"""The fuzzer, for some seconds; .ci/run gives it more time."""

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "fuzz" / "fuzzer.py"


def test_no_hostile_case_crashes_hangs_or_raises_without_a_place():
    # In a process of its own, which a segmentation fault ends.
    done = subprocess.run(
        [sys.executable, FUZZ, "--seconds", "4", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "without a fault" in done.stdout
