"""Reader of learning-to-rank files: SVMlight lines with query ids, or group sizes beside them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isinf
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from skgraded._params import flag, integer_or_none, is_number

__all__ = ["load_letor"]

FilePath = str | os.PathLike[str]
Labels = NDArray[np.int64] | NDArray[np.float64]
IntArray = NDArray[np.int64]

_OPENERS: dict[str, Callable[[str, str], IO[bytes]]] = {
    ".gz": gzip.open,  # type: ignore[dict-item]
    ".bz2": bz2.open,  # type: ignore[dict-item]
    ".xz": lzma.open,  # type: ignore[dict-item]
}
_LARGEST_INDEX = np.iinfo(np.int32).max
_LARGEST_EXACT_INTEGER = 2.0**53
_LONGEST_QUOTE = 40
_MOST_DIGITS_OF_INT64 = 18
_LONGEST_SIZE = 1000  # bytes of a line with a group size
_CHUNK = 1 << 20  # bytes of text that are looked through at a time
_LONGEST_LINE = 10_000_000  # bytes; a file without line ends would be held in memory whole
_NULL = "NULL"  # how LETOR 4.0 writes a value that is missing
_NULL_VALUE = re.compile(rb"(?<=:)NULL(?=\s|$)")
# What stands before a comment, in lines that hold anything there.
_DATA = re.compile(rb"^[^\S\n]*[^\s#][^#\n]*", re.MULTILINE)


def load_letor(
    path_or_paths: FilePath | Sequence[FilePath],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    missing: float | None = None,
    dtype: DTypeLike = np.float64,
) -> tuple[Any, Labels, IntArray]:
    r"""Read learning-to-rank data from SVMlight files.

    Each line is one document: its grade, its query and its features. A feature that is left out is
    0. A comment starts with ``#``, as in ::

        2 qid:10 1:0.5 4:0.1 # docid = GX008-86-4444840

    This is the format of LETOR [1]_, MSLR-WEB, and the Yahoo and Istella sets. LightGBM's form
    [2]_, without ``qid:`` but with a file of group sizes beside it, is read as well.

    Parameters
    ----------
    path_or_paths : str, os.PathLike, or sequence of them
        File or files to read. Files that end in ``.gz``, ``.bz2`` or ``.xz`` are decompressed.
        Several files are put one below the other. A line has at most 10,000,000 bytes.
    n_features : int, default=None
        Number of columns of `X`. None takes the largest feature index in any of the files. Pass it
        where files that belong together, like training and test set, are read in separate calls.
    zero_based : bool, default=False
        Whether feature indices in the files count from 0. In LETOR they count from 1 (feature 1 is
        column 0 of `X`), and an index 0 is an error. Files made by
        :func:`sklearn.datasets.dump_svmlight_file` count from 0 by default.
    missing : float or None, default=None
        Value of the features that are written ``NULL``, as some sets of LETOR 4.0 write them: nan,
        which LightGBM, XGBoost and CatBoost take for a missing value, or a finite number. With
        None, ``NULL`` is an error.
    dtype : {np.float64, np.float32}, default=np.float64
        Data type of `X`.

    Returns
    -------
    X : sparse matrix of shape (n_documents, n_features), CSR
        Features, as :func:`sklearn.datasets.load_svmlight_file` gives them: explicit zeros in the
        file stay explicit, NaN is allowed.
    y : ndarray of shape (n_documents,), int64 or float64
        Grades; float64 only if some label is fractional or NaN (an unjudged document).
    qid : ndarray of shape (n_documents,), int64
        Query id of each row: the number after ``qid:``, or 0, 1, 2, ... for the groups of a sidecar
        file.

    Raises
    ------
    FileNotFoundError
        If a file does not exist; all are looked for before the first is read.
    TypeError
        If `path_or_paths` is neither a path nor a sequence of paths.
    ValueError
        If another argument is not as described; if a file is empty, damaged or not text; if a line
        breaks a rule of the format or holds a negative or infinite label, an infinite value, a
        ``NULL`` without `missing` or an index beyond `n_features` (the message starts with
        ``file:line:``); if there are neither query ids nor group sizes; if the group sizes are not
        positive integers or do not add up to the number of documents.

    See Also
    --------
    make_ranking : Made-up data of this kind.
    sklearn.datasets.load_svmlight_file : The reader that is used inside.

    Notes
    -----
    *Query ids.* The lines of a query need not be adjacent, and the same ``qid:`` in two files is
    the same query: its documents in both are one list. Where lines have no ``qid:``, the group
    sizes are read from the file of the same name plus ``.query``, one size per line; for
    ``train.gz`` that is ``train.gz.query`` or else ``train.query``. Groups of different files are
    different queries: they are numbered on from file to file. If the lines have query ids, a
    ``.query`` file is not looked at. Files with ids and files with group sizes cannot be mixed in
    one call, since their ids could meet by accident.

    *Indices.* A file does not say whether it counts features from 0 or from 1, unless index 0
    occurs. LightGBM's own reader counts from 0, and therefore finds an empty first feature in a
    file that counts from 1; `X` has no such column.

    *Blank lines and lines that are all comment* are skipped; they count for the line numbers in
    messages, not for group sizes.

    Scikit-learn reads the features and labels. It does not read the query ids here, because the
    time that it takes for them grows with the square of the number of lines.

    References
    ----------
    .. [1] Tao Qin and Tie-Yan Liu (2013). "Introducing LETOR 4.0 Datasets". arXiv:1306.2597.
    .. [2] LightGBM documentation, "Parameters", section "Query Data".

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skgraded.datasets import load_letor
    >>> lines = "2 qid:10 1:0.5 3:1 # first\n0 qid:10 2:0.25\n1 qid:11 1:1\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text(lines)
    ...     X, y, qid = load_letor(path)
    >>> X.toarray()
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ],
           [1.  , 0.  , 0.  ]])
    >>> y
    array([2, 0, 1])
    >>> qid
    array([10, 10, 11])
    """
    paths = _check_paths(path_or_paths)
    n_features = integer_or_none("n_features", n_features, 1, "the largest index in the files")
    missing = None if missing is None else _check_missing(missing)
    rules = _Rules(n_features, flag("zero_based", zero_based), missing, _check_dtype(dtype))
    parts = [_read(path, rules) for path in paths]
    qid = _query_ids(parts)
    return _stack([part.X for part in parts], n_features), _labels(parts), qid


@dataclass(frozen=True)
class _Rules:
    """The caller's arguments about the files."""

    n_features: int | None
    zero_based: bool
    missing: float | None
    dtype: type[np.floating[Any]]

    @property
    def first_index(self) -> int:
        return 0 if self.zero_based else 1


