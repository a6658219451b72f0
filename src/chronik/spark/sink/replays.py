"""Marks by which records that were written twice are known: the query, the micro-batch, and the place in it.

A micro-batch is written again with the same marks if its rows come in the same order, as they do from topics and files.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

QUERY_HEADER: Final = "chronik.query"
BATCH_HEADER: Final = "chronik.batch"
ORDINAL_HEADER: Final = "chronik.ordinal"
REPLAY_HEADERS: Final = (QUERY_HEADER, BATCH_HEADER, ORDINAL_HEADER)


@dataclass(frozen=True, slots=True)
class ReplayMarks:
    """What one task puts into the headers of its records."""

    query: str
    batch: str
    task: int

    def headers(self) -> Iterator[list[tuple[str, bytes | None]]]:
        """Give the headers of the first record, of the second, and so on."""
        begin: list[tuple[str, bytes | None]] = [
            (QUERY_HEADER, self.query.encode()),
            (BATCH_HEADER, self.batch.encode()),
        ]
        number = 0
        while True:
            yield [*begin, (ORDINAL_HEADER, b"%d-%d" % (self.task, number))]
            number += 1


def without_replays(frame: "DataFrame") -> "DataFrame":
    """Drop records that a sink has written again; those without marks all stay. Needs the column ``headers``."""
    from pyspark.sql import functions as sql

    last = "try_element_at(filter(headers, header -> header.key = '{}'), -1).value"
    found = [sql.expr(last.format(name)) for name in REPLAY_HEADERS]
    unmarked = sql.concat_ws("-", "topic", "partition", "offset").cast("binary")
    marks = sql.when(found[0].isNull(), sql.array(unmarked)).otherwise(sql.array(*found))
    return frame.withColumn("_replay", marks).dropDuplicates(["_replay"]).drop("_replay")
