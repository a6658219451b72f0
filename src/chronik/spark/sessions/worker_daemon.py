"""Spark's Python daemon, without a traceback where Spark ends a task early.

Spark closes the socket of a task whose remaining rows it does not need: the query has a LIMIT, or the session ends. The
worker then fails to write its last rows, and Spark's own daemon prints the traceback of that.
"""

import socket

from pyspark import daemon

_spark_worker = daemon.worker


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Run one task; return 1, which ends this worker process, where Spark has closed the socket."""
    try:
        return int(_spark_worker(sock, authenticated))
    except (BrokenPipeError, ConnectionResetError):
        return 1


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
