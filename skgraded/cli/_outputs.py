"""Writing of results to standard output or files, and of notes to standard error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from skgraded._text import wrap

__all__ = ["check_outputs", "tell", "write"]


def write(arguments: argparse.Namespace, text: str) -> None:
    """Write a result to the file that was asked for, or to standard output."""
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text, encoding="utf-8")


def tell(notes: Sequence[str]) -> None:
    """Write notes to standard error."""
    for note in notes:
        sys.stderr.write(wrap(note) + "\n")


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise an error before the work starts if a file could not be written at its end."""
    for option in ("output", "plot"):
        path = getattr(arguments, option, None)
        if path is not None:
            _check_place(option, path)
    if getattr(arguments, "plot", None) is not None:
        _check_picture(arguments.plot)


def _check_place(option: str, path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"--{option} must be a file, got the folder {str(path)!r}.")
    if not path.parent.is_dir():
        raise ValueError(
            f"--{option} must be a file in an existing folder: the folder of {str(path)!r} does "
            "not exist."
        )


def _check_picture(path: Path) -> None:
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install matplotlib.") from error
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix and path.suffix[1:].lower() not in known:
        raise ValueError(f"--plot must end in one of {', '.join(known)}, got {str(path)!r}.")
