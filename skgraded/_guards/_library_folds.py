"""Tools of other libraries that ask a splitter for folds which they cannot use."""

from __future__ import annotations

from types import FrameType

from skgraded._guards._stack import is_frame_of

__all__ = ["refuse_folds_of_xgboost"]


def refuse_folds_of_xgboost(caller: FrameType | None) -> None:
    """Raise where ``xgboost.cv`` asks for folds: it hands no ids on, and cannot slice queries.

    Parameters
    ----------
    caller : frame or None
        The frame that asked the splitter for its first split.

    Raises
    ------
    ValueError
        If that frame is XGBoost's.
    """
    if is_frame_of(caller, "xgboost.training"):
        raise ValueError(
            "folds must be left out of xgboost.cv, which cannot slice a DMatrix that has queries: "
            "give the DMatrix qid=..., and xgboost.cv the number of folds, nfold=3. XGBoost then "
            "keeps queries whole itself. For folds of your own, call xgboost.train on each."
        )
