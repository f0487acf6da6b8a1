"""The order of the gallery: what most users look for first, then studies, libraries and engines."""

_FIRST = (
    "select_a_ranker",
    "ties",
    "early_stopping",
    "who_is_better_for_whom",
    "choose_g",
    "which_objective",
    "train_for_a_measure",
    "study_",
    "sentence_transformers",
    "optuna",
    "lightgbm",
    "xgboost",
)


class GalleryOrder:
    """A key by which Sphinx-Gallery sorts file names."""

    def __init__(self, folder):
        """Take the folder, which does not matter."""

    def __call__(self, name):
        """Return the place of a file name."""
        starts = [place for place, start in enumerate(_FIRST) if name.startswith(start)]
        return (*starts, len(_FIRST))[0], name
