"""Writing of results to standard output or files, and of notes to standard error."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from skgraded._support.text import wrap
from skgraded._support.writers import WRITERS, Report

if TYPE_CHECKING:
    from pathlib import Path

# Arguments that name files to read, and those that name files to write.
_INPUTS = ("qrels", "runs", "run_file", "data", "judges", "cluster")
_OUTPUTS = ("output", "plot")


def write(arguments: argparse.Namespace, text: str) -> None:
    """Write a result to the file that was asked for, or to standard output."""
    if arguments.output is None:
        show(text)
    else:
        _replace(arguments.output, text.encode("utf-8", "surrogateescape"))


def write_reports(arguments: argparse.Namespace, reports: Sequence[Report]) -> None:
    """Write results in the format that was asked for, and notes that it has no place for beside."""
    writer = WRITERS[arguments.format]
    write(arguments, writer.write(reports))
    if not writer.holds_notes:
        tell(list(dict.fromkeys(note for report in reports for note in report.notes)))


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


def save_picture(path: Path, figure: Any, **options: Any) -> Path:
    """Save a figure of matplotlib and return the path, with the suffix that it gets."""
    from matplotlib import pyplot

    path = picture_path(path)
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), **options)
    pyplot.close(figure)  # pyplot keeps every figure that it has made
    _replace(path, picture.getvalue())
    return path


def picture_path(path: Path) -> Path:
    """Return the path of a picture; without a suffix it gets that of matplotlib's settings."""
    from matplotlib import rcParams

    return path if path.suffix else path.with_name(f"{path.name}.{rcParams['savefig.format']}")


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, so that an error leaves the old one as it was."""
    old = path.stat() if path.exists() else None
    if old is not None and (not path.is_file() or old.st_nlink > 1):
        path.write_bytes(content)  # a device, a pipe, or a file that has other names too
        return
    target = type(path)(os.path.realpath(path))  # what a link points to, and not the link
    draft = target.with_name(f".skgraded-{os.urandom(4).hex()}.tmp")
    try:
        with open(draft, "xb") as file:
            if old is not None:
                draft.chmod(old.st_mode & 0o777)  # before there is anything to read
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def check_outputs(arguments: argparse.Namespace) -> None:
    """Choose the format; raise an error before the work starts if a file could not be written."""
    if hasattr(arguments, "format"):
        arguments.format = _format(arguments)
    if getattr(arguments, "plot", None) is not None:
        check_picture(arguments.plot)
        arguments.plot = picture_path(arguments.plot)
    given = {option: getattr(arguments, option, None) for option in _OUTPUTS}
    paths = {option: path for option, path in given.items() if path is not None}
    for option, path in paths.items():
        _check_place(option, path)
        _check_is_no_input(option, path, arguments)
    if len({os.path.realpath(path) for path in paths.values()}) < len(paths):
        raise ValueError(
            f"--output and --plot must be two files, got {str(paths['plot'])!r} twice."
        )


def _format(arguments: argparse.Namespace) -> str:
    """Return the format that was asked for, or that of the output's name."""
    if arguments.format is not None:
        return str(arguments.format)
    suffix = "" if arguments.output is None else arguments.output.suffix[1:].lower()
    return suffix if suffix in ("csv", "json") else "table"


def _check_place(option: str, path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"--{option} must be a file, got the folder {str(path)!r}.")
    if not path.parent.is_dir():
        raise ValueError(
            f"--{option} must be a file in an existing folder: the folder of {str(path)!r} does "
            "not exist."
        )


def _check_is_no_input(option: str, path: Path, arguments: argparse.Namespace) -> None:
    if not path.is_file():
        return
    written = path.stat()
    for name, read in _inputs(arguments):
        if os.path.samestat(written, read):
            raise ValueError(
                f"--{option} must not be a file that is read, got {str(path)!r}, which is {name!r}."
            )


def _inputs(arguments: argparse.Namespace) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files that a command reads, by name."""
    for option in _INPUTS:
        given = getattr(arguments, option, None)
        for name in given if isinstance(given, list) else [given]:
            if name == "-" and sys.stdin is not None:
                with contextlib.suppress(OSError, ValueError):  # standard input without a file
                    yield name, os.fstat(sys.stdin.fileno())
            elif isinstance(name, str | os.PathLike):
                path = os.fspath(name)
                # Group sizes are read from the file beside that of the features.
                for each in (path, f"{path}.query", f"{os.path.splitext(path)[0]}.query"):
                    with contextlib.suppress(OSError, ValueError):  # reading it tells what is wrong
                        yield each, os.stat(each)


def check_picture(path: Path) -> None:
    """Raise an error if matplotlib is not there or cannot write such a file."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install matplotlib.") from error
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix and path.suffix[1:].lower() not in known:
        raise ValueError(f"--plot must end in one of {', '.join(known)}, got {str(path)!r}.")
