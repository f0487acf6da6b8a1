"""The names that trec_eval takes: nicknames of many measures, and parameters after a point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from skgraded.conventions._lookup import measure_as
from skgraded.measures import Measure

_HIGHEST_GRADE = 10_000  # of which gains are listed
_COUNTS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
_NO_MEASURES = ("runid", "num_q", "relstring", *_COUNTS)
_OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")
# In the order in which they are printed, whatever the order in which they are asked for.
_ALL = (
    *_OFFICIAL,
    *("relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *(*_SETS, "num_nonrel_judged_ret"),
)
_NICKNAMES = {
    "official": _OFFICIAL,
    "set": ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", *_SETS),
    "all_trec": _ALL,
}
_CUTS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
# The families with a value for each parameter, with the parameters that they have by default.
_BY_PARAMETER = {
    "iprec_at_recall": tuple(f"{tenths / 10:.2f}" for tenths in range(11)),
    "P": _CUTS,
    "recall": _CUTS,
    "Rprec_mult": tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11)),
    "ndcg_cut": _CUTS,
    "map_cut": _CUTS,
    "relative_P": _CUTS,
    "success": ("1", "5", "10"),
}


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(each) for each in text.split(","))


def _gains(text: str) -> dict[int, float]:
    """Return the gains of the grades that are named."""
    named = {int(grade): float(gain) for grade, gain in (e.split("=") for e in text.split(","))}
    if not all(map(math.isfinite, named.values())):
        raise ValueError
    return named


def _gains_by_grade(asked: str, named: dict[int, float], top_grade: int) -> tuple[float, ...]:
    """Return the gains of all grades; one that is not named has itself for a gain."""
    if min(named) < 1:
        raise ValueError(f"{asked!r}: grades below 1 have gain 0, got a gain of {min(named)}.")
    highest = max(top_grade, *named)
    if highest > _HIGHEST_GRADE:
        raise ValueError(
            f"{asked!r} needs the gain of every grade, of which the highest must be at most "
            f"{_HIGHEST_GRADE:,}, got {highest:,}."
        )
    gains = [0.0, *(named.get(grade, float(grade)) for grade in range(1, highest + 1))]
    for grade in range(1, highest + 1):
        if gains[grade] < gains[grade - 1]:
            unnamed = {grade - 1, grade} - {0, *named}  # of two grades, one is named
            note = "".join(f" Grade {g}, which it does not name, has gain {g}." for g in unnamed)
            raise ValueError(
                f"{asked!r}: gain must not decrease from grade to grade, and grade 0 has gain 0; "
                f"got {gains[grade]:g} for grade {grade} after {gains[grade - 1]:g}.{note}"
            )
    return tuple(gains[1:])


def _square(text: str) -> float:
    """Return our beta: what trec_eval names so is its square."""
    square = float(text)
    if not 0.0 <= square < math.inf:
        raise ValueError
    return math.sqrt(square + 0.0)  # which makes 0 of -0


# Which field of ours a parameter is, and how it is read.
_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "iprec_at_recall": ("recall", float),
    "Rprec_mult": ("multiple", float),
    "utility": ("weights", _numbers),
    "11pt_avg": ("recalls", _numbers),
    "set_F": ("beta", _square),
    "ndcg": ("gain", _gains),
    "relstring": ("", int),
}
_FORMS = {  # of what follows the point; else it is numbers
    "ndcg": "gains of grades, such as 1=1,2=3,",
    "relstring": "a whole number",
    "set_F": "a number from 0 on",
}
_MARKS = {"point": ".", "underscore": "_"}
_WITHOUT_PARAMETER = {"iprec_at_recall": "iprec_at_recall_0.00", "Rprec_mult": "Rprec_mult_0.20"}


class TrecEvalValue(NamedTuple):
    """A value that trec_eval prints.

    Attributes
    ----------
    family : str
        The measure, such as ``"P"``.
    parameter : str
        Its parameter, such as ``"5"``; empty if it has none.
    """

    family: str
    parameter: str = ""

    @property
    def name(self) -> str:
        """What stands at the start of its line, such as ``"P_5"``."""
        return f"{self.family}_{self.parameter}" if self.parameter else self.family

    @property
    def is_geometric(self) -> bool:
        """Whether its value of all topics is a geometric mean, the only one that is printed."""
        return self.family in ("gm_map", "gm_bpref")

    def measure(self, level: int = 1, top_grade: int = 0) -> Measure | None:
        """Return the measure that has the value.

        Parameters
        ----------
        level : int, default=1
            The lowest grade that is relevant, ``-l`` there; gains do not depend on it.
        top_grade : int, default=0
            The highest grade of the judgments. As there, grades up to it that ``ndcg.1=3,2=5`` does
            not name are gains of their own.

        Returns
        -------
        Measure or None
            The measure; None for counts, the name of the run and the string of grades.
        """
        if self.family in _NO_MEASURES:
            return None
        if self.parameter and self.family in _FIELDS:
            field, read = _FIELDS[self.family]
            plain = measure_as("trec_eval", _WITHOUT_PARAMETER.get(self.family, self.family))
            value = read(self.parameter)
            if field == "gain":
                value = _gains_by_grade(f"{self.family}.{self.parameter}", value, top_grade)
            chosen = plain._replace(**{field: value})
        else:
            chosen = measure_as("trec_eval", self.name)
        return chosen._replace(rel=level) if "rel" in chosen._fields else chosen


def values_of_trec_eval(asked: Iterable[str]) -> list[TrecEvalValue]:
    """Return the values that trec_eval prints, in its order.

    Parameters
    ----------
    asked : iterable of str
        What follows ``-m`` there: a measure (``"map"``), a nickname (``"official"``, ``"set"``,
        ``"all_trec"``), or a measure with parameters (``"P.5,10"``), which replace its own.

    Returns
    -------
    list of TrecEvalValue
        The values.

    Raises
    ------
    ValueError
        If there is no such measure here, or what follows its point or underscore does not have
        the form that the message names.

    Examples
    --------
    >>> from skgraded.conventions import values_of_trec_eval
    >>> [value.name for value in values_of_trec_eval(["P.10,5", "map"])]
    ['map', 'P_5', 'P_10']
    """
    families: dict[str, dict[str, None]] = {}
    by_default: dict[str, Sequence[str]] = {}
    for each in asked:
        for family, parameters in _families(each):
            if each in _ALL or each in _NICKNAMES:
                by_default[family] = parameters
            else:
                families.setdefault(family, {}).update(dict.fromkeys(parameters))
    for family, parameters in by_default.items():
        families.setdefault(family, dict.fromkeys(parameters))
    return [
        TrecEvalValue(family, parameter)
        for family in sorted(families, key=_ALL.index)
        for parameter in sorted(families[family], key=_place_of_parameter)
    ]


def _families(asked: str) -> list[tuple[str, Sequence[str]]]:
    if asked in _NICKNAMES:
        return [(family, _BY_PARAMETER.get(family, ("",))) for family in _NICKNAMES[asked]]
    if asked in _ALL:
        return [(asked, _BY_PARAMETER.get(asked, ("",)))]
    family, _, parameters = asked.partition(".")
    if not parameters or family not in (*_BY_PARAMETER, *_FIELDS):
        return [_one_value(asked)]
    return [(family, _read_parameters(family, parameters, "point"))]


def _one_value(asked: str) -> tuple[str, Sequence[str]]:
    """Read the name of a value, such as P_5."""
    family, _, parameter = asked.rpartition("_")
    if family in _BY_PARAMETER and _is_number(parameter):
        return family, _read_parameters(family, parameter, "underscore")
    if family in _BY_PARAMETER and all(map(_is_number, parameter.split(","))):
        raise ValueError(f"{asked!r} names several values; write '{family}.{parameter}'.")
    measure_as("trec_eval", asked)  # says what there is, and why not this
    raise ValueError(f"-m of trec_eval takes no {asked!r}.")


def _read_parameters(family: str, parameters: str, mark: str) -> list[str]:
    """Return the parameters as trec_eval prints them, and name the mark before them in errors."""
    try:
        if family in _WITHOUT_PARAMETER:
            return [f"{float(each):.2f}" for each in parameters.split(",")]
        if family in _BY_PARAMETER:
            return [_cut(each) for each in parameters.split(",")]
        _FIELDS[family][1](parameters)
    except (ValueError, OverflowError):  # an int of infinity
        form = _FORMS.get(family, _form_of_numbers(family))
        asked = f"{family}{_MARKS[mark]}{parameters}"
        raise ValueError(f"{asked!r} must have {form} after its {mark}.") from None
    return [parameters]


def _form_of_numbers(family: str) -> str:
    has_cuts = family in _BY_PARAMETER and family not in _WITHOUT_PARAMETER
    return "whole numbers from 1 on" if has_cuts else "numbers"


def _cut(text: str) -> str:
    cut = int(float(text))
    if cut < 1:
        raise ValueError
    return str(cut)


def _place_of_parameter(parameter: str) -> float:
    return float(parameter) if _is_number(parameter) else 0.0


def _is_number(parameter: str) -> bool:
    return parameter.replace(".", "", 1).isdecimal()
