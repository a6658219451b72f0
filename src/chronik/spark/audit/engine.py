"""The audit on Spark: the same results as ``chronik.audit.engine_local``, for runs of any size."""

from pathlib import Path
from typing import TYPE_CHECKING

from chronik.audit.evidence import Evidence
from chronik.audit.judging import conclude, unreported_sends
from chronik.audit.merging import known_beforehand, wanted
from chronik.audit.results import Results
from chronik.audit.retention import is_compacted_topic, latest_deletions
from chronik.audit.surroundings import survey
from chronik.spark.audit.jobs import Jobs, Piece
from chronik.spark.audit.log_reading import Log
from chronik.spark.audit.pieces import Side, file_pieces
from chronik.spark.sessions import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def audit_with_spark(
    run_dir: Path, *, strict: bool = False, master: str | None = None, log: Log | None = None
) -> Results:
    """Judge a run on a session that is started, or given if one runs."""
    return audit(run_dir, strict=strict, log=log, spark=session(master, app_name="chronik audit"))


def audit(run_dir: Path, *, spark: "SparkSession", strict: bool = False, log: Log | None = None) -> Results:
    """Judge a run; ``log`` is read in the place of what lies in the run's directory.

    Tasks read the run's files themselves: on a cluster the directory must be one that its workers can read.
    """
    evidence = Evidence(run_dir)
    around = survey(evidence, None if log is None else log.spans)
    pieces: list[Piece] = list(file_pieces(evidence))
    if log is not None:
        pieces = [*(piece for piece in pieces if piece.side is not Side.STORED), *log.pieces]
    jobs = Jobs(spark, pieces, _parts(spark))
    summary = jobs.summed_up(known_beforehand(evidence, around), around)
    around = around.with_delivered(summary)
    chosen = wanted(summary)
    if chosen.is_empty:
        return conclude(summary, [], around)
    unreported = unreported_sends(summary, chosen)
    keys = jobs.latest_keys(latest_deletions(evidence.sends, around)) if is_compacted_topic(around) else {}
    return conclude(summary, jobs.named(chosen, unreported, around, keys, strict=strict), around)


def _parts(spark: "SparkSession") -> int:
    return max(2, spark.sparkContext.defaultParallelism)
