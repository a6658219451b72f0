"""A JVM for Spark whose error output is held back while Spark starts.

Spark prints about ten lines at each start. They matter only if the start fails. Later output is passed on.
"""

import os
import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

_STDERR: Final = 2
_READ_BYTES_MAX: Final = 1 << 16
_HELD_BYTES_MAX: Final = 1 << 20


@contextmanager
def quiet_jvm(settings: Mapping[str, str]) -> Iterator["JavaGateway | None"]:
    """Start a JVM and hold its error output back until the block ends; show it if the block raises.

    The gateway is None where this process has a JVM already: Spark keeps one for all sessions of a process.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        yield None
        return
    with held_output() as output:
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        yield launch_gateway(conf, {"stderr": output})  # type: ignore[no-untyped-call]


@contextmanager
def held_output(target: int = _STDERR) -> Iterator[int]:
    """Open a pipe for a child process, and pass its bytes on to ``target`` once the block has ended.

    Bytes from within the block are dropped, unless the block raises. The block must start the child process: its end
    of the pipe is closed in this process afterwards.
    """
    source, sink = os.pipe()
    os.set_blocking(source, False)
    readable = select.poll()  # select() cannot wait for a descriptor above 1023
    readable.register(source, select.POLLIN)
    held = bytearray()
    lock = threading.Lock()
    is_held = True

    def read() -> bytes | None:
        try:
            return os.read(source, _READ_BYTES_MAX)
        except BlockingIOError:
            return None

    def pass_on() -> None:
        while True:
            readable.poll()
            with lock:
                data = read()
                if data == b"":
                    break
                if is_held:
                    held.extend(data or b"")
                    del held[:-_HELD_BYTES_MAX]
                elif data:
                    # Not sys.stderr: its lock may be held by a thread that the end of the interpreter has frozen.
                    os.write(target, data)
        os.close(source)

    threading.Thread(target=pass_on, name="chronik-spark-output", daemon=True).start()
    try:
        yield sink
    except BaseException:
        with lock:
            os.write(target, held + (read() or b""))
        raise
    finally:
        with lock:
            while read():
                pass
            is_held = False
        os.close(sink)
