"""The audit on Spark: the same results as ``chronik.audit.judge.engine``, for runs of any size."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chronik.audit.judge.assemble import conclude, unreported_sends
from chronik.audit.judge.balance.cells import Summary
from chronik.audit.judge.balance.reconcile import known_beforehand, wanted
from chronik.audit.judge.balance.splits import Log, Piece, pieces_of
from chronik.audit.judge.balance.zone_map import touched
from chronik.audit.judge.classify.context import Surroundings, survey
from chronik.audit.judge.classify.retention import is_compacted_topic
from chronik.audit.judge.results import Results
from chronik.audit.tables.evidence import Evidence
from chronik.spark.audit.jobs import Jobs
from chronik.spark.audit.restart import KeptSummary
from chronik.spark.sessions.background import describe_session, start_in_background

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkEngine:
    """The audit on a session of its own, which starts at once, so that it is ready when a run is recorded."""

    def __init__(self, master: str | None = None, *, is_verbose: bool = False) -> None:
        self._starting = start_in_background(master, app_name="chronik audit", verbose=is_verbose)

    @property
    def spark(self) -> "SparkSession":
        """The session, once it has started."""
        return self._starting.result()

    def __call__(self, run_dir: Path, *, strict: bool = False, log: Log | None = None) -> Results:
        """Judge a recorded run."""
        return audit(run_dir, spark=self.spark, strict=strict, log=log)

    def __str__(self) -> str:
        return describe_session(self.spark)


def audit(run_dir: Path, *, spark: "SparkSession", strict: bool = False, log: Log | None = None) -> Results:
    """Judge a run; ``log`` is read in the place of what lies in the run's directory.

    Tasks read the run's files themselves: on a cluster the directory must be one that its workers can read.
    """
    evidence = Evidence(run_dir)
    around = survey(evidence, None if log is None else log.spans)
    pieces = pieces_of(evidence, log)
    jobs = Jobs(spark, pieces, _parts(spark))
    kept = KeptSummary(evidence, around)
    summary = kept.load()
    if summary is None:
        summary = jobs.summed_up(known_beforehand(evidence, around), around)
        kept.save(summary)
    results = _judged(jobs, pieces, summary, around.with_delivered(summary), strict=strict)
    kept.forget()
    return results


def _judged(jobs: Jobs, pieces: Sequence[Piece], summary: Summary, around: Surroundings, *, strict: bool) -> Results:
    chosen = wanted(summary)
    if chosen.is_empty:
        return conclude(summary, [], around)
    keys = jobs.latest_keys(touched(pieces, summary), around) if is_compacted_topic(around) else {}
    readings = touched(pieces, summary, chosen)
    named = jobs.named(readings, chosen, unreported_sends(summary, chosen), around, keys, strict=strict)
    return conclude(summary, named, around)


def _parts(spark: "SparkSession") -> int:
    return max(2, spark.sparkContext.defaultParallelism)
