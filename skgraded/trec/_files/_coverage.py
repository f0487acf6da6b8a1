"""Differences between the topics of a run and those of the qrels, as numbers and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skgraded._text import count, first_few

__all__ = ["Coverage", "notes_on_coverage"]


class Coverage(NamedTuple):
    """Topics and documents that a run's scores do not show.

    Attributes
    ----------
    n_documents : int
        Retrieved documents of the topics that were scored.
    missing : tuple of str
        Topics of the qrels that the run lacks.
    extra : tuple of str
        Topics of the run that the qrels lack; they were left out.
    n_duplicates : int
        Lines that were left out because they repeated a document of their topic.
    """

    n_documents: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    n_duplicates: int

    def notes(self, name: str, complete: bool = True) -> list[str]:
        """Describe in sentences what was left out.

        Parameters
        ----------
        name : str
            Name of the run.
        complete : bool, default=True
            Whether a topic that the run lacks counts as an empty list.

        Returns
        -------
        list of str
            The sentences; none if nothing was left out.

        Examples
        --------
        >>> from skgraded import trec
        >>> run = trec.read_run({"q1": {"d1": 2.0}, "q9": {"d1": 1.0}}, name="bm25")
        >>> run.coverage(["q1"]).notes(run.name)
        ['1 system with topics outside the qrels, left out: bm25 (1).']
        """
        return notes_on_coverage([name], [self], complete)


def notes_on_coverage(
    systems: Sequence[str], coverage: Sequence[Coverage], complete: bool = True
) -> list[str]:
    """Describe in sentences what was left out of several runs."""
    fate = "counts as an empty list" if complete else "is left out of the run's mean"
    told = {
        f"without all topics of the qrels; a missing topic {fate}": [
            len(each.missing) for each in coverage
        ],
        "with topics outside the qrels, left out": [len(each.extra) for each in coverage],
        "with repeated documents, of which the first counts": [
            each.n_duplicates for each in coverage
        ],
    }
    notes = []
    for what, counts in told.items():
        those = [f"{name} ({n})" for name, n in zip(systems, counts, strict=True) if n]
        if those:
            notes.append(f"{count(len(those), 'system')} {what}: {first_few(those)}.")
    return notes
