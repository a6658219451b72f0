"""The one place that starts Spark sessions for Chronik's own commands, and a short way to one for other programs.

A session that runs already is returned as it is. Java is the installed one or the one from PyPI, and Python workers
run the interpreter of the driver.
"""

import os
import shlex
import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chronik.spark.sessions.class_archive import class_archive_options
from chronik.spark.sessions.java import use_java
from chronik.spark.sessions.jvm import quiet_jvm
from chronik.spark.sessions.shims import shim_directory, write_shim

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL: Final = "local[*]"

SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Filters on offset, partition and timestamp then narrow what is read, instead of being applied row by row.
    "spark.sql.python.filterPushdown.enabled": "true",
    # Rows come from Python workers through a socket, which is the bottleneck; a Unix socket is faster.
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_PAGE_SETTINGS: Final = {
    "spark.ui.enabled": "true",
    # Several sessions may run on one machine; a session whose page finds no free port does not start.
    "spark.port.maxRetries": "100",
}
_LOCAL_SETTINGS: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
# Sessions of a command live for seconds or minutes: the second compiler and a parallel collector cost more than they
# save. Without them a session starts in three quarters of the time.
_QUICK_START: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_WORKER_SCRIPT: Final = """#!/bin/sh
rest=
IFS=:
for part in $PYTHONPATH; do
  case $part in
  */python/lib/pyspark.zip | */python/lib/py4j-*-src.zip) ;;
  *) rest=$rest${{rest:+:}}$part ;;
  esac
done
unset IFS
PYTHONPATH=$rest
export PYTHONPATH
exec {python} "$@"
"""
_start_lock: Final = threading.Lock()


def session(
    master: str | None = None,
    *,
    app_name: str = "chronik",
    settings: Mapping[str, str] | None = None,
    quiet: bool = False,
    page: bool = False,
) -> "SparkSession":
    """Return the running session, or start one: local by default, on a cluster by its master's address.

    With ``quiet`` the lines that Spark prints while it starts are shown only if the start fails. With ``page`` Spark
    serves its page; ``spark.sparkContext.uiWebUrl`` is its address.
    """
    with _start_lock:
        running = running_session()
        if running is not None:
            return running
        java = _set_environment(is_local(master))
        chosen = {**session_settings(master or LOCAL, java), **(_PAGE_SETTINGS if page else {}), **(settings or {})}
        chosen |= {"spark.app.name": app_name, "spark.master": master or LOCAL}
        return _start(chosen, quiet=quiet)


def running_session() -> "SparkSession | None":
    """Return the session of this process, whichever thread started it."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def _set_environment(is_on_this_machine: bool) -> str:
    """Set what Spark reads from the environment, and return the Java that it starts."""
    java = use_java()
    python = worker_python() if is_on_this_machine else sys.executable
    os.environ.setdefault("PYSPARK_PYTHON", python)
    # Spark starts a data source that it finds by itself with this one, in tasks too.
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", python)
    if is_on_this_machine:
        # The page listens on all interfaces otherwise.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return java


def _start(settings: Mapping[str, str], *, quiet: bool) -> "SparkSession":
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with quiet_jvm(settings) if quiet else nullcontext() as gateway:
        if gateway is not None:
            SparkContext(conf=SparkConf().setAll(list(settings.items())), gateway=gateway)
        started = builder.getOrCreate()
        started.sparkContext.setLogLevel("ERROR")
    return started


def worker_python(directory: Path | None = None) -> str:
    """Write a script that runs this Python as a worker, and return its path.

    Spark puts a zip file of pyspark in front of the workers' path. Python compiles what it imports from there in every
    new process, which more than doubles the time of its start, and Spark waits only ten seconds for a stream's process.
    """
    name = f"python-{sha256(sys.executable.encode()).hexdigest()[:12]}"
    shim = (directory or shim_directory()) / name
    return str(write_shim(shim, _WORKER_SCRIPT.format(python=shlex.quote(sys.executable))))


def is_local(master: str | None) -> bool:
    """Return whether the executors are on this machine, with its files."""
    return (master or LOCAL).startswith("local")


def session_settings(master: str, java: str) -> dict[str, str]:
    """Return the settings of a session; on a cluster the driver must be reachable from other hosts."""
    if not is_local(master):
        return dict(SETTINGS)
    return {**SETTINGS, **_LOCAL_SETTINGS, _JAVA_OPTIONS: f"{_QUICK_START} {class_archive_options(java)}".strip()}
