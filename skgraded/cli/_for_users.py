"""``skgraded compare --best`` and ``--room``: which run is best for whom, and does it matter."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from skgraded._named_users import UserName, g_of
from skgraded._params import closest
from skgraded.cli._outputs import check_outputs, tell, write_reports
from skgraded.cli._refusals import refuse_beside
from skgraded.cli._scored_runs import score_runs, top_whole_grade
from skgraded.comparison import compare
from skgraded.exceptions import FewDifferencesWarning
from skgraded.measures import AP, Measure, eGAP, measure
from skgraded.results import notes_of
from skgraded.trec import Qrels
from skgraded.users import Persona, personas

__all__ = ["add_users", "answer_for_users"]

_BASELINE, _MARGIN = "nDCG@10", 0.01


class _Asked(NamedTuple):
    """What the text of ``--best`` or ``--room`` asks for; users are a name or probabilities."""

    option: str
    users: str | tuple[float, ...]
    k: int | None

    @classmethod
    def of(cls, option: str, text: str) -> _Asked:
        users, at, depth = text.partition("@")
        if at and not (depth.isdecimal() and int(depth) > 0):
            raise ValueError(
                f"{option} must end in @ and a depth above 0, or neither, got {text!r}."
            )
        if users == "all" and option == "--room":
            raise ValueError("--room cannot be all: a run is chosen for one g at a time.")
        is_name = users in ("all", "personas", *get_args(UserName))
        return cls(
            option, users if is_name else _probabilities(option, users), int(depth) if at else None
        )

    def measures(self, qrels: Qrels) -> list[Measure]:
        """Return AP at every threshold of the qrels, whose number the users must fit."""
        top = top_whole_grade(qrels, self.option)
        self.g(top)
        return [AP(rel=rel, k=self.k) for rel in range(1, top + 1)]

    def g(self, n_grades: int) -> Any:
        """Return the users in the form that `Comparison.best` and `Comparison.room` take."""
        if self.users in ("all", "personas"):
            return None if self.users == "all" else personas(n_grades, k=self.k)
        if isinstance(self.users, str):
            return Persona(self.users, "has a name.", tuple(g_of(self.users, n_grades)), self.k)
        if len(self.users) != n_grades:
            raise ValueError(
                f"{self.option} must have one probability for each grade from 1 to {n_grades}, the "
                f"highest of the qrels, got {len(self.users)}."
            )
        eGAP(g=self.users)  # says what is wrong with probabilities
        return Persona("g", "is as given.", self.users, self.k)


def _probabilities(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        names = get_args(UserName)
        raise ValueError(
            f"{option} must be probabilities such as 0.1,0.9, personas, or one of "
            f"{', '.join(names)}, got {text!r}.{closest(text, [*names, 'personas'])}"
        ) from None


def add_users(parser: argparse.ArgumentParser) -> None:
    """Add ``--best`` and ``--room``."""
    group = parser.add_argument_group("for your users, instead of testing by measures")
    users = "a g such as 0.1,0.9, a persona such as demanding, or personas"
    group.add_argument(
        "--best",
        metavar="USERS",
        help=f"tell how probable it is that each run is the best one for these users: {users}, or "
        "all; @10 behind it is how many documents they look at",
    )
    group.add_argument(
        "--room",
        metavar="USERS",
        help="tell whether choosing a run by eGAP of these users wins over choosing it by the "
        f"measure (default: {_BASELINE}), by halves of the topics; gains below the margin "
        f"(default: {_MARGIN:g}) do not matter",
    )


def answer_for_users(arguments: argparse.Namespace, cluster: Mapping[str, str] | None) -> None:
    """Answer which run is best for the users, or whether choosing by their measure matters."""
    option = "--best" if arguments.best is not None else "--room"
    refuse_beside(arguments, option)
    if option == "--room" and len(arguments.measures or []) > 1:
        raise ValueError(f"--measure must be given once with --room, got {arguments.measures}.")
    check_outputs(arguments)
    asked = _Asked.of(option, arguments.room if arguments.best is None else arguments.best)
    others = [] if option == "--best" else [measure(*(arguments.measures or [_BASELINE]))]
    scores = score_runs(arguments, lambda qrels: [*asked.measures(qrels), *others])
    n_grades = len(scores) - len(others)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewDifferencesWarning)  # no difference is shown
        last = (scores.systems or ("",))[-1]
        found = compare(
            scores, baseline=last, cluster=cluster, tests="t", confidence=arguments.confidence
        )
    g = asked.g(n_grades)
    if option == "--best":
        given = {} if arguments.resamples is None else {"n_resamples": arguments.resamples}
        result: Any = found.best(g, random_state=arguments.seed, **given)
    else:
        margin = _MARGIN if arguments.margin is None else arguments.margin
        baseline = scores.measures[-1]
        result = found.room(g, baseline, margin=margin, random_state=arguments.seed)
    write_reports(arguments, [result._report()])
    tell(notes_of(scores))
