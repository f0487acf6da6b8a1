"""The command line, as a user types it."""

import io
import subprocess
import sys

import pytest

import skgraded
from skgraded._support.progress import ProgressBar
from skgraded.cli import main


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_the_demo_saves_a_picture_and_says_what_it_shows(tmp_path, capsys):
    plot = tmp_path / "plot.png"
    plot.write_text("of another demo")
    assert main(["demo", "--plot", str(plot)]) == 0
    path, *told = capsys.readouterr().out.splitlines()
    assert path == str(plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert told[0].startswith("Take broad if more than ")
    assert "precise if fewer" in " ".join(told[:2])
    assert told[-2].split()[:2] == ["skgraded", "compare"]
    assert max(map(len, told)) <= 80


def test_without_a_command_help_is_printed(capsys):
    assert main([]) == 2
    assert "demo" in capsys.readouterr().out


def test_python_dash_m():
    command = [sys.executable, "-m", "skgraded", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"skgraded {skgraded.__version__}"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_on_a_terminal():
    terminal = Terminal()
    with ProgressBar(4, "Searching", terminal) as progress:
        progress.step()
        progress.step(3)
    frames = terminal.getvalue().split("\r")
    assert "0/4" in frames[1]
    assert "[#######......................." in frames[2]
    assert f"[{'#' * 30}] 4/4" in frames[3]


@pytest.mark.parametrize("total", [0, 3])
def test_progress_bar_is_silent_elsewhere(total):
    stream = io.StringIO()
    with ProgressBar(total, "Searching", stream) as progress:
        progress.step()
    assert stream.getvalue() == ""
