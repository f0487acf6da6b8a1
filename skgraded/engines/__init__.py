"""What chunks, Dask and Spark share: the scan of blocks of whole queries, and exact totals."""

__all__: list[str] = []
