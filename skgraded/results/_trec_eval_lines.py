"""Scores in the lines that trec_eval prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from skgraded._support.writers import visible

if TYPE_CHECKING:
    from skgraded.results._scores import Scores


def as_trec_eval_lines(scores: Scores, per_query: bool = False, average: str = "arithmetic") -> str:
    """Write the means, and if asked for the values of all queries, as trec_eval does.

    Parameters
    ----------
    scores : Scores
        Values of systems, without repeats.
    per_query : bool, default=False
        Whether to write a line for each query, too.
    average : {"arithmetic", "geometric"}, default="arithmetic"
        The kind of mean.

    Returns
    -------
    str
        Lines of a measure, a query or ``all``, and a value with four decimals; nan has no line.

    Raises
    ------
    ValueError
        If a name holds control characters, such as ends of lines, which would make other lines.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import as_trec_eval_lines
    >>> print(as_trec_eval_lines(evaluate(["AP"], [1, 0], {"a": [2, 1]})).expandtabs(2), end="")
    runid                   all a
    AP                      all 1.0000
    """
    names = list(scores)
    queries = [str(each) for each in scores.qid.tolist()]
    systems = scores.systems or ("",)
    for name in (*systems, *queries, *names):
        if visible(name) != name:
            raise ValueError(
                "The lines of trec_eval have no place for control characters, got "
                f"{visible(name)!r} as a name."
            )
    averaged = [f"gm_{name}" for name in names] if average == "geometric" else names
    lines = []
    means = scores._means(average).tolist()
    for system, of_system, by_query in zip(systems, means, scores._cube[:, 0], strict=True):
        lines.append(f"{'runid':<22}\tall\t{system}")
        if per_query:
            for query, values in zip(queries, by_query.tolist(), strict=True):
                lines += _lines_of(query, names, values)
        lines += _lines_of("all", averaged, of_system)
    return "\n".join(lines) + "\n"


def _lines_of(query: str, names: list[str], values: list[float]) -> list[str]:
    return [
        f"{name:<22}\t{query}\t{value:6.4f}"
        for name, value in zip(names, values, strict=True)
        if not math.isnan(value)
    ]
