"""Reader of learning-to-rank files: SVMlight lines with query ids, or group sizes beside them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from skgraded._support.arguments import ArgumentError, first_true, flag, integer_or_none
from skgraded._support.array_types import IntArray
from skgraded.datasets._letor_lines import Lines, Rules, line_error, quoted

FilePath = str | os.PathLike[str]
Labels = NDArray[np.int64] | NDArray[np.float64]

_OPENERS: dict[str, Callable[[str, str], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_LARGEST_EXACT_INTEGER = 2.0**53
_MOST_DIGITS_OF_INT64 = 18
_LONGEST_SIZE = 1000  # bytes of a line with a group size


def load_letor(
    path_or_paths: FilePath | Sequence[FilePath],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
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
        where training and test set are read in separate calls.
    zero_based : bool, default=False
        Whether feature indices in the files count from 0. In LETOR they count from 1 (feature 1 is
        column 0 of `X`), and an index 0 is an error. Files made by
        :func:`sklearn.datasets.dump_svmlight_file` count from 0 by default.
    dtype : {np.float64, np.float32}, default=np.float64
        Data type of `X`.

    Returns
    -------
    X : sparse matrix of shape (n_documents, n_features), CSR
        Features. Explicit zeros in the file stay explicit.
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
        breaks a rule of the format or holds a negative or infinite label or an infinite value (the
        message starts with ``file:line:``); if an index is beyond `n_features`; if there are
        neither query ids nor group sizes; if the group sizes are not positive integers or do not
        add up to the number of documents.

    See Also
    --------
    make_ranking : Made-up data of this kind.
    sklearn.datasets.load_svmlight_file : The reader that is used inside.

    Notes
    -----
    The lines of a query need not be adjacent, and the same ``qid:`` in two files is the same query.
    Where lines have no ``qid:``, the group sizes are read from the file of the same name plus
    ``.query``, one size per line; for ``train.gz`` that is ``train.gz.query`` or else
    ``train.query``. Groups of different files are different queries. Files with ids and files with
    group sizes cannot be mixed in one call, since their ids could meet by accident.

    Missing values are written ``nan``; ``NULL``, as in some sets of LETOR 4.0, is an error. Blank
    lines and lines that are all comment are skipped.

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
    n_features = integer_or_none(
        "n_features", n_features, 1, "the largest index in the files"
    )
    first_index = 0 if flag("zero_based", zero_based) else 1
    rules = Rules(n_features, first_index, _check_dtype(dtype))

    files = [_read(path, rules) for path in paths]
    qid = _query_ids(files)
    X = _stack([file.X for file in files], n_features)
    return X, _labels(files), qid


class _FileContent(NamedTuple):
    """One file's documents; `qid` is None where the lines have no query ids."""

    path: str
    X: Any
    y: NDArray[np.float64]
    qid: IntArray | None


def _read(path: str, rules: Rules) -> _FileContent:
    open_file = _OPENERS.get(Path(path).suffix, open)
    with open_file(path, "rb") as file:
        lines = Lines(file)
        try:
            X, y = load_svmlight_file(
                lines, dtype=rules.dtype, zero_based=rules.first_index == 0
            )
        except (ValueError, OverflowError) as error:
            raise line_error(path, lines, rules) from error
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(
                f"{path}: cannot be decompressed beyond line {lines.number}; the file is cut off, "
                f"damaged or not a {Path(path).suffix} file ({error})."
            ) from error

    if not lines.numbers:
        raise ValueError(
            f"{path}: the file must hold at least one document, got no data line."
        )
    _refuse_bad_values(path, X, y, lines, rules)

    # Its indices are int32 where they fit: half the memory, and many estimators require it.
    X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
    qid = np.frombuffer(lines.qid, dtype=np.int64) if lines.qid else None
    return _FileContent(path, X, y, qid)


def _refuse_bad_values(
    path: str, X: Any, y: NDArray[np.float64], lines: Lines, rules: Rules
) -> None:
    """Refuse values that scikit-learn's reader accepts and we do not."""
    first = rules.first_index
    n_features = rules.n_features
    width = X.shape[1]
    if n_features is not None and width > n_features:
        raise ValueError(
            f"{path}: feature indices must be <= {n_features - 1 + first} "
            f"(n_features={n_features}), got {width - 1 + first}."
        )

    is_bad = (y < 0) | np.isinf(y)
    row = first_true(is_bad)
    if row is not None:
        raise ValueError(
            f"{path}:{lines.numbers[row]}: a label must be finite and >= 0, or nan, got "
            f"{y[row]:g}; write 0 for a document judged not relevant or worse (junk), nan for an "
            "unjudged one."
        )

    entry = first_true(np.isinf(X.data))
    if entry is not None:
        next_row = np.searchsorted(X.indptr, entry, side="right")
        row = int(next_row) - 1
        raise ValueError(
            f"{path}:{lines.numbers[row]}: a feature value must be finite (as "
            f"{rules.dtype.__name__}) or nan, got {X.indices[entry] + first}:{X.data[entry]:g}."
        )