@dataclass(frozen=True)
class _Part:
    """One file's documents; `qid` is None where the lines have no query ids."""

    path: str
    X: Any
    y: NDArray[np.float64]
    qid: IntArray | None


class _Lines:
    """The data lines of an open file, for scikit-learn's reader.

    That reader has no line numbers, and appends each query id to a NumPy array, which copies all
    earlier ids. Therefore both are recorded here while it reads. `_faults` says what is wrong with
    the last line that it was given.

    The file is read in chunks, in which lines without data are passed over at once: some hundred
    kilobytes of a compressed file may hold a billion of them, or no line end at all.
    """

    def __init__(self, file: IO[bytes], missing: float | None) -> None:
        self._file = file
        self._missing = None if missing is None else repr(missing).encode("ascii")
        # scikit-learn recognises a file by this method, but only iterates over it.
        self.read = file.read
        self.number = 0
        self.data = b""
        self.is_endless = False
        self.n_rows = 0
        self.qid = array("q")

    def __iter__(self) -> Iterator[bytes]:
        for text in self._texts():
            before, seen = self.number, 0
            if text.isspace():  # far faster than to look for data
                self.number += text.count(b"\n")
                continue
            for found in _DATA.finditer(text):
                before += text.count(b"\n", seen, found.start())
                seen = found.start()
                self.number, self.data = before + 1, found[0]
                self._check()
                yield self._with_missing_values()
            self.number = before + text.count(b"\n", seen)

    def _texts(self) -> Iterator[bytes]:
        """Yield the file's text, cut at line ends; refuse a line before it fills the memory."""
        rest: list[bytes] = []
        length = 0
        while chunk := self._file.read(_CHUNK):
            start, zero, _ = chunk.partition(b"\0")
            lines, end, tail = start.rpartition(b"\n")
            self.is_endless = length + len(start.partition(b"\n")[0]) > _LONGEST_LINE
            if end and not self.is_endless:
                yield b"".join([*rest, lines, end])
                rest, length = [], 0
            rest.append(tail)
            length += len(tail)
            if zero or self.is_endless:
                self.number += 1
                self.data = b"".join([*rest, zero])
                raise ValueError("no line of text")
        yield b"".join(rest)

    def _check(self) -> None:
        self.n_rows += 1
        self._note_query(self.data.split(None, 2))
        # Python allows underscores in numbers, the format does not.
        if b"_" in self.data:
            raise ValueError("underscore")

    def _with_missing_values(self) -> bytes:
        if self._missing is None or b"NULL" not in self.data:
            return self.data
        return _NULL_VALUE.sub(self._missing, self.data)

    def _note_query(self, start: list[bytes]) -> None:
        if len(start) > 1 and start[1].startswith(b"qid"):
            self.qid.append(int(start[1].removeprefix(b"qid:")))
        if len(self.qid) not in (0, self.n_rows):
            raise ValueError("only some lines have a query id")


