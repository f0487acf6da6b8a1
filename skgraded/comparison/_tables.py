"""Tables of comparisons, for the screen and for papers."""

from __future__ import annotations

import textwrap
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import BoolArray, IntArray
from skgraded._support.results_base import Field, Table
from skgraded._support.text import WIDTH, shorten

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

# More pairs are not listed one by one, unless all have the baseline.
_MOST_PAIRS = 20
_SMALLEST_SHOWN = 0.0001
_WIDEST_LABEL = 44
_N_LETTERS = len(ascii_lowercase)
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
    notes = [
        f"{comparison.tested}.",
        _note_on_rows(comparison, n_rows),
        *comparison.notes,
    ]
    return [*tables[:-1], tables[-1]._replace(notes=notes)]


def best_first(comparison: Comparison) -> IntArray:
    """Return the places of the systems in the order of their means by the first measure."""
    better_means = comparison.directions[0] * comparison.means[:, 0]
    return np.argsort(-better_means, kind="stable")


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
    better = comparison.directions[0] * comparison.difference[:, 0]
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
        better = comparison.directions[0] * comparison.difference[:, 0]
        order = np.argsort(-better, kind="stable")

    fields = [
        field._replace(values=np.array(field.values)[order[:n_rows]])
        for field in fields
    ]
    # Where a column says what is asked, that of the queries does not fit, either.
    asks_alike = len(set(comparison.margins or ())) < _SEVERAL
    return Table(
        fields,
        title=title,
        widest_label=_WIDEST_LABEL,
        n_spare=_N_SPARE if asks_alike else _N_SPARE + 1,
        spare_notes=[_spare_note(comparison)],
    )


def _spare_note(comparison: Comparison) -> str:
    """Say what the columns hold that do not fit: of few rows as they are."""
    names = pair_names(comparison) if len(comparison) == 1 else comparison.measures
    if len(names) > _MOST_IN_SENTENCES:
        return (
            "Queries, wins, ties, losses and the worst loss up to which each row holds: "
            "to_frame(), --format csv, or to_text(width=120)."
        )

    parts = []
    counts = (comparison.wins, comparison.ties, comparison.losses)
    needed_by_row = comparison._queries_that_decide(np.full(counts[0].shape, True))
    holds = (comparison.holds_to_worst, comparison._is_decided)
    columns = (*counts, *holds, needed_by_row)
    rows = zip(names, *(column.ravel() for column in columns), strict=True)
    for name, wins, ties, losses, worst, is_decided, needed in rows:
        part = f"{name}: {wins} wins, {ties} ties, {losses} losses"
        if not np.isnan(worst):
            verb = "holds" if is_decided else "would hold"
            part = f"{part}, {verb} up to a loss of {rounded_down(worst)}"
        if len(comparison) > 1 and np.isfinite(needed):
            part = f"{part}, needs about {needed:,.0f} queries"
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
        letters = [_letter(place) for place in range(len(order))]
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
        between = "," if len(order) > _N_LETTERS else ""
        beats = _beats(comparison)[np.ix_(order, order)]
        return [between.join(np.array(letters)[row]) for row in beats]
    differing = set(comparison.pairs[comparison.significant[:, 0], 0].tolist())
    return ["*" if place in differing else "" for place in order]


def _letter(place: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    rounds, last = divmod(place, _N_LETTERS)
    return (_letter(rounds - 1) if rounds else "") + ascii_lowercase[last]


def _note_on_rows(comparison: Comparison, n_rows: int | None) -> str:
    """Say what the tables leave out."""
    n_pairs = len(comparison.pairs) if are_listed(comparison) else 0
    n_most = max(len(comparison.systems), n_pairs)
    shown = []
    if n_rows is not None and n_rows < n_most:
        shown.append(f"the first {n_rows} of {n_most} rows")
    if not n_pairs:
        shown.append(f"none of {len(comparison.pairs):,} pairs")
    if not shown:
        return ""
    return f"Shown are {' and '.join(shown)}: to_frame(), or --format csv, has all."


def _means_table(comparison: Comparison, n_rows: int | None) -> Table:
    """Make the table of the means, the best system first, with the numbers of those it beats."""
    order = best_first(comparison)
    shown = order[:n_rows]
    digits = len(str(len(order)))
    labels = [
        f"{rank:>{digits}} {comparison.systems[place]}"
        for rank, place in enumerate(shown, start=1)
    ]
    heading = shorten(comparison.measures[0])
    means = [f"{comparison.means[place, 0]:.4f}" for place in shown]
    label_heading = " " * digits + " system"
    fields = [Field("system", labels, label_heading), Field("mean", means, heading)]

    if comparison.baseline is None:
        beats = _beats(comparison)[np.ix_(shown, order)]
        label_width = max(map(len, [label_heading, *map(shorten, labels)]))
        room = WIDTH - label_width - max(map(len, [heading, *means])) - len("    ")
        cells = [
            textwrap.shorten(_ranges(np.flatnonzero(row) + 1), room, placeholder=" ...")
            for row in beats
        ]
        widest = max(map(len, ["beats", *cells]))
        cells = [cell.ljust(widest) for cell in cells]
        fields.append(Field("beats", cells, "beats".ljust(widest)))
    return Table(fields)


def _ranges(numbers: NDArray[np.intp]) -> str:
    """Write ascending numbers with consecutive ones as a range, such as ``2 4-7``."""
    if not len(numbers):
        return ""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return " ".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs
    )


def p_value_in_words(value: float, /, **_: Any) -> str:
    """Write a p-value with four digits."""
    if np.isnan(value):
        return ""
    return f"{value:.4f}" if value >= _SMALLEST_SHOWN else f"<{_SMALLEST_SHOWN}"


def or_dash(value: float, /, **_: Any) -> str:
    """Write a number of queries; a dash where no number is enough."""
    if np.isnan(value):
        return ""
    return f"{value:,.0f}" if np.isfinite(value) else "-"


def rounded_down(value: float, /, **_: Any) -> str:
    """Write a worst loss so that a row holds up to it."""
    return "" if np.isnan(value) else f"{np.floor(100.0 * value + 1e-9) / 100.0:.2f}"
