"""The protocol by which training objectives are compared.

In every repeat the queries are split into folds. For every fold, objective and judge, a ranker is
trained with all its iterations on three quarters of the other queries. The judge, which is a
measure, chooses the number of iterations on the last quarter, and judges the model with that many
iterations on the queries of the fold. All objectives see the same queries, so that differences are
paired.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from _kept_repeats import file_of, hash_of, joined, kept

from skgraded import QueryKFold, QueryRanker, compare, cross_validate_queries, measure
from skgraded.results import Scores


@dataclass(frozen=True)
class Protocol:
    """How objectives are trained and judged on a data set, and the folder that keeps the values."""

    judges: list[str]
    n_iterations: int
    folder: Path
    n_folds: int = 5
    n_repeats: int = 5
    n_jobs: int | None = None

    def compare(self, objectives, data):
        """Compare rankers, by the names of their objectives, with the first of them."""
        found = {
            name: self.repeated(name, each, data) for name, each in objectives.items()
        }
        return compare(found, measures=self.judges, baseline=next(iter(objectives)))

    def repeated(self, name, ranker, data):
        """Return the cross-validation of a ranker, of which the folder may hold some repeats."""
        about = {
            "ranker": name,
            "data": hash_of(*data),
            "judges": ", ".join(self.judges),
            "training": f"{self.n_iterations} iterations in {self.n_folds} folds",
        }
        repeats = []
        for repeat in range(self.n_repeats):
            path = file_of(self.folder, name, repeat)
            repeats.append(
                kept(path, about, partial(self.validated, ranker, data, repeat))
            )
        return joined(repeats, tuple(map(measure, self.judges)))

    def validated(self, ranker, data, repeat):
        """Return the values of all queries, with a column for each judge."""
        by_judge = [self.judged(ranker, data, repeat, judge) for judge in self.judges]
        return Scores(
            measures=tuple(each.measures[0] for each in by_judge),
            directions=tuple(each.directions[0] for each in by_judge),
            qid=by_judge[0].qid,
            values=np.concatenate([each.values for each in by_judge], axis=-1),
            folds=by_judge[0].folds,
        )

    def judged(self, ranker, data, repeat, judge):
        """Return the values of all queries under the models that the judge has stopped."""
        X, y, qid = data
        stopped = QueryRanker(
            ranker,
            measure=judge,
            validation_fraction=0.25,
            early_stopping_rounds=self.n_iterations,  # so that all iterations are trained
            random_state=repeat,
        )
        cv = QueryKFold(self.n_folds, random_state=repeat)
        return cross_validate_queries(stopped, X, y, qid=qid, cv=cv, n_jobs=self.n_jobs)
