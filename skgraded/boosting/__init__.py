"""The part of training and evaluation that LightGBM, XGBoost and CatBoost have in common."""

__all__: list[str] = []
