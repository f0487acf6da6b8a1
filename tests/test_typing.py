"""Type checkers accept right calls and refuse wrong ones."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WRONG, RIGHT = HERE / "typed_calls" / "wrong_calls.py", HERE / "typed_calls" / "right_calls.py"


@pytest.fixture(scope="module")
def errors():
    """Map (file, line) to mypy's errors."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--show-absolute-path",
        str(WRONG),
        str(RIGHT),
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout
    errors = {}
    for path, line, text in re.findall(r"^(.*\.py):(\d+): error: (.*)$", found, re.MULTILINE):
        errors.setdefault((Path(path), int(line)), []).append(text)
    return errors


def wrong_calls():
    for number, line in enumerate(WRONG.read_text(encoding="utf-8").splitlines(), 1):
        call, _, words = line.partition("  # ")
        if words:
            yield pytest.param(number, words, id=call)


@pytest.mark.parametrize(("line", "words"), list(wrong_calls()))
def test_a_wrong_call_is_an_error(errors, line, words):
    found = " ".join(errors.get((WRONG, line), []))
    if words.startswith("Literal"):
        # The order of a union's members is mypy's.
        assert all(word in found for word in re.findall(r"'(\w+)'", words)), found
        assert "incompatible type" in found
    else:
        assert words in found


def test_nothing_else_is_an_error(errors):
    lines = {each.values[0] for each in wrong_calls()}
    assert {place for place in errors if place[1] not in lines or place[0] != WRONG} == set()
