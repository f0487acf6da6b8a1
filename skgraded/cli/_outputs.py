"""Writing of results to standard output or files, and of notes to standard error."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from skgraded._support.results_base import Report
from skgraded._support.text import WIDTH, wrap
from skgraded._support.writers import WITHOUT_NOTES, WRITERS, reports_as_text

# Arguments that name files, of which the last two are written.
_FILES = ("qrels", "runs", "run_file", "judge", "cluster", "output", "plot")


def write(arguments: argparse.Namespace, text: str) -> None:
    """Write a result to the file that was asked for, or to standard output."""
    if arguments.output is None:
        show(text)
    else:
        with open(arguments.output, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))


def write_reports(arguments: argparse.Namespace, reports: Sequence[Report]) -> None:
    """Write results in the format that was asked for, and notes that it has no place for beside."""
    form = format_of(arguments)
    if form == "table":
        in_words_of_options = [_with_options(report) for report in reports]
        write(arguments, reports_as_text(in_words_of_options, _width(arguments)))
    else:
        write(arguments, WRITERS[form](reports))
    if form in WITHOUT_NOTES:
        notes = [note for report in reports for note in report.notes]
        tell(list(dict.fromkeys(notes)))


def _with_options(report: Report) -> Report:
    """Name the option in notes that name the method which shows all rows."""
    tables = []
    for table in report.tables:
        notes = [note.replace("to_frame()", "--format csv") for note in table.notes]
        tables.append(table._replace(notes=notes))
    return report._replace(tables=tables)


def _width(arguments: argparse.Namespace) -> int:
    """Return the characters in a line: those of the terminal, if it is wide."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if arguments.output is not None or not is_terminal:
        return WIDTH
    return max(WIDTH, shutil.get_terminal_size().columns)


def show(text: str) -> None:
    """Write text to standard output."""
    if sys.stdout is None:  # the process was started without it
        raise OSError("standard output is closed; -o FILE writes to a file.")
    sys.stdout.write(text)


def tell(notes: Sequence[str]) -> None:
    """Write notes to standard error."""
    if sys.stderr is not None:
        for note in notes:
            sys.stderr.write(wrap(note) + "\n")


def save_picture(path: str, figure: Any, **options: Any) -> None:
    """Save a figure of matplotlib."""
    from matplotlib import pyplot

    figure.savefig(path, **options)
    pyplot.close(figure)  # pyplot keeps every figure that it has made


def figure_of(panels: Sequence[Callable[[Any], Any]]) -> Any:
    """Draw panels below each other; a single one in a figure of the size that it chooses."""
    if len(panels) == 1:
        return panels[0](None).figure
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1)
    for ax, draw in zip(axes, panels, strict=True):
        draw(ax)
    return figure


def format_of(arguments: argparse.Namespace) -> str:
    """Return the format that was asked for, or that of the output's name."""
    if arguments.format is not None:
        return str(arguments.format)
    suffix = _suffix(arguments.output or "")
    return suffix if suffix in ("csv", "json") else "table"


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1][1:].lower()


def check_files(arguments: argparse.Namespace) -> None:
    """Raise an error before the work starts if a file could not be written, or read twice."""
    paths: list[str] = []
    for name in _FILES:
        value = getattr(arguments, name, None)
        if isinstance(value, list):
            paths += value
        elif value is not None:
            paths.append(value)
    if paths.count("-") > 1:
        raise ValueError(
            f"- (standard input) can be given only once, got it {paths.count('-')} times."
        )

    real_paths = list(map(os.path.realpath, paths))
    for option in ("output", "plot"):
        path = getattr(arguments, option, None)
        if path is None:
            continue
        rule = ""
        if os.path.isdir(path):
            rule = " and no folder"
        elif not os.path.isdir(os.path.dirname(path) or "."):
            rule = " in an existing folder"
        elif real_paths.count(os.path.realpath(path)) > 1:
            rule = " that no other argument names"
        if rule:
            raise ValueError(f"--{option} must be a file{rule}, got {path!r}.")
        if option == "plot":
            _check_picture(path)


def _check_picture(path: str) -> None:
    """Raise an error if matplotlib is not there or cannot write such a file."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install matplotlib.") from error
    endings = FigureCanvasBase.get_supported_filetypes()
    if _suffix(path) not in endings:
        raise ValueError(
            f"--plot must end in one of {', '.join(endings)}, got {path!r}."
        )
