"""A query that loses a Python process of Spark's is started again; anything else ends it."""

from typing import cast

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from chronik.spark.archive.table import ArchiveError
from chronik.spark.restarting_query import RESTARTS_MAX, RestartingQuery


class FakeQuery:
    """Ends as it was told, once for each start."""

    def __init__(self, ends: list[Exception | bool]) -> None:
        self.ends = ends
        self.starts = 0

    def start(self) -> StreamingQuery:
        self.starts += 1
        return cast(StreamingQuery, self)

    def awaitTermination(self, seconds: int | None = None) -> bool | None:
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end if seconds is not None else None


def lost() -> StreamingQueryException:
    return StreamingQueryException("Query terminated with exception: Python worker failed to connect back.")


def test_a_lost_process_is_no_end() -> None:
    pauses: list[float] = []
    query = FakeQuery([lost(), lost(), True])
    assert RestartingQuery(query.start, [], pauses.append).wait()
    assert query.starts == 3
    assert pauses == [1, 2]


def test_a_process_that_is_lost_again_and_again_is() -> None:
    pauses: list[float] = []
    query = FakeQuery([lost() for _ in range(RESTARTS_MAX + 1)])
    with pytest.raises(StreamingQueryException):
        RestartingQuery(query.start, [], pauses.append).wait()


def test_the_error_of_a_batch_is_raised() -> None:
    query = FakeQuery([lost()])
    with pytest.raises(ArchiveError, match="gone"):
        RestartingQuery(query.start, [ArchiveError("gone")]).wait()


def test_other_failures_end_it() -> None:
    pauses: list[float] = []
    query = FakeQuery([StreamingQueryException("out of disk")])
    with pytest.raises(StreamingQueryException, match="out of disk"):
        RestartingQuery(query.start, [], pauses.append).wait()
    assert query.starts == 1


def test_a_wait_with_a_bound_says_whether_it_has_ended() -> None:
    running = RestartingQuery(FakeQuery([False, True]).start, [])
    assert (running.wait(1), running.wait(1)) == (False, True)
