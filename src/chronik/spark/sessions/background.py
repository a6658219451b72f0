"""A Spark session that starts while the program does something else.

A session takes seconds to start, most of them in the JVM. A command that knows early that it needs one starts it here,
and waits for it where it uses it first.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING

from chronik.spark.sessions.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class BackgroundSession:
    """A session that starts in a thread of its own."""

    def __init__(self, future: "Future[SparkSession]") -> None:
        self._future = future

    @property
    def is_ready(self) -> bool:
        """Return whether the start has ended, with a session or with an error."""
        return self._future.done()

    def result(self, timeout_s: float | None = None) -> "SparkSession":
        """Wait for the session; raise the error of a failed start, or TimeoutError."""
        return self._future.result(timeout_s)


def start_in_background(
    master: str | None = None,
    *,
    app_name: str = "chronik",
    settings: Mapping[str, str] | None = None,
    verbose: bool = False,
) -> BackgroundSession:
    """Start a session with Spark's page in a thread and return at once.

    Spark's start-up lines are shown only with ``verbose``, or if the start fails. The thread also runs one small job,
    which loads Spark's SQL classes and starts the Python workers. ``chronik.spark.session()`` waits for this session
    and returns it. A program that ends before the session has started does not wait for it.
    """
    future: Future[SparkSession] = Future()

    def start() -> None:
        try:
            spark = session(master, app_name=app_name, settings=settings, quiet=not verbose, page=True)
            _warm_up(spark)
            future.set_result(spark)
        except BaseException as error:  # noqa: BLE001 - raised where the session is needed
            future.set_exception(error)

    threading.Thread(target=start, name="chronik-spark-start", daemon=True).start()
    return BackgroundSession(future)


def describe_session(spark: "SparkSession") -> str:
    """Return one line that names Spark's version, its master and the address of its page."""
    context = spark.sparkContext
    page = f", page at {context.uiWebUrl}" if context.uiWebUrl else ""
    return f"Spark {spark.version} on {context.master}{page}"


def _warm_up(spark: "SparkSession") -> None:
    spark.range(1).mapInArrow(lambda batches: batches, "id long").collect()
