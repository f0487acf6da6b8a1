"""Count the calls of Python functions between a user's line and the result.

For each walk: the calls of functions of skgraded, the different functions and files among them, and
the moves from one room to another. A room is the first part of a file's path below skgraded/. A
move is a call whose caller, the nearest frame of skgraded, is in another room. Comprehensions do
not count as functions; kernels, NumPy and other libraries do not count at all.

    python benchmarks/walk.py [--list WALK]
"""

import argparse
import contextlib
import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge

import skgraded
from skgraded import (
    QueryRanker,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    nDCG,
    xGAP,
)
from skgraded.cli import main as run_command
from skgraded.datasets import make_ranking
from skgraded.lightgbm import eval_metric, objective

PACKAGE = Path(skgraded.__file__).parent
INLINE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>"}


class Walk:
    """The calls that a profiler has seen, with the depth of each."""

    def __init__(self):
        self.calls = []  # depth, file, function
        self.n_moves = 0
        self._stack = []

    def see(self, frame, event, _):
        """Take notice of a call or a return, as `sys.setprofile` reports them."""
        if event == "call":
            caller = next((each for each in reversed(self._stack) if each), None)
            self._stack.append(self._note(frame.f_code, caller))
        elif event == "return" and self._stack:
            self._stack.pop()

    def _note(self, code, caller):
        path = Path(code.co_filename)
        if not path.is_relative_to(PACKAGE) or code.co_name in INLINE:
            return None
        file = path.relative_to(PACKAGE)
        self.n_moves += caller is not None and caller != file.parts[0]
        depth = sum(each is not None for each in self._stack)
        self.calls.append((depth, str(file), code.co_qualname))
        return file.parts[0]

    def counts(self):
        """Return the numbers of calls, functions, files and moves."""
        places = [place for _, *place in self.calls]
        files, functions = (
            {file for file, _ in places},
            {tuple(place) for place in places},
        )
        return len(self.calls), len(functions), len(files), self.n_moves


def walk_of(run):
    walk = Walk()
    sys.setprofile(walk.see)
    try:
        run()
    finally:
        sys.setprofile(None)
    return walk


def make_runs(folder):
    """Return the walks by name; a first call has filled the caches of the process."""
    rng = np.random.default_rng(0)
    y, s, qid = rng.integers(0, 5, 100), rng.random(100), np.repeat(np.arange(10), 10)
    X, target, sizes = s[:, None], skgraded.query_target(y, qid), np.full(10, 10)
    measure, scorer = xGAP(g=(0.1, 0.2, 0.3, 0.4)), make_ranking_scorer("nDCG@10")
    model = Ridge().fit(X, y)
    ndcg, metric, cost = nDCG(k=10), eval_metric("nDCG@10", measure), objective("nDCG")
    three = ["nDCG@10", "AP", "xGAP(g=[0.1,0.2,0.3,0.4])"]
    qrels, run, documents = folder / "qrels", folder / "run", list(np.ndindex(20, 10))
    qrels.write_text(
        "".join(f"{q} 0 d{i} {rng.integers(0, 5)}\n" for q, i in documents)
    )
    run.write_text("".join(f"{q} Q0 d{i} 1 {rng.random()} a\n" for q, i in documents))
    command = ["evaluate", str(qrels), str(run), "-m", "nDCG@10", "-m", str(measure)]
    features, grades, ids = make_ranking(
        n_queries=60, docs_per_query=20, random_state=0
    )
    asked = {"y": grades, "qid": ids, "measures": ["nDCG@10", "AP"]}
    whole, half = (
        cross_validate_queries(Ridge(), X=each, **asked)
        for each in (features, features[:, ::2])
    )
    ranker = QueryRanker(
        LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1),
        measure="xGAP@10",
        validation_fraction=0.25,
        early_stopping_rounds=8,  # which ends after 11 iterations
        random_state=1,
    )
    return {
        "xGAP(g)(y, s, qid=qid)": lambda: measure(y, s, qid=qid),
        "nDCG(k=10)(y, s, qid=qid)": lambda: ndcg(y, s, qid=qid),
        "evaluate of three": lambda: evaluate(three, y, s, qid=qid),
        "scikit-learn scorer": lambda: scorer(model, X, target),
        "LightGBM eval_metric of two, later": lambda: metric(y, s, None, sizes),
        "LightGBM objective, later call": lambda: cost(y, s, None, sizes),
        "QueryRanker.fit, 11 iterations": lambda: ranker.fit(features, grades, qid=ids),
        "QueryRanker.predict": lambda: ranker.predict(features),
        "compare of two cross-validations": lambda: compare({"a": whole, "b": half}),
        "skgraded evaluate of two": lambda: run_command(command),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--list", metavar="WALK", help="print the calls of walks that begin so"
    )
    chosen = parser.parse_args().list
    print(f"{'walk':36}{'calls':>7}{'functions':>11}{'files':>7}{'moves':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, run in make_runs(Path(folder)).items():
            with contextlib.redirect_stdout(io.StringIO()):
                run()
                walk = walk_of(run)
            calls, functions, files, moves = walk.counts()
            print(f"{name:36}{calls:7}{functions:11}{files:7}{moves:7}")
            if chosen is not None and name.startswith(chosen):
                for depth, file, function in walk.calls:
                    print(f"    {'  ' * depth}{function}    {file}")


if __name__ == "__main__":
    main()
