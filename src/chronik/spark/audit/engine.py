"""The audit on Spark: the same results as ``chronik.audit.judge.engine``, for runs of any size."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chronik.audit.judge.assemble import assemble, finalise, unreported_sends
from chronik.audit.judge.balance.entries import Summary
from chronik.audit.judge.balance.reconcile import Unbalanced, known_beforehand
from chronik.audit.judge.balance.splits import LogSplits, Split, splits_of
from chronik.audit.judge.balance.zone_map import splits_to_reread
from chronik.audit.judge.classify.classifier import Classified
from chronik.audit.judge.classify.context import AuditContext, survey
from chronik.audit.judge.classify.retention import is_compacted_topic
from chronik.audit.judge.results import AuditResults
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

    def __call__(self, run_dir: Path, *, strict: bool = False, log: LogSplits | None = None) -> AuditResults:
        """Judge a recorded run."""
        return audit(run_dir, spark=self.spark, strict=strict, log=log)

    def __str__(self) -> str:
        return describe_session(self.spark)


def audit(run_dir: Path, *, spark: "SparkSession", strict: bool = False, log: LogSplits | None = None) -> AuditResults:
    """Judge a run; ``log`` is read in the place of what lies in the run's directory.

    Tasks read the run's files themselves: on a cluster the directory must be one that its workers can read.
    """
    evidence = Evidence(run_dir)
    context = survey(evidence, None if log is None else log.spans)
    splits = splits_of(evidence, log)
    jobs = Jobs(spark, splits, _parts(spark))
    kept = KeptSummary(evidence, context)
    summary = kept.load()
    if summary is None:
        summary = jobs.summed_up(known_beforehand(evidence, context), context)
        kept.save(summary)
    context = context.with_delivered(summary)
    verdicts = finalise(
        summary, context, lambda unbalanced: _classified(jobs, splits, summary, unbalanced, context, strict=strict)
    )
    results = assemble(summary, verdicts, context)
    kept.forget()
    return results


def _classified(
    jobs: Jobs,
    splits: Sequence[Split],
    summary: Summary,
    unbalanced: Unbalanced,
    context: AuditContext,
    *,
    strict: bool,
) -> list[Classified]:
    """Pass 2, as jobs."""
    keys = jobs.latest_keys(splits_to_reread(splits, summary), context) if is_compacted_topic(context) else {}
    readings = splits_to_reread(splits, summary, unbalanced)
    return jobs.classified(readings, unbalanced, unreported_sends(summary, unbalanced), context, keys, strict=strict)


def _parts(spark: "SparkSession") -> int:
    return max(2, spark.sparkContext.defaultParallelism)
