"""The samples of requests, their errors, flushes and round trips to the metadata store."""

from collections.abc import Sequence
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.observability.histograms import Histogram
from chronik.observability.metrics import BrokerMetrics
from chronik.observability.request_times import STAGES, RequestTimes
from chronik.server.metrics.families import Families

_STAGE_OF: Final = {
    "kafka_network_requestmetrics_totaltimems": "total",
    "kafka_network_requestmetrics_requestqueuetimems": "queue",
    "kafka_network_requestmetrics_localtimems": "local",
    "kafka_network_requestmetrics_remotetimems": "remote",
    "kafka_network_requestmetrics_responsesendtimems": "response",
}
_FROM_THE_START: Final = tuple(
    (api, error.name)
    for api, errors in {
        "Produce": (
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ErrorCode.NOT_ENOUGH_REPLICAS,
            ErrorCode.REQUEST_TIMED_OUT,
            ErrorCode.CORRUPT_MESSAGE,
            ErrorCode.KAFKA_STORAGE_ERROR,
        ),
        "Fetch": (
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ErrorCode.OFFSET_OUT_OF_RANGE,
            ErrorCode.FENCED_LEADER_EPOCH,
            ErrorCode.CORRUPT_MESSAGE,
            ErrorCode.KAFKA_STORAGE_ERROR,
        ),
        "ListOffsets": (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    }.items()
    for error in errors
)
"""Exported as 0 before the first error: Prometheus does not see the first increase of a counter that did not exist."""


def add_requests(families: Families, times: RequestTimes) -> None:
    """Add the requests of one API, under Chronik's names and under Kafka's."""
    for stage in STAGES:
        counts, sum_ns = times.stage_counts(stage), times.stage_sum_ns(stage)
        families.add_histogram("chronik_request_seconds", counts, sum_ns, times.name, stage)
    name = kafka_name(times.name)
    families.add("kafka_network_requestmetrics_requests_total", times.requests, name)
    for metric, stage in _STAGE_OF.items():
        recent, sum_ns = times.recent_counts(stage), times.stage_sum_ns(stage)
        families.add_summary_ms(metric, recent, times.requests, sum_ns, name)


def kafka_name(api: str) -> str:
    """Return Kafka's name of a request: consumer and follower fetches have different names."""
    return "FetchConsumer" if api == "Fetch" else api


def add_refusals(families: Families, metrics: BrokerMetrics) -> None:
    """Add errors by API; those that alerts use exist from the start."""
    refused = dict.fromkeys(_FROM_THE_START, 0) | metrics.refused
    for (api, error), count in sorted(refused.items()):
        families.add("chronik_requests_refused_total", count, api, error)
        families.add("kafka_network_requestmetrics_errors_total", count, api, error)
    for api in ("Produce", "Fetch"):
        failed = sum(count for (name, _), count in refused.items() if name == api)
        families.add(f"kafka_server_brokertopicmetrics_failed{api.lower()}requests_total", failed)


def add_histograms(families: Families, metrics: BrokerMetrics) -> None:
    """Add the histograms that are not about requests."""
    _add(families, "chronik_event_loop_delay_seconds", metrics.loop.delays)
    _add(families, "chronik_flush_seconds", metrics.flushes)
    _add(families, "chronik_watermark_commit_seconds", metrics.replicas.commits)
    _add(families, "chronik_watermark_propagation_seconds", metrics.replicas.propagation)
    for operation, histogram in metrics.store.items():
        _add(families, "chronik_store_round_trip_seconds", histogram, operation)
        families.add("chronik_store_failures_total", metrics.store_failures[operation], operation)
    flushes: Sequence[int] = metrics.flushes.counts
    families.add_summary_ms(
        "kafka_log_logflushstats_logflushrateandtimems", flushes, metrics.flushes.count, metrics.flushes.sum_ns
    )


def _add(families: Families, name: str, histogram: Histogram, *labels: str) -> None:
    families.add_histogram(name, histogram.counts, histogram.sum_ns, *labels)
