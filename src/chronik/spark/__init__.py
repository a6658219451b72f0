"""Chronik as a data source of Apache Spark: topics are read, written, archived and queried with SQL.

Only this package imports pyspark, which comes with pyarrow and numpy in the extra ``chronik[spark]``; the names below
are loaded at their first use.
"""

from chronik.model.lazy import lazy_names

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "session": "chronik.spark.sessions.session",
        "register": "chronik.spark.source.batch",
        "use_java": "chronik.spark.sessions.java",
        "without_replays": "chronik.spark.sink.replays",
        "commit_offsets": "chronik.spark.source.listener",
        "report_progress": "chronik.spark.source.listener",
    },
)
