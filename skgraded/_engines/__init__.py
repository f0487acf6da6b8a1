"""The parts that chunks, Dask and Spark share.

Data that are too large for one call come in parts. An `EvaluationPlan` holds what is the same for
all parts: the measures and the columns. It scans batches of whole queries, whose totals add up to
exact means.
"""