def _read(path: str, rules: _Rules) -> _Part:
    with _open(path) as file:
        lines = _Lines(file, rules.missing)
        try:
            X, y = load_svmlight_file(lines, dtype=rules.dtype, zero_based=rules.zero_based)
        except (ValueError, OverflowError) as error:
            raise _line_error(path, lines, rules) from error
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(
                f"{path}: cannot be decompressed beyond line {lines.number}; the file is cut off, "
                f"damaged or not a {Path(path).suffix} file ({error})."
            ) from error
    if lines.n_rows == 0:
        raise ValueError(f"{path}: the file must hold at least one document, got no data line.")
    row = _first_bad_row(X, y, rules.n_features)
    if row is not None:
        _raise_for_row(path, row, rules)
    qid = np.frombuffer(lines.qid, dtype=np.int64) if lines.qid else None
    return _Part(path, _narrowed(X), y, qid)


def _open(path: str) -> IO[bytes]:
    opener = _OPENERS.get(Path(path).suffix)
    return opener(path, "rb") if opener else open(path, "rb")


def _narrowed(X: Any) -> Any:
    """Make indices int32 where they fit: half the memory, and many estimators require it."""
    index_type = np.int32 if X.nnz <= _LARGEST_INDEX else np.int64
    X.indices = X.indices.astype(index_type, copy=False)
    X.indptr = X.indptr.astype(index_type, copy=False)
    return X


def _first_bad_row(X: Any, y: NDArray[np.float64], n_features: int | None) -> int | None:
    """Find the first row with a value that scikit-learn's reader accepts and we do not."""
    bad_rows = np.flatnonzero((y < 0) | np.isinf(y))[:1]
    bad_entries = np.flatnonzero(np.isinf(X.data))[:1]
    if n_features is not None and X.shape[1] > n_features:
        beyond = np.flatnonzero(X.indices >= n_features)[:1]
        bad_entries = np.concatenate((bad_entries, beyond))
    rows_of_entries = np.searchsorted(X.indptr, bad_entries, side="right") - 1
    rows = np.concatenate((bad_rows, rows_of_entries))
    return int(rows.min()) if len(rows) else None


def _raise_for_row(path: str, row: int, rules: _Rules) -> NoReturn:
    """Read the file again up to a row, and raise an error about its line."""
    with _open(path) as file:
        lines = _Lines(file, rules.missing)
        next(islice(lines, row, None))
        raise _line_error(path, lines, rules)


