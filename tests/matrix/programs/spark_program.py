"""Spark's Kafka source and sink as a program of the matrix: batches, and a stream until all is read."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pyspark
from line_server import BOOTSTRAP, headers_from, record_of, serve, to_bytes
from pyspark.sql import DataFrame, SparkSession

JARS = sorted(Path(os.environ["CHRONIK_SPARK_JARS"]).glob("*.jar"))
SCHEMA = "key binary, value binary, headers array<struct<key: string, value: binary>>"
LARGE = str(20_000_000)
SETTINGS = {
    "spark.jars": ",".join(str(jar) for jar in JARS),
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    # On a busy machine a heartbeat may come before what it asks for is there, and then nothing is answered any more.
    "spark.executor.heartbeatInterval": "120s",
    "spark.network.timeout": "600s",
    # A JVM of a few minutes gains nothing from its second compiler.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}

_sessions: list[SparkSession] = []


def session() -> SparkSession:
    if not _sessions:
        builder = SparkSession.builder.master("local[1]").appName("client matrix")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        _sessions.append(builder.getOrCreate())
        _sessions[0].sparkContext.setLogLevel("ERROR")
    return _sessions[0]


def produce(topic: str, records: list[dict[str, Any]], codec: str, idempotent: bool, bytes_max: int) -> list[int]:
    rows = [(to_bytes(one["key"]), to_bytes(one["value"]), headers_from(one) or None) for one in records]
    options = {
        "kafka.bootstrap.servers": BOOTSTRAP,
        "topic": topic,
        "includeHeaders": "true",
        "kafka.compression.type": codec,
        "kafka.enable.idempotence": str(idempotent).lower(),
        "kafka.max.request.size": str(bytes_max + 100_000),
    }
    # One task, so that the order is that of the rows.
    frame = session().createDataFrame(rows, SCHEMA).coalesce(1)
    frame.write.format("kafka").options(**options).save()
    return []


def _source(reader: Any, topic: str) -> DataFrame:
    options = {
        "kafka.bootstrap.servers": BOOTSTRAP,
        "subscribe": topic,
        "startingOffsets": "earliest",
        "includeHeaders": "true",
        "kafka.max.partition.fetch.bytes": LARGE,
        "failOnDataLoss": "true",
    }
    frame: DataFrame = reader.format("kafka").options(**options).load()
    return frame


def consume(topic: str, count: int) -> list[dict[str, Any]]:
    return _read(_source(session().read, topic))[:count]


def _read(frame: DataFrame) -> list[dict[str, Any]]:
    rows = frame.select("key", "value", "headers").orderBy("offset").collect()
    return [_record(row) for row in rows]


def _record(row: Any) -> dict[str, Any]:
    headers = [(header["key"], _bytes(header["value"])) for header in row["headers"] or []]
    return record_of(_bytes(row["key"]), _bytes(row["value"]), headers)


def _bytes(data: bytearray | None) -> bytes | None:
    return None if data is None else bytes(data)


def stream(topic: str) -> list[dict[str, Any]]:
    """Read all that is there as a stream, which then ends."""
    frame = _source(session().readStream, topic).select("offset", "key", "value", "headers")
    with tempfile.TemporaryDirectory() as directory:
        sink = frame.writeStream.format("parquet").trigger(availableNow=True)
        query = sink.option("path", f"{directory}/out").option("checkpointLocation", f"{directory}/state").start()
        if not query.awaitTermination(90):
            query.stop()
            raise RuntimeError("the stream did not end")
        return _read(session().read.parquet(f"{directory}/out"))


serve(
    {
        "version": lambda: pyspark.__version__,
        "produce": produce,
        "consume": consume,
        "stream": stream,
    }
)
