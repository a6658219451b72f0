"""The one place that makes Spark sessions for Chronik's own commands, and a short way to one for anybody's.

Where a session runs already it is given as it is. Java is found or taken from PyPI, and the workers run this Python.
"""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from chronik.spark.sessions.java import use_java
from chronik.spark.sessions.workers import worker_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL: Final = "local[*]"

SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Offsets, partitions and timestamps in a WHERE then move what is read instead of being looked at row by row.
    "spark.sql.python.filterPushdown.enabled": "true",
    # Rows come from Python workers through a socket, which is the slowest part of the way; this one is faster.
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_LOCAL_SETTINGS: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # Sessions of a command live for seconds or minutes, in which the second compiler and a parallel collector
    # cost more than they bring: they start in three quarters of the time.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def session(
    master: str | None = None, *, app_name: str = "chronik", settings: Mapping[str, str] | None = None
) -> "SparkSession":
    """Give the session that runs, or start one: local by default, on a cluster by its master's address."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    use_java()
    python = worker_python() if is_local(master) else sys.executable
    os.environ.setdefault("PYSPARK_PYTHON", python)
    # Sources that Spark finds by itself run with this one, in tasks too.
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", python)
    builder = SparkSession.builder.appName(app_name).master(master or LOCAL)
    for name, value in {**session_settings(master or LOCAL), **(settings or {})}.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    return started


def is_local(master: str | None) -> bool:
    """Say whether the executors are on this machine, with its files."""
    return (master or LOCAL).startswith("local")


def session_settings(master: str) -> dict[str, str]:
    """Give the settings of a session; on a cluster the driver must be reached from elsewhere."""
    return {**SETTINGS, **(_LOCAL_SETTINGS if is_local(master) else {})}