def _query_ids(files: list[_FileContent]) -> IntArray:
    """Join the query ids of all files, taking them from the sidecars if the lines have none."""
    ids = [file.qid for file in files if file.qid is not None]
    if len(ids) == len(files):
        return np.concatenate(ids)

    if ids:
        has_ids = [file.qid is not None for file in files]
        with_ids = files[has_ids.index(True)].path
        without = files[has_ids.index(False)].path
        raise ArgumentError(
            "path_or_paths",
            "must be files that all have query ids in their lines or all have none, got "
            f"{with_ids} with and {without} without; read them in separate calls.",
        )

    sizes = np.concatenate([_group_sizes(file) for file in files])
    return np.repeat(np.arange(len(sizes)), sizes)


def _group_sizes(content: _FileContent) -> IntArray:
    path = content.path
    sidecar = _sidecar(path)
    if sidecar is None:
        raise ValueError(
            f"{path}: the lines have no query ids, and there is no file of group sizes; "
            "either write qid:<id> after the label of every line, or put the number of documents "
            f"of each query, one number per line, into {path}.query."
        )

    with open(sidecar, "rb") as file:
        sizes = list(_parse_sizes(sidecar, file))
    if sum(sizes) != len(content.y):
        raise ValueError(
            f"{sidecar}: the group sizes must add up to the number of documents, "
            f"got a sum of {sum(sizes)} for {len(content.y)} documents in {path}."
        )
    return np.array(sizes, dtype=np.int64)


def _parse_sizes(sidecar: str, file: IO[bytes]) -> Iterator[int]:
    # A number is far shorter than this; what follows in the line is refused as well.
    lines = iter(lambda: file.readline(_LONGEST_SIZE), b"")
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text:
            continue

        is_int64 = text.isdigit() and len(text) <= _MOST_DIGITS_OF_INT64
        if not is_int64 or int(text) <= 0:
            raise ValueError(
                f"{sidecar}:{number}: a group size must be a positive integer, "
                f"got {quoted(text.decode('ascii', 'backslashreplace'))}."
            )
        yield int(text)


def _sidecar(path: str) -> str | None:
    """Path of the group sizes that belong to a data file."""
    stem, ending = os.path.splitext(path)
    sidecars = [f"{path}.query"]
    if ending in _OPENERS:
        sidecars.append(f"{stem}.query")
    return next(filter(os.path.exists, sidecars), None)


def _labels(files: list[_FileContent]) -> Labels:
    y = np.concatenate([file.y for file in files])
    # A NaN is unequal to itself and so keeps the labels float.
    are_whole = np.array_equal(y, np.floor(y))
    if are_whole and y.max() <= _LARGEST_EXACT_INTEGER:
        return y.astype(np.int64)
    return y


def _stack(matrices: list[Any], n_features: int | None) -> Any:
    """Put matrices of unequal width one below the other."""
    width = n_features or max(X.shape[1] for X in matrices)
    for X in matrices:
        X.resize((X.shape[0], width))
    if len(matrices) == 1:
        return matrices[0]
    return sparse.vstack(matrices, format="csr")


def _check_paths(path_or_paths: Any) -> list[str]:
    is_text = isinstance(path_or_paths, str | bytes)
    if isinstance(path_or_paths, Sequence) and not is_text:
        paths = path_or_paths
    else:
        paths = [path_or_paths]
    names = list(map(_file_name, paths))
    if not names:
        raise ArgumentError(
            "path_or_paths", f"must name at least one file, got {path_or_paths!r}."
        )

    # Reading can take minutes; a file that is missing should be reported before.
    for name in names:
        os.stat(name)
    return names


def _file_name(path: object) -> str:
    if isinstance(path, str | os.PathLike):
        return str(Path(path))
    raise TypeError(
        f"path_or_paths must be a path or a sequence of paths, got {path!r}."
    )


def _check_dtype(dtype: DTypeLike) -> type[np.floating[Any]]:
    for kind in (np.float64, np.float32):
        forms = (kind, np.dtype(kind), kind.__name__)
        if dtype in forms:
            return kind
    raise ArgumentError("dtype", f"must be np.float64 or np.float32, got {dtype!r}.")
