"""Repeats of a cross-validation in files that the user names, from which a stopped run resumes.

A file holds the arrays of one repeat and a few words about it: the ranker's name, the measures, the
settings of the training, and a hash of the data. What cannot be written down in words, such as the
code behind a name, is not checked: take another folder after you change it.
"""

import dataclasses
import hashlib
import os
import re

import numpy as np

from skgraded.results import Scores, direction_of

ARRAYS = ("qid", "values", "folds")


def file_of(folder, name, repeat):
    """Return the file of a repeat; of names that share a file, `kept` refuses the second."""
    return folder / f"{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}.{repeat}.npz"


def hash_of(*arrays):
    """Return a hash of the values of arrays."""
    digest = hashlib.sha256()
    for each in arrays:
        digest.update(
            f"{each.dtype} {each.shape} ".encode()
            + np.ascontiguousarray(each).tobytes()
        )
    return digest.hexdigest()[:16]


def kept(path, about, validate):
    """Return the repeat in a file; if there is no file yet, validate and write it.

    The repeat is the arrays of a `Scores`. `about` maps words to texts, which must be those of the
    file.
    """
    if not path.exists():
        write(path, about, validate())
    with np.load(path) as stored:
        for word, text in about.items():
            if str(stored[word]) != text:
                raise SystemExit(
                    f"{path} holds a repeat of another {word} ({stored[word]} instead of {text}): "
                    "take another folder, or delete the file."
                )
        return {name: stored[name] for name in ARRAYS}


def write(path, about, found):
    """Write a file under another name and rename it, so that no file is ever half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    with part.open("wb") as file:
        np.savez(file, **about, **{name: getattr(found, name) for name in ARRAYS})
    part.replace(path)


def joined(repeats, measures):
    """Put repeats together as one repeated cross-validation, to hand to `compare`."""
    names, directions = tuple(map(str, measures)), tuple(map(direction_of, measures))
    queries, n_splits = repeats[0]["qid"].tolist(), repeats[0]["folds"].max() + 1
    aligned = [
        Scores(measures=names, directions=directions, **each).select(qid=queries)
        for each in repeats
    ]
    return dataclasses.replace(
        aligned[0],
        values=np.concatenate([each.values for each in aligned]),
        folds=np.concatenate(
            [each.folds + n_splits * n for n, each in enumerate(aligned)]
        ),
    )
