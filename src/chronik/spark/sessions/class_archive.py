"""Spark's classes in a form that a JVM maps into memory instead of loading and verifying them (Java's AppCDS).

A session with this archive starts in about half the time. Java writes the archive when a JVM ends, which takes 10 to
30 seconds, so that sessions only use one. ``python -m chronik.spark.sessions.class_archive`` makes it, in the user's
cache directory (160 MB). Java ignores an archive that does not fit its version or its jars.
"""

import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Final

from chronik.spark.sessions.java import use_java
from chronik.spark.sessions.shims import shim_directory

RECORD_VARIABLE: Final = "CHRONIK_SPARK_RECORD_CLASSES"
_PATTERN: Final = "classes-*.jsa"
_SECONDS_MAX: Final = 300
_UNUSED_SECONDS_MAX: Final = 30 * 24 * 3_600

_TRAINING: Final = """
from chronik.spark.sessions.background import start_in_background
spark = start_in_background("local[2]").result()
left = spark.range(1000).selectExpr("id", "cast(id as string) text", "id % 7 part")
left.createOrReplaceTempView("left_side")
right = spark.createDataFrame([(1, "a")], "part long, name string")
rows = left.join(right, "part", "left").groupBy("part").agg({"id": "max", "text": "count"})
rows.orderBy("part").mapInArrow(lambda batches: batches, rows.schema).toPandas()
spark.sql("select part, percentile(id, 0.5), min(text) from left_side group by part").collect()
left.rdd.map(lambda row: (row.part, 1)).reduceByKey(lambda one, other: one + other).collect()
spark.stop()
"""


def class_archive_options(java: str) -> str:
    """Return the JVM's options for the archive of this Java and Spark; none where there is no archive."""
    archive = archive_path(java)
    if path := os.environ.get(RECORD_VARIABLE):
        return f"-XX:ArchiveClassesAtExit={path} -Xlog:disable"
    # Java prints warnings about an archive to standard output.
    return f"-XX:SharedArchiveFile={archive} -Xlog:disable" if archive.exists() else ""


def archive_path(java: str) -> Path:
    """Return the path of the archive of this Java and Spark."""
    import pyspark

    program = Path(java).resolve()
    known_by = (str(program), program.stat().st_mtime_ns, pyspark.__version__, pyspark.__file__)
    return shim_directory() / _PATTERN.replace("*", sha256(repr(known_by).encode()).hexdigest()[:12])


def make_class_archive() -> Path:
    """Run a session that uses what Chronik uses, and keep the classes that it loaded."""
    java = use_java()
    archive = archive_path(java)
    if archive.exists():
        return archive
    if not (Path(java).resolve().parents[1] / "lib" / "server" / "classes.jsa").exists():
        raise RuntimeError(f"{java} has no archive of its own classes, on which this one would be based")
    unfinished = archive.with_suffix(f".{os.getpid()}")
    environment = {**os.environ, RECORD_VARIABLE: str(unfinished)}
    # The JVM inherits the output: the program's end is not the end of the JVM, but that of the output is.
    subprocess.run(
        [sys.executable, "-c", _TRAINING], env=environment, capture_output=True, timeout=_SECONDS_MAX, check=True
    )
    if not unfinished.exists():
        raise RuntimeError(f"{java} has written no archive of classes")
    for other in archive.parent.glob(_PATTERN):
        if time.time() - other.stat().st_atime > _UNUSED_SECONDS_MAX:
            other.unlink()
    return unfinished.rename(archive)


if __name__ == "__main__":
    sys.stdout.write(f"{make_class_archive()}\n")
