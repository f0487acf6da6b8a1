"""``skgraded demo``: two rankers trained on made-up data, and a picture of who is for whom."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

from skgraded._support.text import wrap
from skgraded.cli._outputs import check_files, save_picture

_N_QUERIES = 300
_N_HELD_OUT = 75
_N_DOCUMENTS = 50
_ON_TOPIC = 1
_GOOD = 2
_NEXT = """\
Next, with your own runs, or with your own X, y and query ids:
  skgraded compare qrels.txt new.run old.run --profile --plot users.png
  QueryRanker(LGBMRanker(), measure="eGAP(g=[0.1,0.9])@10").fit(X, y, qid=qid)"""


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command, and add its options."""
    parser.description = wrap(
        "Train a ranker of what is relevant and one of what is best on made-up documents, and draw "
        "for which users each is better on held-out queries.",
        indent=0,
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        default="skgraded-demo.png",
        help="file of the picture, which is replaced (default: %(default)s)",
    )

    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Run the demo."""
    check_files(arguments)
    from skgraded.users import threshold_profile

    X, y, qid = _made_up()
    is_held_out = qid >= _N_QUERIES - _N_HELD_OUT
    scores = {
        "broad": _scores(X, y >= _ON_TOPIC, is_held_out),
        "precise": _scores(X, y >= _GOOD, is_held_out),
    }
    profile = threshold_profile(y[is_held_out], scores, qid=qid[is_held_out])

    save_picture(arguments.plot, profile.plot().figure, dpi=120)
    print(os.path.abspath(arguments.plot))
    print(wrap(profile["broad"].sentence, indent=0))
    print(_NEXT)


def _made_up() -> tuple[Any, Any, Any]:
    """Make up documents off topic (0), `_ON_TOPIC`, and on topic and `_GOOD`."""
    topic_features, is_on_topic, qid = _made_up_marks(share=0.25, seed=0)
    quality_features, is_good, _ = _made_up_marks(share=0.3, seed=1)
    X = np.hstack([topic_features, quality_features])
    return X, is_on_topic * (1 + is_good), qid


def _made_up_marks(share: float, seed: int) -> tuple[Any, Any, Any]:
    """Make up documents of which a share is marked (1)."""
    from skgraded.datasets import make_ranking

    return make_ranking(
        _N_QUERIES,
        docs_per_query=_N_DOCUMENTS,
        grade_shares=(1.0 - share, share),
        noise=0.5,
        random_state=seed,
    )


def _scores(X: Any, is_relevant: Any, is_held_out: Any) -> Any:
    """Return the scores of held-out documents by a ranker that learns what is relevant."""
    from lightgbm import LGBMRanker

    model = LGBMRanker(num_leaves=15, n_jobs=1, verbose=-1, random_state=0)
    is_of_training = ~is_held_out
    sizes = [_N_DOCUMENTS] * (_N_QUERIES - _N_HELD_OUT)
    y = is_relevant.astype(int)
    model.fit(X[is_of_training], y[is_of_training], group=sizes)
    return model.predict(X[is_held_out])
