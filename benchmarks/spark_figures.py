"""What reading for Spark must reach beside Spark's own Kafka source."""

from typing import Final

from benchmarks.figures import Figure


def _rate(name: str, title: str, must: float) -> Figure:
    return Figure(name, title, "M records/s", must, higher_is_better=True)


FIGURES: Final = (
    _rate("rows_wire", "full rows into a noop sink, over the wire", 1.5),
    _rate("rows_files", "full rows into a noop sink, segment files", 2.0),
    _rate("sum_default", "aggregate of offset and length, default schema", 1.5),
    _rate("sum_narrow", "aggregate of offset and length, narrow schema", 2.0),
    _rate("count_ranges", "count, through ranges", 3.0),
    _rate("parquet", "topic to Parquet, zstd", 2.0),
    _rate("batches_wire", "batches, as records covered, over the wire", 4.0),
    _rate("batches_files", "batches, as records covered, segment files with 100 M", 30.0),
    _rate("last_percent", "the last 1 % by a timestamp filter, as records of the topic", 20.0),
    Figure("stream_delay", "stream at 100,000 msg/s, end-to-end delay p95", "ms", 1.5),
    Figure("memory_small", "peak memory of a worker, 1 M records of segment files", "MB", 400, of_peer=False),
    Figure("memory_large", "peak memory of a worker, 50 M records of segment files", "MB", 400, of_peer=False),
    Figure("memory_growth", "peak memory of a worker, 50 M by 1 M", "×", 1.2, of_peer=False),
    Figure("growth", "full rows of 100 M by those of 10 M records, segment files", "×", 10.5, of_peer=False),
)
