"""The jobs that both sources are asked for, in one session of Spark. Every answer can be checked.

A job is a dictionary: ``do`` names a function of this module, ``format`` and ``options`` the source.
"""

import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from benchmarks.machine import cpu_seconds
from chronik.spark.archive.driver import ArchiveRules
from chronik.spark.archive.plain_parquet import ParquetArchive
from chronik.spark.archive.running import start_archive
from chronik.spark.planning.slices import ReadRules

Job = Mapping[str, Any]
Answer = dict[str, Any]

ZSTD_LEVEL: Final = "1"
"""What pyarrow takes; Spark's default is 3, which costs more."""


def frame_of(spark: SparkSession, job: Job) -> DataFrame:
    reader = spark.read.format(job["format"]).options(**job["options"])
    return (reader.schema(job["schema"]) if "schema" in job else reader).load()


def rows(spark: SparkSession, job: Job) -> Answer:
    """Read everything and throw it away."""
    frame_of(spark, job).write.format("noop").mode("overwrite").save()
    return {}


def total(spark: SparkSession, job: Job) -> Answer:
    """Add up offsets and lengths, of all records or of those that a condition leaves."""
    frame = frame_of(spark, job)
    frame = frame.where(job["where"]) if "where" in job else frame
    return _first(frame.selectExpr("count(*) records", "sum(offset) offsets", "sum(length(value)) bytes"))


def count(spark: SparkSession, job: Job) -> Answer:
    return {"records": frame_of(spark, job).count()}


def covered(spark: SparkSession, job: Job) -> Answer:
    """Count records through a view that has fewer rows than there are records."""
    return _first(frame_of(spark, job).selectExpr("sum(recordCount) records"))


def _first(frame: DataFrame) -> Answer:
    row = frame.first()
    return {} if row is None else row.asDict()


def parquet(spark: SparkSession, job: Job) -> Answer:
    """Write a topic as Parquet; what was written is counted outside of the time."""
    write = {"kafka": _parquet_by_spark, "chronik": _parquet_by_tasks}[job["format"]]
    write(spark, job)
    return {"bytes": sum(file.stat().st_size for file in Path(job["target"]).rglob("*.parquet"))}


def _parquet_by_spark(spark: SparkSession, job: Job) -> None:
    options = {"compression": "zstd", "parquet.compression.codec.zstd.level": ZSTD_LEVEL}
    frame_of(spark, job).write.options(**options).parquet(job["target"])


def _parquet_by_tasks(spark: SparkSession, job: Job) -> None:
    rules = ArchiveRules(ReadRules(job["options"]["kafka.bootstrap.servers"], include_headers=True))
    with tempfile.TemporaryDirectory(dir=Path(job["target"]).parent) as checkpoint:
        table = ParquetArchive(job["target"])
        start_archive(spark, table, job["options"]["subscribe"], rules, checkpoint).wait()


def count_parquet(spark: SparkSession, job: Job) -> Answer:
    return {"records": spark.read.parquet(job["target"]).count()}


def stream(spark: SparkSession, job: Job) -> Answer:
    """Follow a topic for some seconds; the delay ends when a micro-batch's result is with the driver."""
    delays: Counter[int] = Counter()
    begin = time.time() + job["skip_s"]
    sizes: list[int] = []

    def note(batch: DataFrame, _: int) -> None:
        found = batch.groupBy("timestamp").agg({"*": "count", "value": "max"}).select("timestamp", "count(1)").collect()
        now = time.time()
        sizes.append(sum(row[1] for row in found))
        if now > begin:
            delays.update({round((now - row[0].timestamp()) * 1000): row[1] for row in found})

    with tempfile.TemporaryDirectory() as checkpoint:
        reader = spark.readStream.format(job["format"]).options(**job["options"])
        query = reader.load().writeStream.foreachBatch(note).option("checkpointLocation", checkpoint).start()
        try:
            if query.awaitTermination(job["skip_s"] + job["seconds"]):
                raise RuntimeError(f"the stream ended: {query.exception()}")
        finally:
            query.stop()
    return {
        **_quantiles(delays),
        "batches": len(sizes),
        "records": sum(sizes),
        "median_size": statistics.median(sizes or [0]),
    }


def _quantiles(delays: "Counter[int]") -> dict[str, int]:
    """Give quantiles of what was counted per delay."""
    whole, seen = sum(delays.values()), 0
    found: dict[str, int] = {}
    wanted = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    for delay, number in sorted(delays.items()):
        seen += number
        found |= {name: delay for name, share in wanted.items() if name not in found and seen >= share * whole}
    return found


def peak(spark: SparkSession, job: Job) -> Answer:
    """Tell the highest resident memory that a Python process of the executors has had."""
    workers = [pid for pid in _family(os.getpid()) if b"pyspark.daemon" in _read(pid, "cmdline")]
    highest = (line.split()[1] for pid in workers for line in _read(pid, "status").splitlines() if b"VmHWM" in line)
    return {"megabytes": max(int(kilobytes) for kilobytes in highest) * 1024 / 1e6}


JOBS: Final[Mapping[str, Callable[[SparkSession, Job], Answer]]] = {
    job.__name__: job for job in (rows, total, count, covered, parquet, count_parquet, stream, peak)
}


def spark_cpu_seconds() -> float:
    """Processor time of this driver, its JVM and the Python workers."""
    spent = 0.0
    for pid in _family(os.getpid()):
        try:
            spent += cpu_seconds(pid)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return spent


def _family(pid: int) -> list[int]:
    """Name a process and all that come of it."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for thread in threads for child in _read(pid, f"task/{thread.parent.name}/children").split()]
    return [pid, *(one for child in children for one in _family(child))]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
