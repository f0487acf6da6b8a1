"""Comparisons as tables: the means with the systems that each one beats, and the differences."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.paired import TESTS
from skgraded._text import WIDTH, count, shorten
from skgraded._writers import Table

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# More pairs are not listed one by one, unless all have the baseline.
_MOST_PAIRS = 20
_SMALLEST_SHOWN = 0.0001
_WIDEST_LABEL = 44
_N_LETTERS = len(ascii_lowercase)


def best_first(found: Comparison) -> IntArray:
    """Return the places of the systems in the order of their means by the only measure."""
    return np.argsort(-found.directions[0] * found.means[:, 0], kind="stable")


def beats(found: Comparison) -> BoolArray:
    """Return whether the row's system is significantly better than the column's."""
    better = found.directions[0] * found.difference[:, 0]
    matrix = np.zeros((len(found.systems),) * 2, dtype=bool)
    first, second = found.pairs.T
    matrix[first, second] = found.significant[:, 0] & (better > 0)
    matrix[second, first] = found.significant[:, 0] & (better < 0)
    return matrix


def _first_test_of(found: Comparison) -> str:
    """Name the test that decides what is significant, if there are several."""
    if len(found.p_value) == 1:
        return ""
    title = TESTS[next(iter(found.p_value))].title
    return f" by {title}" if title[0].isupper() else f" by the {title}"


def tables_of(
    found: Comparison, n_rows: int | None, widest: int | None = _WIDEST_LABEL
) -> list[Table]:
    """Return the tables of all measures, with notes below the last one."""
    tables = []
    for name in found:
        of_measure = found[name]
        tables.append(_means_table(of_measure, n_rows))
        if are_listed(found):
            tables.append(_pairs_table(of_measure, n_rows, widest))
    notes = [f"{found.tested}.", *_notes_on_rows(found, n_rows), *found.notes]
    if found.baseline is None and (by := _first_test_of(found)):
        notes.insert(1, f"The column beats is{by}.")
    return [*tables[:-1], tables[-1]._replace(notes=notes)]


def tables_for_papers(found: Comparison) -> list[Table]:
    """Return one table of all means, with letters for what each one beats, and the differences."""
    order = best_first(found[found.measures[0]])
    letters = np.array(list(map(_letter, range(len(order)))), dtype=object)
    labels = [
        "system",
        *(f"({a}) {found.systems[at]}" for a, at in zip(letters, order, strict=True)),
    ]
    columns, superscripts = [], []
    for name in found:
        of_measure = found[name]
        columns.append((name, [f"{each:.4f}" for each in of_measure.means[order, 0]]))
        beaten = beats(of_measure)[np.ix_(order, order)]
        superscripts.append(
            [("," if len(order) > _N_LETTERS else "").join(letters[row]) for row in beaten]
        )
    meaning = f"significantly better than these systems{_first_test_of(found)}"
    told = f"Superscripts: {meaning}. {found.tested}."
    means = Table(labels, columns, [told, *found.notes], superscripts=superscripts)
    if not are_listed(found):
        return [means]
    pairs = [_pairs_table(found[name], None, None)._replace(title=name) for name in found]
    return [means, *pairs]


def _letter(place: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    rest, last = divmod(place, _N_LETTERS)
    return (_letter(rest - 1) if rest else "") + ascii_lowercase[last]


def are_listed(found: Comparison) -> bool:
    """Whether the pairs are so few that each is shown by itself."""
    return found.baseline is not None or len(found.pairs) <= _MOST_PAIRS


def _notes_on_rows(found: Comparison, n_rows: int | None) -> list[str]:
    """Say what the tables leave out."""
    notes = []
    if n_rows is not None and n_rows < len(found.systems):
        notes.append(f"{count(len(found.systems), 'system')}, the first {n_rows} shown.")
    if not are_listed(found):
        notes.append(f"{len(found.pairs):,} pairs: to_frame() has their differences and intervals.")
    elif n_rows is not None and n_rows < len(found.pairs):
        notes.append(f"{len(found.pairs):,} pairs, the first {n_rows} shown; to_frame() has all.")
    return notes


def _means_table(found: Comparison, n_rows: int | None) -> Table:
    """Make the table of the means, the best system first, with the numbers of those it beats."""
    order = best_first(found)
    shown = order[:n_rows]
    digits = len(str(len(order)))
    labels = [f"{at:>{digits}} {found.systems[each]}" for at, each in enumerate(shown, start=1)]
    labels.insert(0, " " * digits + " system")
    means = [shorten(found.measures[0]), *(f"{found.means[each, 0]:.4f}" for each in shown)]
    columns = [means]
    if found.baseline is None:
        rows = [np.flatnonzero(row) + 1 for row in beats(found)[np.ix_(shown, order)]]
        taken = [max(len(shorten(each)) for each in labels), max(map(len, means)), len("    ")]
        room = WIDTH - sum(taken)
        columns.append(_left_aligned([_cut(each, room) for each in ["beats", *map(_ranges, rows)]]))
    return Table(labels, [(each[0], each[1:]) for each in columns])


def _pairs_table(found: Comparison, n_rows: int | None, widest: int | None) -> Table:
    """Make the table of the differences, with intervals and p-values."""
    low, high = found.interval[:n_rows, 0].T
    columns = [
        ("difference", [f"{each:+.4f}" for each in found.difference[:n_rows, 0]]),
        (
            f"{100.0 * found.confidence:g}% interval",
            [f"[{a:+.4f}, {b:+.4f}]" for a, b in zip(low, high, strict=True)],
        ),
        *(
            (TESTS[test].heading, [_p_value(each) for each in p_value[:n_rows, 0]])
            for test, p_value in found.p_value.items()
        ),
    ]
    if found.decisions is not None:
        decided = [str(each) for each in found.decisions[:n_rows, 0]]
        columns.append((f"margin {found.margin:g}" if found.margin else "better", decided))
    names = pair_names(found, widest)[:n_rows]
    return Table(["pair", *names], columns, widest_label=_WIDEST_LABEL)


def pair_names(found: Comparison, widest: int | None = None) -> list[str]:
    """Write all pairs, so that neither of two long names is lost where labels are cut."""
    names = []
    for one, other in found.pairs:
        pair = [found.systems[one], found.systems[other]]
        if widest is not None and len(" - ".join(pair)) > widest:
            pair = [shorten(name, (widest - len(" - ")) // 2) for name in pair]
        names.append(" - ".join(pair))
    return names


def _ranges(numbers: NDArray[np.intp]) -> str:
    """Write ascending numbers with consecutive ones as a range, such as ``2 4-7``."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(numbers) else []
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _cut(cell: str, room: int) -> str:
    """Leave out the last words of a cell that is too wide."""
    return cell if len(cell) <= room else cell[: room - 3].rpartition(" ")[0] + " ..."


def _left_aligned(cells: list[str]) -> list[str]:
    return [cell.ljust(max(map(len, cells))) for cell in cells]


def _p_value(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.4f}" if value >= _SMALLEST_SHOWN else f"<{_SMALLEST_SHOWN}"
