"""Scores, labels and query ids that other threads rewrite while they are evaluated."""

import subprocess
import sys
from pathlib import Path

STRESS = Path(__file__).parent / "sanitize" / "stress.py"


def test_arrays_that_others_rewrite_do_not_crash_the_process() -> None:
    # In a process of its own, which a segmentation fault ends. .ci/run does the same under the
    # address and the thread sanitizer.
    run = subprocess.run(
        [sys.executable, STRESS, "--seconds", "3"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
