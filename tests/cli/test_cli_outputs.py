"""What the command line leaves behind: files, a status, and never a traceback."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from skgraded import __version__
from skgraded._support.progress import ProgressBar
from skgraded.cli import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3 t\nq2 Q0 a 1 1 t\n"
OTHER = "q1 Q0 b 1 3 t\nq2 Q0 a 1 1 t\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {"qrels": QRELS, "a.run": RUN, "b.run": OTHER}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def skgraded(*words, **options):
    command = [sys.executable, "-m", "skgraded", *words]
    options = {"capture_output": True, "stdin": subprocess.DEVNULL} | options
    return subprocess.run(command, check=False, timeout=60, **options)


def test_a_run_whose_name_is_not_utf8_is_written(folder):
    name = os.fsdecode(b"caf\xe9.run")
    try:
        (folder / name).write_text(RUN)
    except OSError:
        pytest.skip("the file system takes only names in UTF-8")
    assert main(["evaluate", "qrels", name, "-m", "AP", "-o", "out.csv"]) == 0
    assert (folder / "out.csv").read_text("utf-8").splitlines()[1] == r"caf\xe9.run,1.0"
    assert (
        skgraded("evaluate", "qrels", name)
        .stdout.decode()
        .splitlines()[1]
        .startswith("caf\\xe9")
    )


def test_ids_that_are_not_utf8_are_written_as_escapes(folder):
    for name in ("qrels", "a.run"):
        path = folder / name
        path.write_bytes(path.read_bytes().replace(b"q1", b"q\xff"))
    words = ("evaluate", "qrels", "a.run", "-m", "AP", "-q")
    assert b"q\\udcff" in skgraded(*words).stdout
    assert b"\tq\xff\t" in skgraded(*words, "--format", "trec_eval").stdout
    assert main([*words, "-o", "out.csv"]) == 0
    assert (folder / "out.csv").read_bytes().splitlines()[1] == rb"a.run,q\udcff,1.0"
    assert main([*words, "-o", "out.json"]) == 0
    rows = json.loads((folder / "out.json").read_bytes())["rows"]
    assert [row["qid"] for row in rows] == ["q\udcff", "q2"]


@pytest.mark.parametrize("option", ["-o", "--plot"])
@pytest.mark.parametrize(
    "name", ["a.png", "./a.png", "linked.png", "judge.png", "people.png"]
)
def test_an_output_that_another_argument_names_is_refused(folder, capsys, option, name):
    os.rename("a.run", "a.png")
    os.symlink("a.png", "linked.png")
    (folder / "judge.png").write_text(QRELS)
    (folder / "people.png").write_text("q1 a\nq2 b\n")
    before = (folder / name).read_text()
    files = [
        "qrels",
        "a.png",
        "b.run",
        "--judge",
        "judge.png",
        "--cluster",
        "people.png",
    ]
    for words in ([option, name], ["-o", "x.png", "--plot", "./x.png"]):
        assert main(["compare", *files, *words]) == 2
        assert (
            "must be a file that no other argument names, got"
            in capsys.readouterr().err
        )
    assert (folder / name).read_text() == before


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("evaluate qrels a.run -m AP -o out.csv", "system,AP"),
        ("evaluate qrels a.run -m AP -o out.CSV", "system,AP"),
        ("evaluate qrels a.run -o out.json", "{"),
        ("evaluate qrels a.run -o out.txt", "system  "),
        ("evaluate qrels a.run --format json -o out.csv", "{"),
        ("evaluate qrels a.run --format table -o out.csv", "system  "),
        ("study topics qrels -o out.json", '{\n  "study": "topics"'),
        ("study topics qrels -o out.csv", "topic,R(0)"),
    ],
)
def test_the_name_of_the_output_chooses_the_format(folder, words, start):
    assert main(words.split()) == 0
    assert (folder / words.split()[-1]).read_text().startswith(start)


@pytest.mark.parametrize("words", [["compare"], ["study", "correlation"]])
def test_a_picture_leaves_no_figure_open(folder, words):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    assert main([*words, "qrels", "a.run", "b.run", "--plot", "picture.png"]) == 0
    assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert pyplot.get_fignums() == before


needs_fifo = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="needs pipes with names"
)


def open_when_read(fifo):
    """Open a pipe for writing as soon as somebody reads it."""
    for _ in range(300):
        try:
            descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.1)
        else:
            os.set_blocking(descriptor, True)
            return descriptor
    pytest.fail("nobody reads the pipe")


def interrupted(words, fifo, feed):
    """Start a command, interrupt it while it reads a pipe; return status, seconds and errors."""
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-m", "skgraded", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A test run in the background may have inherited that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    try:
        descriptor = open_when_read(fifo)

        def write():
            with (
                contextlib.suppress(BrokenPipeError),
                open(descriptor, "wb", buffering=0) as file,
            ):
                for piece in feed:
                    file.write(piece)
                process.wait()

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        time.sleep(0.5)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1].decode()
        seconds = time.monotonic() - started
        writer.join(30)
    finally:
        process.kill()
        process.wait()
    return process.returncode, seconds, errors


def lines(n):
    for number in range(n):
        first = number * 1000
        yield b"".join(
            b"q%d Q0 d%d 1 1 t\n" % (number, first + each) for each in range(1000)
        )


@needs_fifo
@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("n_pieces", [1, 10**6], ids=["waiting", "reading"])
def test_an_interrupt_ends_the_command_within_a_second(folder, threads, n_pieces):
    words = (
        "evaluate",
        "qrels",
        "a.run",
        "b.run",
        "fifo",
        "a.run",
        "--threads",
        threads,
    )
    status, seconds, errors = interrupted(words, "fifo", lines(n_pieces))
    assert (status, errors) == (-signal.SIGINT, "")
    assert seconds < 1.0


@pytest.mark.parametrize(
    ("closed", "words", "status", "message"),
    [
        ("<&-", ("evaluate", "qrels", "-"), 2, "standard input is closed"),
        ("<&-", ("evaluate", "--letor", "qrels", "-"), 2, "standard input is closed"),
        (">&-", ("evaluate", "qrels", "a.run"), 2, "standard output is closed"),
        (">&-", ("measures",), 2, "standard output is closed"),
        (">&-", ("evaluate", "qrels", "a.run", "-o", "out"), 0, ""),
        ("<&- >&- 2>&-", ("evaluate", "qrels", "a.run", "b.run", "-o", "out"), 0, ""),
        ("2>&-", ("evaluate", "qrels", "no file"), 2, ""),
        ("2>&-", ("compare", "qrels", "a.run", "b.run", "-o", "out.csv"), 0, ""),
        (">&-", (), 2, ""),
    ],
)
def test_closed_standard_files_get_no_traceback(folder, closed, words, status, message):
    if os.name != "posix":
        pytest.skip("needs a POSIX shell")
    command = [
        "sh",
        "-c",
        f'"$@" {closed}',
        "sh",
        sys.executable,
        "-m",
        "skgraded",
        *words,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert message in done.stderr
    if "-o" in words:
        assert "system" in (folder / words[-1]).read_text().splitlines()[0]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_too_little_memory_is_a_message(folder):
    resource = pytest.importorskip("resource")
    (folder / "large.run").write_text(
        "".join(f"q{i} Q0 d 1 1 t\n" for i in range(10**6))
    )
    code = (
        "import resource, sys\n"
        "from skgraded.cli import main\n"
        "assert main(['evaluate', 'qrels', 'a.run', '-o', 'first']) == 0\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 30_000_000,) * 2)\n"
        "sys.exit(main(['evaluate', 'qrels', 'large.run', '--threads', '1']))\n"
    )
    del resource
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "skgraded evaluate: the memory does not suffice"
    )
    assert "Traceback" not in done.stderr


def test_the_demo_saves_a_picture_and_says_what_it_shows(folder, capsys):
    plot = folder / "plot.png"
    plot.write_text("of another demo")
    assert main(["demo", "--plot", str(plot)]) == 0
    path, *told = capsys.readouterr().out.splitlines()
    assert path == str(plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert told[0].startswith("Take broad if more than ")
    assert "precise if fewer" in " ".join(told[:2])
    assert told[-2].split()[:2] == ["skgraded", "compare"]
    assert max(map(len, told)) <= 80


def test_the_command_is_a_module_and_prints_help_without_words(capsys):
    assert skgraded("--version").stdout.decode().strip() == f"skgraded {__version__}"
    assert main([]) == 2
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_progress_bar_is_drawn_on_terminals_alone(is_terminal):
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    with ProgressBar(4, "Searching", stream) as progress:
        progress.step()
        progress.step(3)
    frames = stream.getvalue().split("\r")
    assert len(frames) == (4 if is_terminal else 1)
    expected = ["", "0/4", "[#######.......................", f"[{'#' * 30}] 4/4"]
    assert all(part in frame for part, frame in zip(expected, frames, strict=False))