def _line_error(path: str, lines: _Lines, rules: _Rules) -> ValueError:
    fault = next(_faults(lines, rules), "the line cannot be read.")
    return ValueError(f"{path}:{lines.number}: {fault}")


def _faults(lines: _Lines, rules: _Rules) -> Iterator[str]:
    """Say what is wrong with the line that was read last, field by field."""
    if lines.is_endless:
        yield f"a line must have at most {_LONGEST_LINE:,} bytes, got {_shown(lines.data.strip())}."
    if not lines.data.isascii() or b"\0" in lines.data:
        yield (
            f"a line must be plain ASCII text, got {_shown(lines.data.strip())}; "
            "compressed files are recognised by the endings .gz, .bz2 and .xz."
        )
    label, *fields = (field.decode("ascii", "replace") for field in lines.data.split())
    yield from _label_faults(label)
    has_qid = bool(fields) and fields[0].startswith("qid")
    yield from _query_faults(fields[0] if has_qid else None, lines)
    previous = -1
    for field in fields[has_qid:]:
        yield from _feature_faults(field, previous, rules)
        previous = _integer(field.partition(":")[0]) or 0


def _label_faults(label: str) -> Iterator[str]:
    grade = _number(label)
    if grade is None:
        yield f"a line must start with a label, a number >= 0 or nan, got {_shown(label)}."
    elif grade < 0:
        yield (
            f"a label must be >= 0, got {_shown(label)}; write 0 for a document judged not "
            "relevant or worse (junk), nan for an unjudged one."
        )
    elif isinf(grade):
        yield f"a label must be finite or nan, got {_shown(label)}."


def _query_faults(field: str | None, lines: _Lines) -> Iterator[str]:
    if field is not None:
        qid = _integer(field.removeprefix("qid:"))
        if qid is None or not -(2**63) <= qid < 2**63:
            yield f"a query id must be written qid:<64-bit integer>, got {_shown(field)}."
        if len(lines.qid) < lines.n_rows:
            yield (
                "either all lines must have a query id or none, "
                f"got {_shown(field)} after lines without one."
            )
    elif lines.qid:
        yield (
            "either all lines must have a query id or none, "
            "got none right after the label, and one in every line before."
        )


def _feature_faults(field: str, previous: int, rules: _Rules) -> Iterator[str]:
    shown = _shown(field)
    name, _, text = field.partition(":")
    index, value = _integer(name), rules.missing if text == _NULL else _number(text)
    if name == "qid":
        yield f"a query id must stand right after the label, and once, got {shown} further on."
    elif index is not None and text == _NULL and value is None:
        yield (
            f"a feature value is missing, got {shown}; pass missing=float('nan') to read NULL as "
            "nan, or the number that it stands for."
        )
    elif index is None or value is None:
        yield (
            "a feature must be written index:value, with an integer as index and a number as "
            f"value, got {shown}."
        )
    elif index < rules.first_index:
        yield f"feature indices must be >= {rules.first_index}, got {shown}" + (
            "; if the file counts from 0, pass zero_based=True." if index == 0 else "."
        )
    elif index > _LARGEST_INDEX:
        yield f"feature indices must be <= {_LARGEST_INDEX}, got {shown}."
    elif rules.n_features is not None and index - rules.first_index >= rules.n_features:
        largest = rules.n_features - 1 + rules.first_index
        yield f"feature indices must be <= {largest} (n_features={rules.n_features}), got {shown}."
    elif index <= previous:
        yield f"feature indices must ascend, got {shown} after index {previous}."
    elif abs(value) > np.finfo(rules.dtype).max.item():
        yield f"a feature value must be finite (as {rules.dtype.__name__}) or nan, got {shown}."


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _integer(text: str) -> int | None:
    try:
        return None if "_" in text else int(text)
    except ValueError:
        return None


def _shown(value: str | bytes) -> str:
    return repr(value[:_LONGEST_QUOTE]) + ("..." if len(value) > _LONGEST_QUOTE else "")


