"""The parts that chunks, Dask and Spark share.

Data that are too large for one call come in parts. An `EvaluationPlan` holds what is the same for
all parts: the measures, the columns, the scale of grades. It scores a part of whole queries, or
scans a stream of chunks that cut queries anywhere. The results of the parts add up to exact means.
"""
