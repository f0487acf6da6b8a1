"""What the boosting libraries share: LambdaMART and the judgments of known data sets."""

__all__: list[str] = []