def _query_ids(parts: list[_Part]) -> IntArray:
    """Join the query ids of all files, taking them from the sidecars if the lines have none."""
    ids = [part.qid for part in parts if part.qid is not None]
    if len(ids) == len(parts):
        return np.concatenate(ids)
    if ids:
        with_ids = next(part.path for part in parts if part.qid is not None)
        without = next(part.path for part in parts if part.qid is None)
        raise ValueError(
            "path_or_paths must be files that all have query ids in their lines or all have none, "
            f"got {with_ids} with and {without} without; read them in separate calls."
        )
    sizes = np.concatenate([_group_sizes(part) for part in parts])
    return np.repeat(np.arange(len(sizes)), sizes)


def _group_sizes(part: _Part) -> IntArray:
    sidecar = _sidecar(part.path)
    if sidecar is None:
        raise ValueError(
            f"{part.path}: the lines have no query ids, and there is no file of group sizes; "
            "either write qid:<id> after the label of every line, or put the number of documents "
            f"of each query, one number per line, into {part.path}.query."
        )
    with open(sidecar, "rb") as file:
        sizes = list(_parse_sizes(sidecar, file))
    if sum(sizes) != len(part.y):
        raise ValueError(
            f"{sidecar}: the group sizes must add up to the number of documents, "
            f"got a sum of {sum(sizes)} for {len(part.y)} documents in {part.path}."
        )
    return np.array(sizes, dtype=np.int64)


def _parse_sizes(sidecar: str, file: IO[bytes]) -> Iterator[int]:
    # A number is far shorter than this; what follows in the line is refused as well.
    lines = iter(lambda: file.readline(_LONGEST_SIZE), b"")
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not (text.isdigit() and len(text) <= _MOST_DIGITS_OF_INT64 and int(text) > 0):
            raise ValueError(
                f"{sidecar}:{number}: a group size must be a positive integer, "
                f"got {_shown(text.decode('ascii', 'backslashreplace'))}."
            )
        if text:
            yield int(text)


def _sidecar(path: str) -> str | None:
    """Path of the group sizes that belong to a data file."""
    candidates = [f"{path}.query"]
    stem, ending = os.path.splitext(path)
    if ending in _OPENERS:
        candidates.append(f"{stem}.query")
    return next(filter(os.path.exists, candidates), None)


def _labels(parts: list[_Part]) -> Labels:
    y = np.concatenate([part.y for part in parts])
    # A NaN is unequal to itself and so keeps the labels float.
    if np.array_equal(y, np.floor(y)) and y.max() <= _LARGEST_EXACT_INTEGER:
        return y.astype(np.int64)
    return y


def _stack(matrices: list[Any], n_features: int | None) -> Any:
    """Put matrices of unequal width one below the other."""
    width = n_features or max(X.shape[1] for X in matrices)
    for X in matrices:
        X.resize((X.shape[0], width))
    return matrices[0] if len(matrices) == 1 else sparse.vstack(matrices, format="csr")


def _check_paths(path_or_paths: object) -> list[str]:
    if isinstance(path_or_paths, Sequence) and not isinstance(path_or_paths, str | bytes):
        names = [_file_name(path) for path in path_or_paths]
    else:
        names = [_file_name(path_or_paths)]
    if not names:
        raise ValueError(f"path_or_paths must name at least one file, got {path_or_paths!r}.")
    for name in names:
        # Reading can take minutes; a file that is missing should be reported before.
        os.stat(name)
    return names


def _file_name(path: object) -> str:
    if isinstance(path, str | os.PathLike):
        return str(Path(path))
    raise TypeError(f"path_or_paths must be a path or a sequence of paths, got {path!r}.")


def _check_missing(missing: float) -> float:
    if not is_number(missing) or isinf(missing):
        raise ValueError(f"missing must be nan, a finite number or None, got {missing!r}.")
    return float(missing)


def _check_dtype(dtype: DTypeLike) -> type[np.floating[Any]]:
    for known in (np.float64, np.float32):
        if dtype in (known, np.dtype(known), np.dtype(known).name):
            return known
    raise ValueError(f"dtype must be np.float64 or np.float32, got {dtype!r}.")
