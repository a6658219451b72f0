"""Chronik as a data source of Apache Spark: topics read and written, archived, and asked by SQL.

Only this package imports pyspark, pyarrow and numpy, which come with the extra ``chronik[spark]``. What is named here
is loaded when it is used.
"""

from importlib import import_module
from typing import Any

_NAMES = {
    "session": "chronik.spark.sessions.session",
    "register": "chronik.spark.source.batch",
    "use_java": "chronik.spark.sessions.java",
    "without_replays": "chronik.spark.sink.replays",
    "commit_offsets": "chronik.spark.source.listener",
    "report_progress": "chronik.spark.source.listener",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is asked for."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_NAMES[name]), name)


def __dir__() -> list[str]:
    """List the names too that are not loaded yet."""
    return sorted([*globals(), *_NAMES])
