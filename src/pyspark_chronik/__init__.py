"""Found by Spark itself: a top-level module whose name begins with ``pyspark_`` and that has a ``DefaultSource``.

So ``format("chronik")`` works in every session where Chronik is installed, without a call that registers it.
"""

from chronik.spark.source.batch import ChronikSource as DefaultSource

__all__ = ["DefaultSource"]
