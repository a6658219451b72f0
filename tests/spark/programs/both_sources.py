"""Ask Spark's Kafka source and Chronik's the same, in one session of the Spark that the connector's jars are for.

usage: both_sources.py CASES RESULTS

CASES is a JSON list of {"name", "kind", "options", ...}; RESULTS will hold for each name what either source gave:
{"rows": [...], "batches": [...]} or {"error": "..."}.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import chronik.spark

JARS = sorted(Path(os.environ["CHRONIK_SPARK_JARS"]).glob("*.jar"))
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
SETTINGS = {
    "spark.jars": ",".join(str(jar) for jar in JARS),
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.executor.heartbeatInterval": "120s",
    "spark.network.timeout": "600s",
    # As it is where nobody has heard of it.
    PUSHDOWN: "false",
}
END_SECONDS_MAX = 60
ERROR_SHOWN = 20_000


def rows_of(frame: DataFrame) -> list[Any]:
    """Rows as JSON, in the order of their places."""
    return sorted((row_of(row.asDict(recursive=True)) for row in frame.collect()), key=str)


def row_of(row: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, list):
        return [row_of(one) for one in value]
    return value if value is None or isinstance(value, int | str) else str(value)


def read_batch(spark: SparkSession, source: str, case: dict[str, Any]) -> dict[str, Any]:
    frame = spark.read.format(source).options(**case["options"]).load()
    if "where" not in case:
        return {"rows": rows_of(frame)}
    answers = [filtered(spark, frame, case["where"], pushdown) for pushdown in ("false", "true")]
    assert answers[0] == answers[1], "rows depend on whether filters are pushed down"
    return {"rows": answers[0]}


def filtered(spark: SparkSession, frame: DataFrame, condition: str, pushdown: str) -> list[Any]:
    spark.conf.set(PUSHDOWN, pushdown)
    try:
        return rows_of(frame.where(condition))
    finally:
        spark.conf.set(PUSHDOWN, "false")


def read_stream(spark: SparkSession, source: str, case: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as directory:
        return run_stream(spark, source, case["options"], directory)


def run_stream(spark: SparkSession, source: str, options: dict[str, str], directory: str) -> dict[str, Any]:
    rows: list[Any] = []
    sizes: list[int] = []

    def keep(frame: DataFrame, _: int) -> None:
        found = rows_of(frame)
        rows.extend(found)
        sizes.append(len(found))

    stream = spark.readStream.format(source).options(**options).load()
    writer = stream.writeStream.foreachBatch(keep).trigger(availableNow=True)
    query = writer.option("checkpointLocation", directory).start()
    try:
        if not query.awaitTermination(END_SECONDS_MAX):
            raise TimeoutError("the stream did not end")
    finally:
        query.stop()
    # Chronik's first batch from the latest offset is an empty one, by which that offset is in the checkpoint.
    return {"rows": sorted(rows, key=str), "batches": [size for size in sizes if size]}


def continue_stream(spark: SparkSession, source: str, case: dict[str, Any]) -> dict[str, Any]:
    """Begin a stream with Spark's source, and go on with either from its checkpoint when more has come."""
    options = {**case["options"], "subscribe": case["into"][source], "startingOffsets": "earliest"}
    with tempfile.TemporaryDirectory() as directory:
        append(spark, case, source, "select cast(id as string) as value from range(5)")
        begun = run_stream(spark, "kafka", options, directory)
        append(spark, case, source, "select cast(id as string) as value from range(10, 13)")
        going_on = run_stream(spark, source, options, directory)
    return {"rows": [sorted(row["value"] for row in some["rows"]) for some in (begun, going_on)]}


def append(spark: SparkSession, case: dict[str, Any], source: str, select: str) -> None:
    options = {**case["options"], "topic": case["into"][source]}
    spark.sql(select).coalesce(1).write.format("kafka").options(**options).mode("append").save()


def write(spark: SparkSession, source: str, case: dict[str, Any]) -> dict[str, Any]:
    target = case["into"][source]
    frame = spark.sql(case["select"].replace("TARGET", target)).coalesce(1)
    options = {name: text.replace("TARGET", target) for name, text in case["options"].items()}
    frame.write.format(source).options(**options).mode("append").save()
    back = {"kafka.bootstrap.servers": options["kafka.bootstrap.servers"], "subscribe": target}
    found = spark.read.format("kafka").options(**back, includeHeaders="true").load()
    return {"rows": rows_of(found.drop("topic", "timestamp"))}


KINDS = {"batch": read_batch, "stream": read_stream, "write": write, "continue": continue_stream}


def outcome(spark: SparkSession, source: str, case: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    try:
        return KINDS[case["kind"]](spark, source, case)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return {"error": str(error)[:ERROR_SHOWN]}
    finally:
        sys.stderr.write(f"{case['name']} ({source}): {time.monotonic() - began:.1f} s\n")


def asked(case: dict[str, Any]) -> tuple[str, ...]:
    """What Chronik refuses by the options alone is tried without Spark."""
    return ("kafka",) if case["unread"] else ("kafka", "chronik")


def main() -> None:
    cases = json.loads(Path(sys.argv[1]).read_text())
    spark = chronik.spark.session("local[2]", settings=SETTINGS)
    results = {
        case["name"]: {source: outcome(spark, source, case) for source in ("kafka", "chronik")} for case in cases
    }
    Path(sys.argv[2]).write_text(json.dumps({"version": spark.version, "results": results}))


main()
