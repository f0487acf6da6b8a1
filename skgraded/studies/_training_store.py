"""A folder of finished trainings, from which a study goes on that was killed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import joblib
import numpy as np

from skgraded._text import first_few
from skgraded.model_selection._fitting import final_step
from skgraded.studies._objective_trainings import Cell, Training

__all__ = ["DATA", "TrainingStore", "settings_of_estimator", "settings_of_values"]

DATA = "data"  # the section of hashes, which nobody can read
_SETTINGS = "settings.json"
_ARRAYS = ("validation_queries", "test_queries", "validation", "test")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONGEST_NAME = 40
_LONGEST_SHOWN = 60

Settings = dict[str, dict[str, str]]


class TrainingStore:
    """Finished trainings in a folder, one file each, and the settings that they were made with.

    Objectives and repeats may be added later: a training depends on neither. Anything else that
    differs is refused.

    Parameters
    ----------
    path : str or path-like
        The folder, which is made if it does not exist.
    settings : dict of str to dict of str to str
        Settings by section. Sections that only one side has, such as other objectives, are no
        difference.
    """

    def __init__(self, path: str | os.PathLike[str], settings: Settings) -> None:
        self.folder = Path(path)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"path must be a folder, got the file {str(path)!r}.")
        self.folder.mkdir(parents=True, exist_ok=True)
        stored = self._stored_settings()
        differing = list(_differences(stored, settings))
        if differing:
            raise ValueError(
                f"path must be a new folder or one of the same study, got {str(path)!r}, where "
                f"{'; '.join(differing)}."
            )
        self._write(_SETTINGS, json.dumps({**stored, **settings}, indent=1).encode())

    def _stored_settings(self) -> Settings:
        file = self.folder / _SETTINGS
        if file.exists():
            stored: Settings = json.loads(file.read_text(encoding="utf-8"))
            return stored
        foreign = sorted(each.name for each in self.folder.iterdir() if each.suffix != ".part")
        if foreign:
            raise ValueError(
                f"path must be a new or empty folder, or one that a study has made, got "
                f"{str(self.folder)!r}, which holds {first_few(foreign)}."
            )
        return {}

    def find(self, cell: Cell) -> Training | None:
        """Return a finished training; None if it is not stored."""
        file = self.folder / _file_name(cell)
        if not file.exists():
            return None
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return Training(*cell, **{name: arrays[name] for name in _ARRAYS})
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"path must hold complete trainings, got {str(file)!r}, which cannot be read: "
                "delete it, and it is trained again."
            ) from error

    def keep(self, training: Training) -> None:
        """Store a finished training."""
        cell = Cell(training.objective, training.repeat, training.fold)
        arrays = {name: getattr(training, name) for name in _ARRAYS}
        self._write(_file_name(cell), arrays)

    def _write(self, name: str, content: bytes | dict[str, Any]) -> None:
        """Write a file under another name and rename it, so that no file is ever half written."""
        handle, part = tempfile.mkstemp(suffix=".part", dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as file:
                _fill(file, content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.folder / name)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise


def _fill(file: IO[bytes], content: bytes | dict[str, Any]) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        np.savez(file, **content)


def _file_name(cell: Cell) -> str:
    """Name a file by what is trained; the hash tells names apart that differ in signs alone."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", cell.objective).strip("_")[:_LONGEST_NAME]
    digest = hashlib.sha256(cell.objective.encode()).hexdigest()[:8]
    return f"repeat{cell.repeat}.fold{cell.fold}.{words}.{digest}.npz"


def _differences(stored: Settings, given: Settings) -> list[str]:
    """Say what differs between sections that both sides have."""
    found = []
    for section in stored.keys() & given.keys():
        there, here = stored[section], given[section]
        for name in sorted(there.keys() | here.keys()):
            old, new = there.get(name, "unset"), here.get(name, "unset")
            if old != new and section == DATA:
                found.append(f"{name} holds other values, or these in another layout")
            elif old != new:
                where = f"{name} of {section}" if section.startswith("objectives[") else name
                found.append(f"{where} is {_shown(old)} and here {_shown(new)}")
    return sorted(found)


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def settings_of_values(**values: Any) -> dict[str, str]:
    """Describe arrays, frames and matrices by hashes of their values."""
    return {name: joblib.hash(each) for name, each in values.items()}


def settings_of_estimator(estimator: Any) -> dict[str, str]:
    """Describe an estimator: its class, the version of its library, and all parameters."""
    library = type(final_step(estimator)).__module__.partition(".")[0]
    described = {
        "the class": type(estimator).__name__,
        f"{library}'s version": _version_of(library),
    }
    params: Mapping[str, Any] = estimator.get_params()
    described.update({name: _text_of(params[name]) for name in sorted(params)})
    return described


def _version_of(library: str) -> str:
    # Not that of the package, which may have another name, such as xgboost-cpu.
    return str(getattr(sys.modules.get(library), "__version__", "unknown"))


def _text_of(value: Any) -> str:
    """Write a value so that it is the same in another process."""
    if isinstance(value, np.ndarray):
        return f"an array with the hash {joblib.hash(value)}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _ADDRESS.sub("", repr(value))
