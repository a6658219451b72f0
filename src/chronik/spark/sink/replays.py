"""Headers that identify a record across replays of its micro-batch: query, micro-batch, and ordinal.

A replayed micro-batch has the same headers if its rows come in the same order, as they do from topics and files.
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
    """The headers that one task adds to its records."""

    query: str
    batch: str
    task: int

    def headers(self) -> Iterator[list[tuple[str, bytes | None]]]:
        """Return the headers of the first record, of the second, and so on."""
        begin: list[tuple[str, bytes | None]] = [
            (QUERY_HEADER, self.query.encode()),
            (BATCH_HEADER, self.batch.encode()),
        ]
        number = 0
        while True:
            yield [*begin, (ORDINAL_HEADER, b"%d-%d" % (self.task, number))]
            number += 1


def without_replays(frame: "DataFrame") -> "DataFrame":
    """Drop records that a sink has written again; records without its headers stay. Needs the column ``headers``."""
    from pyspark.sql import functions as sql

    last = "try_element_at(filter(headers, header -> header.key = '{}'), -1).value"
    found = [sql.expr(last.format(name)) for name in REPLAY_HEADERS]
    unmarked = sql.concat_ws("-", "topic", "partition", "offset").cast("binary")
    marks = sql.when(found[0].isNull(), sql.array(unmarked)).otherwise(sql.array(*found))
    return frame.withColumn("_replay", marks).dropDuplicates(["_replay"]).drop("_replay")
