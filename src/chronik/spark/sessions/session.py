"""The one place that starts Spark sessions for Chronik's own commands, and a short way to one for other programs.

A session that runs already is returned as it is. Java is the installed one or the one from PyPI, and Python workers
run the interpreter of the driver.
"""

import os
import shlex
import site
import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chronik
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
_DAEMON: Final = "chronik.spark.sessions.worker_daemon"
# Sessions of a command live for seconds or minutes: the second compiler and a parallel collector cost more than they
# save. Without them a session starts in three quarters of the time.
_QUICK_START: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_WORKER_SCRIPT: Final = """#!/bin/sh
rest=
IFS=:
for part in $PYTHONPATH {path}; do
  case $part in
  '' | */python/lib/pyspark.zip | */python/lib/py4j-*-src.zip) ;;
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
        chosen = {
            **session_settings(master or LOCAL),
            **(_PAGE_SETTINGS if page else {}),
            **(settings or {}),
            "spark.app.name": app_name,
            "spark.master": master or LOCAL,
        }
        return _start(chosen, quiet=quiet)


def running_session() -> "SparkSession | None":
    """Return the session of this process, whichever thread started it."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


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
    # The daemon imports Chronik before Spark adds a job's files to the path. It comes last: a job's Chronik wins.
    path = Path(chronik.__file__).parent.parent
    own_path = "" if str(path) in site.getsitepackages() else str(path)
    script = _WORKER_SCRIPT.format(python=shlex.quote(sys.executable), path=shlex.quote(own_path))
    name = f"python-{sha256(script.encode()).hexdigest()[:12]}"
    return str(write_shim((directory or shim_directory()) / name, script))


def is_local(master: str | None) -> bool:
    """Return whether the executors are on this machine, with its files."""
    return (master or LOCAL).startswith("local")


def session_settings(master: str) -> dict[str, str]:
    """Set what Spark reads from the environment, and return the settings of a session."""
    java = use_java()
    python = worker_python() if is_local(master) else sys.executable
    os.environ.setdefault("PYSPARK_PYTHON", python)
    # Spark starts a data source that it finds by itself with this one, in tasks too.
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", python)
    if not is_local(master):
        return dict(SETTINGS)  # other hosts must reach the driver, and need not have what this one has
    # The page listens on all interfaces otherwise.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    daemon = {"spark.python.daemon.module": _DAEMON} if os.environ["PYSPARK_PYTHON"] == python else {}
    java_options = f"{_QUICK_START} {class_archive_options(java)}".strip()
    return {**SETTINGS, **_LOCAL_SETTINGS, **daemon, "spark.driver.extraJavaOptions": java_options}
