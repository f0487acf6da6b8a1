"""Tables of comparisons, for the screen and for papers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.results_base import Field, Table
from skgraded._support.text import WIDTH, shorten

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

# More pairs are not listed one by one, unless all have the baseline.
_MOST_PAIRS = 20
_SMALLEST_SHOWN = 0.0001
_WIDEST_LABEL = 44
# The last columns, from wins on, which text leaves out where they do not fit.
_N_SPARE = 4
_MOST_IN_SENTENCES = 3
_SEVERAL = 2


def tables_of(comparison: Comparison, n_rows: int | None) -> list[Table]:
    """Return the tables of all measures, with notes below the last one."""
    tables = []
    if len(comparison.pairs) == 1 and len(comparison) > 1:
        tables.append(_table_of_means(comparison))
        tables.append(_table_of_rows(comparison))
    else:
        for name in comparison:
            of_measure = comparison[name]
            tables.append(_means_table(of_measure, n_rows))
            if are_listed(comparison):
                tables.append(_table_of_rows(of_measure, n_rows))

    on_rows = _note_on_rows(comparison, n_rows)
    notes = [f"{comparison.tested}.", on_rows, *comparison.notes]
    tables[-1] = tables[-1]._replace(notes=notes)
    return tables


def best_first(comparison: Comparison) -> IntArray:
    """Return the places of the systems in the order of their means by the first measure."""
    better_means = comparison.directions[0] * comparison.means[:, 0]
    return np.argsort(-better_means, kind="stable")


def gains(comparison: Comparison) -> FloatArray:
    """Return by how much the first system of each pair is better by the first measure."""
    better: FloatArray = comparison.directions[0] * comparison.difference[:, 0]
    return better


def are_listed(comparison: Comparison) -> bool:
    """Whether the pairs are so few that each is shown by itself."""
    return comparison.baseline is not None or len(comparison.pairs) <= _MOST_PAIRS


def pair_names(comparison: Comparison) -> list[str]:
    """Return the names of the pairs."""
    systems = comparison.systems
    return [
        f"{systems[first]} - {systems[second]}" for first, second in comparison.pairs
    ]


def _beats(comparison: Comparison) -> BoolArray:
    """Return whether the row's system is significantly better than the column's."""
    better = gains(comparison)
    matrix = np.zeros((len(comparison.systems),) * 2, dtype=bool)
    first, second = comparison.pairs.T
    is_significant = comparison.significant[:, 0]
    matrix[first, second] = is_significant & (better > 0)
    matrix[second, first] = is_significant & (better < 0)
    return matrix


def _table_of_rows(
    comparison: Comparison, n_rows: int | None = None, title: str = ""
) -> Table:
    """Make the table of differences: of pairs by one measure, or of one pair by measures."""
    fields = comparison._fields()
    order = np.arange(len(fields[0].values))
    if len(comparison) > 1:
        title = pair_names(comparison)[0]
        fields[0] = fields[0]._replace(heading="measure")
        fields[1] = fields[1]._replace(heading=None)
    elif comparison.baseline is not None:
        order = np.argsort(-gains(comparison), kind="stable")

    rows = order[:n_rows]
    fields = [field._replace(values=np.array(field.values)[rows]) for field in fields]

    # Where a column says what is asked, that of the queries does not fit, either.
    asks_apart = len(set(comparison.margins or ())) >= _SEVERAL
    return Table(
        fields,
        title=title,
        widest_label=_WIDEST_LABEL,
        n_spare=_N_SPARE + asks_apart,
        spare_notes=[_spare_note(comparison)],
    )


def _spare_note(comparison: Comparison) -> str:
    """Say what the columns hold that do not fit: of few rows as they are."""
    names: Sequence[str] = comparison.measures
    if len(comparison) == 1:
        names = pair_names(comparison)
    if len(names) > _MOST_IN_SENTENCES:
        return (
            "Queries, wins, ties, losses and the worst loss up to which each row holds: "
            "to_frame(), --format csv, or to_text(width=120)."
        )

    parts = []
    all_rows = np.ones(comparison.wins.shape, dtype=bool)
    needed = comparison._queries_that_decide(all_rows)
    for name, row in zip(names, np.ndindex(all_rows.shape), strict=True):
        counts = [comparison.wins[row], comparison.ties[row], comparison.losses[row]]
        part = "{}: {} wins, {} ties, {} losses".format(name, *counts)

        worst = float(comparison.holds_to_worst[row])
        if not np.isnan(worst):
            verb = "holds" if comparison._is_decided[row] else "would hold"
            part = f"{part}, {verb} up to a loss of {rounded_down(worst)}"
        if len(comparison) > 1 and np.isfinite(needed[row]):
            part = f"{part}, needs about {needed[row]:,.0f} queries"
        parts.append(part)
    return f"{'; '.join(parts)}."


def _table_of_means(comparison: Comparison) -> Table:
    """Make the table of the means by all measures."""
    order = best_first(comparison)
    names = [comparison.systems[place] for place in order]
    fields = [Field("system", names, "system")]
    for place, name in enumerate(comparison):
        means = comparison.means[order, place]
        fields.append(Field(name, means, shorten(name), "{:.4f}"))
    return Table(fields)


def tables_for_papers(comparison: Comparison) -> list[Table]:
    """Return one table of all means, with marks of what each one beats, and the differences."""
    order = best_first(comparison)
    names = [comparison.systems[place] for place in order]
    if comparison.baseline is None:
        letters = list(ascii_lowercase[: len(order)])
        if len(order) > len(letters):
            letters = [str(rank) for rank in range(1, len(order) + 1)]
        names = [
            f"({letter}) {name}" for letter, name in zip(letters, names, strict=True)
        ]
        explanation = "Superscripts: significantly better than these systems."
    else:
        letters = []
        explanation = f"*: differs significantly from {comparison.baseline}."

    fields = [Field("system", names, "system")]
    for name in comparison:
        of_measure = comparison[name]
        fields.append(
            Field(
                name,
                of_measure.means[order, 0],
                name,
                form="{:.4f}",
                best=of_measure.directions[0],
                marks=_marks(of_measure, order, letters),
            )
        )

    notes = [f"{explanation} {comparison.tested}.", *comparison.notes]
    tables = [Table(fields, notes)]
    if are_listed(comparison):
        tables += [_table_of_rows(comparison[name], title=name) for name in comparison]
    return tables


def _marks(comparison: Comparison, order: IntArray, letters: list[str]) -> list[str]:
    """Return what papers have behind the means: letters of the beaten systems, or a star."""
    if letters:
        between = ""
        if letters[0].isdigit():
            between = ","
        beats = _beats(comparison)[np.ix_(order, order)]
        return [between.join(np.array(letters)[row]) for row in beats]

    is_significant = comparison.significant[:, 0]
    differing = comparison.pairs[is_significant, 0]
    return np.where(np.isin(order, differing), "*", "").tolist()


def _note_on_rows(comparison: Comparison, n_rows: int | None) -> str:
    """Say what the tables leave out."""
    n_pairs = len(comparison.pairs)
    n_most = len(comparison.systems)
    if are_listed(comparison):
        n_most = max(n_most, n_pairs)

    extracts = []
    if n_rows is not None and n_rows < n_most:
        extracts.append(f"the first {n_rows} of {n_most} rows")
    if not are_listed(comparison):
        extracts.append(f"none of {n_pairs:,} pairs")
    if not extracts:
        return ""
    return f"Shown are {' and '.join(extracts)}: to_frame(), or --format csv, has all."


def _means_table(comparison: Comparison, n_rows: int | None) -> Table:
    """Make the table of the means, the best system first, with the numbers of those it beats."""
    order = best_first(comparison)
    best = order[:n_rows]
    digits = len(str(len(order)))
    labels = []
    for rank, place in enumerate(best, start=1):
        labels.append(f"{rank:>{digits}} {comparison.systems[place]}")
    label_heading = " " * digits + " system"

    heading = shorten(comparison.measures[0])
    means = [f"{comparison.means[place, 0]:.4f}" for place in best]
    fields = [Field("system", labels, label_heading), Field("mean", means, heading)]
    if comparison.baseline is not None:
        return Table(fields)

    # What each one beats has the rest of the line.
    label_width = _widest([label_heading, *map(shorten, labels)])
    room = WIDTH - label_width - _widest([heading, *means]) - len("    ")
    cells = []
    for row in _beats(comparison)[np.ix_(best, order)]:
        ranks = _ranges(np.flatnonzero(row) + 1)
        cells.append(textwrap.shorten(ranks, room, placeholder=" ..."))
    widest = _widest(["beats", *cells])
    cells = [cell.ljust(widest) for cell in cells]
    fields.append(Field("beats", cells, "beats".ljust(widest)))
    return Table(fields)


def _widest(texts: list[str]) -> int:
    return max(map(len, texts))


def _ranges(numbers: NDArray[np.intp]) -> str:
    """Write ascending numbers with consecutive ones as a range, such as ``2 4-7``."""
    if not len(numbers):
        return ""
    is_gap = np.diff(numbers) > 1
    words = []
    for run in np.split(numbers, np.flatnonzero(is_gap) + 1):
        words.append(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]))
    return " ".join(words)


def p_value_in_words(value: float, /, **_: Any) -> str:
    """Write a p-value with four digits."""
    if np.isnan(value):
        return ""
    if value < _SMALLEST_SHOWN:
        return f"<{_SMALLEST_SHOWN}"
    return f"{value:.4f}"


def or_dash(value: float, /, **_: Any) -> str:
    """Write a number of queries; a dash where no number is enough."""
    if np.isnan(value):
        return ""
    return f"{value:,.0f}" if np.isfinite(value) else "-"


def rounded_down(value: float, /, **_: Any) -> str:
    """Write a worst loss so that a row holds up to it."""
    if np.isnan(value):
        return ""
    percent = np.floor(100.0 * value + 1e-9)
    return f"{percent / 100.0:.2f}"
