"""Names that are asked for in ``skgraded`` and are those of its modules."""

from __future__ import annotations

from skgraded._guards._stack import is_import_statement

# What to write instead.
_ELSEWHERE = {
    "objective": ": write from skgraded.lightgbm import objective, or the same of "
    "skgraded.xgboost",
    "eval_metric": ": write from skgraded.lightgbm import eval_metric, or the same of "
    "skgraded.xgboost or skgraded.catboost",
    "early_stopping": ": write from skgraded.lightgbm import early_stopping, or for XGBoost "
    "from skgraded.xgboost import evaluation",
    "evaluation": ": write from skgraded.xgboost import evaluation",
    "global_evaluation": ": write from skgraded.dask import global_evaluation",
    "measure_as": ": write from skgraded.conventions import measure_as",
    "make_ranking": ": write from skgraded.datasets import make_ranking",
}


def refuse_name_of_a_module(name: str) -> None:
    """Raise where a name is that of a module of ``skgraded``, and say of which.

    Python replaces the message of an AttributeError in ``from skgraded import name``.

    Parameters
    ----------
    name : str
        The name.

    Raises
    ------
    AttributeError
        If it is such a name, or an ImportError in a statement that imports it.
    """
    advice = _ELSEWHERE.get(name)
    if advice is None:
        return
    if is_import_statement():
        raise ImportError(f"cannot import name {name!r} from 'skgraded'{advice}.")
    raise AttributeError(f"module 'skgraded' has no attribute {name!r}{advice}.")
