"""The command line, as a user types it."""

import io
import re
import subprocess
import sys

import pytest
from sklearn.datasets import dump_svmlight_file

import skgraded
from skgraded._support.progress import ProgressBar
from skgraded.cli import main
from skgraded.datasets import make_ranking


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    """Without the picture of a demo that somebody ran before."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)


def write_letor(path, n_queries):
    X, y, qid = make_ranking(n_queries=n_queries, docs_per_query=10, n_features=14, random_state=0)
    dump_svmlight_file(X, y, str(path), zero_based=False, query_id=qid)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_demo_on_a_file(tmp_path, capsys):
    data, plot = tmp_path / "some.train", tmp_path / "plot.png"
    write_letor(data, n_queries=60)
    assert main(["demo", "--data", str(data), "--plot", str(plot)]) == 0
    printed = capsys.readouterr().out
    assert "600 documents of 60 queries, 15 of them held out." in printed
    assert re.search(r"best first +1\.0000 +0\.", printed)  # LightGBM's value of a constant model
    assert re.search(r"chosen +\d+ +\d+ +0\.\d{4}  \[0\.\d{4}, 0\.\d{4}\]", printed)
    assert re.search(r"ideal ranking +0\.\d{4}", printed)
    assert "For which users is broad better than precise?" in printed
    assert 'measure="xGAP(g=linear,max_grade=4)@10"' in printed
    assert f"Plot saved to {plot}" in printed
    shown = [line for line in printed.splitlines() if not line.startswith("Plot saved")]
    assert max(map(len, shown)) <= 80
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_demo_needs_enough_queries(tmp_path, capsys):
    data = tmp_path / "small.train"
    write_letor(data, n_queries=5)
    assert main(["demo", "--data", str(data)]) == 2
    assert "--data must hold at least 24 queries, got 5" in capsys.readouterr().err


def test_demo_on_a_missing_file(capsys):
    assert main(["demo", "--data", "no such file"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("skgraded demo: ")
    assert "no such file" in message


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
